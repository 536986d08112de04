// The most common value, told where it is far ahead: of values that nobody has listed, or of a
// public list.
//
//   auto mechanism = *StableMode::create({.test = {.epsilon = 1, .delta = Rational(1, 1000000)}});
//   StableMode::Counts rows{{"tea", 120}, {"coffee", 90}, {"a secret", 1}};
//   auto told = mechanism.release(Exact<StableMode::Counts>::from_private(rows));
//   if (told->value()) std::string drink = *told->value();  // "tea", or nothing
//
// What is proved: mode.h makes a distance of the counts, threshold.h a release of the distance. A
// unit may have several rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/mode.h"
#include "discreet/mechanism/gap/stability.h"

namespace discreet::mechanism::gap {

struct StableModeParameters {
  GapTestParameters test;
  privacy::Relation relation = privacy::Relation::kAddRemove;
  std::int64_t rows_per_unit = 1;
};

class StableMode : private Door {
 public:
  // Rows by value; ties go to the value that is first by its bytes.
  using Counts = std::map<std::string, std::int64_t>;

  static Result<StableMode> create(const StableModeParameters& parameters);

  const GapTest& test() const { return stability_.test(); }
  privacy::Guarantee guarantee() const;

  Result<Released<std::optional<std::string>>> release(
      const Exact<Counts>& counts, random::Source& source = random::thread_generator()) const;
  // Of a public list, in the order of ties: which of it.
  Result<Released<std::optional<std::size_t>>> release(
      const Exact<std::vector<std::int64_t>>& counts,
      random::Source& source = random::thread_generator()) const;

 private:
  StableMode(StableModeParameters parameters, Stability stability)
      : p_(std::move(parameters)), stability_(std::move(stability)) {}
  StableModeParameters p_;
  Stability stability_;
};

}  // namespace discreet::mechanism::gap
