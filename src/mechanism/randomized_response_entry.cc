#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/named.h"
#include "discreet/mechanism/randomized_response.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

constexpr Parameter kValues{.name = "values",
                            .kind = ParameterKind::kLabels,
                            .help = "all values a person can say, separated by commas"};

class RandomizedResponseMechanism final : public Mechanism, private Door {
 public:
  RandomizedResponseMechanism(RandomizedResponse mechanism, std::vector<std::string> values)
      : mechanism_(std::move(mechanism)), values_(std::move(values)) {}

  privacy::Guarantee guarantee() const override { return mechanism_.guarantee(); }
  privacy::Event event() const override { return mechanism_.event(); }

  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const std::size_t value = TRY(index_of(input));
    Pmf out;
    for (std::size_t i = 0; i < values_.size(); ++i)
      out.rows.push_back({label_at(values_, i), mechanism_.probability(value, i, kBits)});
    return out;
  }

  // The error is 0 (the truth) or 1 (a lie).
  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    const Ball lie = mechanism_.lie(kBits);
    return Accuracy{surely_at_most(lie, Ball(beta, kBits)) ? 0.0 : 1.0,
                    {{"probability_of_truth", 1 - lie.middle()}}};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const std::size_t value = TRY(index_of(open(input)));
    auto told = TRY(mechanism_.release(Exact<std::size_t>::from_private(value), source));
    return Answer{label_at(values_, told.value())};
  }

  // Every other value, the next one first.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const std::size_t value = TRY(index_of(input));
    std::vector<Value> out;
    for (std::size_t i = 1; i < values_.size(); ++i)
      out.emplace_back(label_at(values_, (value + i) % values_.size()));
    return out;
  }

 private:
  Result<std::size_t> index_of(const Value& input) const {
    const Label label = TRY(value_as<Label>("value", input));
    const std::string name = label.name.value_or(std::to_string(label.index));
    if (!label.name && label.index < values_.size()) return label.index;
    const auto found = std::find(values_.begin(), values_.end(), name);
    if (found != values_.end()) return static_cast<std::size_t>(found - values_.begin());
    // What a person says is private, misspelt or not.
    return bad_parameter(
        "value", fmt::format("it must be one of the values, such as '{}'", values_.front()));
  }

  RandomizedResponse mechanism_;
  std::vector<std::string> values_;
};

Result<MechanismPointer> make(const Parameters& p) {
  if (p.stated_relation() == privacy::Relation::kAddRemove) {
    return fail(
        Code::kUsage,
        "relation: found add-remove; randomized response protects what a person says (substitute)",
        "that a person answers at all is seen");
  }
  const std::vector<std::string> values = p.labels("values");
  std::vector<std::string> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return bad_parameter("values",
                         fmt::format("found '{}' twice; accepted are different values", *twice));
  RandomizedResponse mechanism = TRY(RandomizedResponse::create(
      {.epsilon = *p.number("epsilon"), .values = Candidates::named(values)}));
  return std::make_unique<RandomizedResponseMechanism>(std::move(mechanism), values);
}

}  // namespace

Entry randomized_response_entry() {
  const std::vector<std::string> three{"yes", "no", "perhaps"}, two{"yes", "no"};
  return {.name = "randomized-response",
          .title = "Randomized response: each person's own answer",
          .deck = "002, 003",
          .input = {.name = "choice",
                    .kind = Kind::kLabel,
                    .help = "what the person would say, which is private",
                    .option = "value"},
          .output = Kind::kLabel,
          .parameters = {required(kEpsilon), required(kValues), otherwise(kRelation, "substitute")},
          .example = "--values yes,no --value yes --epsilon 'ln(3)'",
          .trials = {{{{"epsilon", 1}, {"values", three}}, {Label{0, "yes"}, Label{2, "perhaps"}}},
                     {{{"epsilon", 1}, {"values", two}}, {Label{1, "no"}}}},
          .maker = make};
}

}  // namespace discreet::mechanism
