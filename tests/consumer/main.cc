#include <discreet/random/generator.h>
#include <discreet/random/geometric.h>

#include <iostream>

int main() {
  auto noise = discreet::random::DiscreteLaplace::create(discreet::Rational(10));
  if (!noise) return 1;
  auto value = noise->sample(discreet::random::thread_generator());
  if (!value) return 1;
  std::cout << *value << '\n';
}
