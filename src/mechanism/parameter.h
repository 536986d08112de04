// The public parameters of mechanisms that are worked with by name: how an entry of the registry
// describes them, and the bag in which they are handed over.
//
//   const Parameter known[] = {required(kEpsilon), kSensitivity};
//   auto given = checked("laplace", known, {{"epsilon", Rational(1, 2)}});
//   Rational epsilon = *given->number("epsilon");
//   auto typo = checked("laplace", known, {{"epsilom", 1}});  // did you mean 'epsilon'?
//
// Whoever takes parameters from people (the command line, later Python) makes its options from the
// descriptions. Everything a description says is checked here, once; a maker sees nothing else.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "discreet/base/number.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism {

enum class ParameterKind {
  kPositive,     // a number above 0
  kNotNegative,  // a number of at least 0
  kNumber,       // any number
  kProbability,  // above 0 and below 1
  kWhole,        // a whole number of at least 1
  kFlag,         // there or not
  kRelation,     // who are neighbours
  kLabels,       // a list of words
  kChoice,       // one of a few words
  kRange,        // two numbers, the first below the second
};

struct Parameter {
  std::string_view name;  // as an option is called: "epsilon", "threshold-share"
  ParameterKind kind;
  std::string_view help;           // one line
  std::string_view fallback = {};  // what is taken where it isn't given, in words
  bool required = false;
  Rounding rounding = Rounding::kDown;  // of ln(…), the one number that is rounded: to more noise
  std::int64_t most = 0;                // 0: no end
  std::string_view example = "1 or 0.5";
  std::span<const std::string_view> choices = {};  // kChoice
};
constexpr Parameter required(Parameter parameter) {
  parameter.required = true;
  return parameter;
}
constexpr Parameter otherwise(Parameter parameter, std::string_view fallback) {
  parameter.fallback = fallback;
  return parameter;
}

// Those that many mechanisms take.
inline constexpr Parameter kEpsilon{.name = "epsilon",
                                    .kind = ParameterKind::kPositive,
                                    .help = "the privacy loss ε, above 0",
                                    .most = 1'000'000,
                                    .example = "0.5 or ln(3)"};
inline constexpr Parameter kDelta{.name = "delta",
                                  .kind = ParameterKind::kProbability,
                                  .help = "the δ of (ε, δ), above 0 and below 1",
                                  .example = "1e-6"};
inline constexpr Parameter kSensitivity{
    .name = "sensitivity",
    .kind = ParameterKind::kPositive,
    .help = "by how much one unit can change the value (or any one score)",
    .rounding = Rounding::kUp};
inline constexpr Parameter kSigma{.name = "sigma",
                                  .kind = ParameterKind::kPositive,
                                  .help = "the noise's standard deviation, in place of ε or δ",
                                  .rounding = Rounding::kUp};
inline constexpr Parameter kGrid{.name = "grid",
                                 .kind = ParameterKind::kPositive,
                                 .help = "the public grid's step",
                                 .fallback = "1, or a power of two if the sensitivity isn't whole"};
inline constexpr Parameter kMonotone{
    .name = "monotone",
    .kind = ParameterKind::kFlag,
    .help = "all scores move the same way when a unit comes: half the noise"};
inline constexpr Parameter kRelation{.name = "relation",
                                     .kind = ParameterKind::kRelation,
                                     .help = "who are neighbours: add-remove or substitute",
                                     .fallback = "add-remove"};
inline constexpr Parameter kLabels{.name = "labels",
                                   .kind = ParameterKind::kLabels,
                                   .help = "their public names, separated by commas",
                                   .fallback = "numbers from 0 on"};

// Two numbers, the first below the second.
struct Limits {
  Rational low, high;
};

using ParameterValue = std::variant<Rational, std::int64_t, bool, privacy::Relation,
                                    std::vector<std::string>, std::string, Limits>;

class Parameters {
 public:
  using Named = std::map<std::string, ParameterValue, std::less<>>;

  Parameters() = default;
  Parameters(std::initializer_list<Named::value_type> values) : values_(values) {}

  void set(std::string_view name, ParameterValue value) {
    values_.insert_or_assign(std::string(name), std::move(value));
  }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  const Named& all() const { return values_; }

  // None where it isn't there, or of another kind.
  std::optional<Rational> number(std::string_view name) const;
  std::optional<std::int64_t> whole(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::vector<std::string> labels(std::string_view name) const;
  std::optional<std::string> choice(std::string_view name) const;
  std::optional<Limits> range(std::string_view name) const;
  // Add-remove where nothing was said.
  privacy::Relation relation() const;
  std::optional<privacy::Relation> stated_relation() const;

 private:
  Named values_;
};

// "a number above 0 and at most 1000000, such as 0.5 or ln(3)".
std::string accepted(const Parameter& parameter);

// The given parameters, if each is known, of its kind and in its range, and none that is required
// is missing. Whole numbers may come as numbers and the other way round. `who` is for the message.
Result<Parameters> checked(std::string_view who, std::span<const Parameter> known,
                           const Parameters& given);

}  // namespace discreet::mechanism
