// The stability mechanism: the answer of any function, told only where it is far from changing.
//
//   auto mechanism = *Stability::create({.epsilon = 1, .delta = Rational(1, 1000000)});
//   // Who wrote f also knows how many units would have to change before f's answer did.
//   auto winner = Exact<Stable<std::string>>::from_private({"Ada", 40});
//   auto told = *mechanism.release(winner);
//   if (told.value()) std::string name = *told.value();  // "Ada", or nothing
//
// What is proved: threshold.h, if the distance is one: D(x) ≤ 1 where a neighbour is answered
// differently, and neighbours with the same answer have distances at most 1 apart. Any lower bound
// on the distance to the nearest different answer that changes by at most 1 will do.
#pragma once

#include <optional>
#include <utility>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/threshold.h"
#include "discreet/mechanism/released.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism::gap {

template <class T>
struct Stable {
  T answer;
  std::int64_t distance;  // in units
};

class Stability : private Door {
 public:
  static Result<Stability> create(const GapTestParameters& parameters) {
    auto test = GapTest::create(parameters);
    if (!test) return tl::unexpected<Error>(test.error());
    return Stability(std::move(*test));
  }

  const GapTest& test() const { return test_; }
  privacy::Guarantee guarantee() const { return test_.guarantee(); }

  template <class T>
  Result<Released<std::optional<T>>> release(
      const Exact<Stable<T>>& exact, random::Source& source = random::thread_generator()) const {
    const Stable<T>& stable = open(exact);
    const auto passes = test_.passes(stable.distance, source);
    if (!passes) return tl::unexpected<Error>(passes.error());
    return Released<std::optional<T>>(*passes ? std::optional<T>(stable.answer) : std::nullopt,
                                      guarantee());
  }

 private:
  explicit Stability(GapTest test) : test_(std::move(test)) {}
  GapTest test_;
};

}  // namespace discreet::mechanism::gap
