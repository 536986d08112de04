// Programs that try to get a private value past the noise barrier. tests/mechanism_sources_test.py
// compiles this file once for each CASE: case 0 has to compile, every other one has to be refused.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

// The heavier headers only where they are needed: each case is a compilation of its own.
#if CASE == 0
#include "discreet/mechanism/laplace.h"
#elif CASE == 2
#include <fmt/format.h>
#elif CASE == 10
#include <nlohmann/json.hpp>
#elif CASE == 12
#include "discreet/mechanism/door.h"
#elif CASE == 14
#include "discreet/mechanism/selection.h"
#endif
#include "discreet/mechanism/exact.h"

using discreet::mechanism::Exact;

int main() {
  auto smokers = Exact<std::int64_t>::from_private(412);
  auto others = smokers;  // storing, copying and handing over are allowed
#if CASE == 0
  auto answer = discreet::mechanism::count({.epsilon = discreet::Rational(1, 2)})->release(smokers);
  std::cout << answer->value() << '\n';
#elif CASE == 1  // printing
  std::cout << smokers;
#elif CASE == 2
  return static_cast<int>(fmt::format("{}", smokers).size());
#elif CASE == 3  // comparing
  return smokers == others ? 1 : 0;
#elif CASE == 4
  return smokers < others ? 1 : 0;
#elif CASE == 5
  return smokers > 400 ? 1 : 0;
#elif CASE == 6  // branching
  if (smokers) return 1;
#elif CASE == 7  // converting
  std::int64_t leaked = smokers;
  return static_cast<int>(leaked);
#elif CASE == 8
  return static_cast<int>(static_cast<std::int64_t>(smokers));
#elif CASE == 9
  return static_cast<int>(std::bit_cast<std::int64_t>(smokers));
#elif CASE == 10  // serialising
  nlohmann::json json = smokers;
  return static_cast<int>(json.size());
#elif CASE == 11  // computing
  auto sum = smokers + others;
#elif CASE == 12  // opening without being a mechanism
  return static_cast<int>(discreet::mechanism::Door::open(smokers));
#elif CASE == 13
  return static_cast<int>(smokers.value_);
#elif CASE == 14  // choosing candidates by private values
  auto names = Exact<std::vector<std::string> >::from_private({"dark", "red"});
  auto candidates = discreet::mechanism::Candidates::named(names);
#endif
  (void)others;
}
