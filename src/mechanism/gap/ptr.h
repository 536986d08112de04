// Propose-test-release (Dwork and Lei, STOC 2009): propose a set Y of data sets on which a
// mechanism is private, test with noise that the rows are far inside it, release by that mechanism
// or tell nothing.
//
//   auto ptr = *ProposeTestRelease::create(
//       {.test = {.epsilon = 1, .delta = Rational(1, 1000000)}, .release = {1, 0}});
//   auto rows = Exact<std::vector<int>>::from_private({3, 9, 9, 7});
//   // How many units have to change before Y is left (0: the rows aren't in it).
//   const auto distance = [](const std::vector<int>& all) { return std::int64_t(all.size()); };
//   // (1, 0)-DP for neighbours in Y.
//   const auto mechanism = [](const std::vector<int>& all, random::Source&) -> Result<int> {
//     return all[0];  // not so here
//   };
//   auto told = *ptr.release(rows, distance, mechanism);
//   if (told.value()) int answer = *told.value();
//
// What is proved. The test is that of threshold.h: (ε1, δ1). The mechanism is (ε2, δ2)-DP for
// neighbours that are both in Y; so where they are, test and answer together are (ε1 + ε2, δ2)-DP
// by composition. Where one isn't, both distances are at most 1, and each is answered with
// probability δ1 at most; "nothing" is ε1-DP. In all (ε1 + ε2, max(δ1, δ2)), not (ε, δ) (deck 004).
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/threshold.h"
#include "discreet/mechanism/released.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism::gap {

struct ProposeTestReleaseParameters {
  GapTestParameters test;
  privacy::Guarantee release;  // of the mechanism on Y; both by the same relation
};

class ProposeTestRelease : private Door {
 public:
  static Result<ProposeTestRelease> create(const ProposeTestReleaseParameters& parameters) {
    auto test = GapTest::create(parameters.test);
    if (!test) return tl::unexpected<Error>(test.error());
    return ProposeTestRelease(std::move(*test), parameters);
  }

  const GapTest& test() const { return test_; }
  privacy::Guarantee guarantee() const {
    return {p_.test.epsilon + p_.release.epsilon, std::max(p_.test.delta, p_.release.delta),
            p_.release.relation};
  }

  // distance(data): units, changes by at most 1 between neighbours, 0 outside Y.
  // mechanism(data, source): a Result. It is only asked where the test passes, which is told
  // anyway.
  template <class Data, class Distance, class Mechanism>
  auto release(const Exact<Data>& exact, const Distance& distance, const Mechanism& mechanism,
               random::Source& source = random::thread_generator()) const
      -> Result<Released<std::optional<
          typename std::invoke_result_t<Mechanism, const Data&, random::Source&>::value_type>>> {
    using Answer =
        typename std::invoke_result_t<Mechanism, const Data&, random::Source&>::value_type;
    const Data& data = open(exact);
    const auto passes = test_.passes(distance(data), source);
    if (!passes) return tl::unexpected<Error>(passes.error());
    std::optional<Answer> told;
    if (*passes) {
      auto answer = mechanism(data, source);
      if (!answer) return tl::unexpected<Error>(std::move(answer.error()));
      told = std::move(*answer);
    }
    return Released<std::optional<Answer>>(std::move(told), guarantee());
  }

 private:
  ProposeTestRelease(GapTest test, ProposeTestReleaseParameters parameters)
      : test_(std::move(test)), p_(std::move(parameters)) {}
  GapTest test_;
  ProposeTestReleaseParameters p_;
};

}  // namespace discreet::mechanism::gap
