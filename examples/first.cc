#include <discreet/mechanism/laplace.h>

#include <iostream>
using namespace discreet::mechanism;
int main() {
  auto smokers = Exact<std::int64_t>::from_private(412);
  auto answer = count({.epsilon = discreet::Rational(1, 2)})->release(smokers);
  std::cout << answer->value() << " ± " << answer->margin()->error << '\n';
}
