#include <discreet/random/generator.h>
#include <discreet/random/geometric.h>
#include <discreet/service/service.h>

#include <iostream>

// Without an argument noise; with a policy the answer to a question about it.
int main(int count, char** arguments) {
  if (count > 1) {
    auto service = discreet::service::Service::open(arguments[1], {});
    if (!service) return 2;
    discreet::sql::Options options;
    options.epsilon = discreet::Rational(1, 2);
    auto plan = (*service)->plan("SELECT COUNT(*) FROM visits", options);
    if (!plan) return 3;
    discreet::service::Asking asking;
    asking.analyst = "ana";
    auto reply = (*service)->ask(*plan, asking);
    if (!reply) {
      std::cerr << reply.error().text() << '\n';
      return 4;
    }
    std::cout << reply->answer.rows.size() << '\n';
    return 0;
  }
  auto noise = discreet::random::DiscreteLaplace::create(discreet::Rational(10));
  if (!noise) return 1;
  auto value = noise->sample(discreet::random::thread_generator());
  if (!value) return 1;
  std::cout << *value << '\n';
}
