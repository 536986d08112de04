#include "discreet/base/try.h"
#include "discreet/mechanism/door.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/stability.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

// Of any function: who calculated its answer says how many units would have to change before it
// did.
class StableAnswer final : public Mechanism, private Door {
 public:
  explicit StableAnswer(gap::Stability stability) : stability_(std::move(stability)) {}

  privacy::Guarantee guarantee() const override { return stability_.guarantee(); }
  Figures figures() const override {
    return {{"threshold", static_cast<double>(stability_.test().threshold())}};
  }

  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const gap::Stable<Rational> stable = TRY(stable_of(input));
    const Ball chance = stability_.test().probability(stable.distance, kBits);
    Pmf out;
    out.rows = {{stable.answer, chance}, {Nothing{}, sub(Ball(1), chance, kBits)}};
    out.figures = {{"release_probability", chance.middle()},
                   {"threshold", static_cast<double>(stability_.test().threshold())}};
    return out;
  }
  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    Accuracy out{static_cast<double>(stability_.test().distance_for(1 - beta))};
    out.says = "told where {} or more units would have to change, with probability {} (exact)";
    out.figures = figures();
    return out;
  }
  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const auto told = TRY(stability_.release(
        Exact<gap::Stable<Rational>>::from_private(TRY(stable_of(open(input)))), source));
    return told.value() ? Answer{*told.value()} : Answer{Nothing{}};
  }
  // The same answer one unit nearer or farther; at the border another answer, with the same
  // distance to this one.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const gap::Stable<Rational> stable = TRY(stable_of(input));
    const auto at = [&](const Rational& answer, std::int64_t distance) {
      return Value(Numbers{answer, Rational(Integer(static_cast<long>(distance)))});
    };
    std::vector<Value> out{at(stable.answer, stable.distance + 1)};
    if (stable.distance > 1) out.push_back(at(stable.answer, stable.distance - 1));
    if (stable.distance <= 1) out.push_back(at(stable.answer + 1, 1));
    return out;
  }

 private:
  static Result<gap::Stable<Rational>> stable_of(const Value& input) {
    const Numbers both = TRY(value_as<Numbers>("answer-and-distance", input));
    constexpr long kMost = 1L << 52;
    if (both.size() != 2 || both[1].get_den() != 1 || both[1] < 1)
      return bad_parameter(
          "answer-and-distance",
          "accepted are two numbers: the answer, and the whole number of units, at least 1, that "
          "would have to change before it did");
    return gap::Stable<Rational>{both[0], std::min(Integer(kMost), both[1].get_num()).get_si()};
  }
  gap::Stability stability_;
};

Result<MechanismPointer> make(const Parameters& p) {
  auto stability =
      TRY(gap::Stability::create({.epsilon = *p.number("epsilon"), .delta = *p.number("delta")}));
  return std::make_unique<StableAnswer>(std::move(stability));
}

}  // namespace

Entry stability_entry() {
  std::vector<Value> inputs;
  for (const long distance : {1, 2, 4, 7, 9, 14, 20, 40})
    inputs.emplace_back(Numbers{42, Rational(distance)});
  return {.name = "stability",
          .title = "The exact answer of any function, where many units would have to change it",
          .deck = "004",
          .input = {"answer-and-distance", Kind::kNumbers,
                    "the answer, and how many units would have to change before it did"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), required(kDelta)},
          .example = "--answer-and-distance 42,31 --epsilon 1 --delta 1e-6",
          .trials = {{{{"epsilon", 1}, {"delta", Rational(1, 1000)}}, std::move(inputs)}},
          .may_withhold = true,
          .maker = make};
}

}  // namespace discreet::mechanism
