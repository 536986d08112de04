#include "discreet/base/try.h"
#include "discreet/mechanism/door.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/stable_mode.h"
#include "discreet/mechanism/named.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

// Counts in the order of ties: the labels' own, or as they are listed where they are.
struct Tallied {
  std::vector<std::string> labels;
  std::vector<std::int64_t> counts;
};

class NamedStableMode final : public Mechanism, private Door {
 public:
  NamedStableMode(gap::StableMode mode, const Parameters& p)
      : mode_(std::move(mode)), relation_(p.relation()), listed_(p.labels("labels")) {}

  privacy::Guarantee guarantee() const override { return mode_.guarantee(); }
  Figures figures() const override {
    return {{"threshold", static_cast<double>(mode_.test().threshold())}};
  }

  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const Tallied all = TRY(tallied(input));
    const gap::Mode mode = mode_of(all);
    const bool told = mode.distance > 0;
    const Ball chance = told ? mode_.test().probability(mode.distance, kBits) : Ball(0);
    Pmf out;
    for (std::size_t i = 0; i < all.labels.size(); ++i)
      out.rows.push_back({label(all, i), told && i == mode.winner ? chance : Ball(0)});
    out.rows.push_back({Nothing{}, sub(Ball(1), chance, kBits)});
    out.figures = {{"release_probability", chance.middle()},
                   {"distance", static_cast<double>(mode.distance)},
                   {"threshold", static_cast<double>(mode_.test().threshold())}};
    return out;
  }

  // How far ahead the mode must be, in units.
  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    Accuracy out{static_cast<double>(mode_.test().distance_for(1 - beta))};
    out.says = "told where {} or more units would have to change, with probability {} (exact)";
    out.figures = figures();
    return out;
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const Tallied all = TRY(tallied(open(input)));
    if (listed_.empty()) {
      const auto told = TRY(mode_.release(
          Exact<Counts>::from_private(TRY(value_as<Counts>("counts", open(input)))), source));
      return told.value() ? Answer{Label{0, *told.value()}} : Answer{Nothing{}};
    }
    const auto told =
        TRY(mode_.release(Exact<std::vector<std::int64_t>>::from_private(all.counts), source));
    return told.value() ? Answer{label(all, *told.value())} : Answer{Nothing{}};
  }

  // One unit more or less of each label, or of one that nobody had; under substitute one that
  // moves.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    Counts counts = TRY(value_as<Counts>("counts", input));
    if (listed_.empty()) {
      counts.emplace("", 0);  // first and last in the order of ties
      counts.emplace("~", 0);
    }
    for (const std::string& one : listed_) counts.emplace(one, 0);
    std::vector<Value> out;
    for (const auto& [from, count] : counts) {
      const auto changed = [&, &less = from](std::int64_t by, const std::string* to) {
        Counts other = counts;
        other[less] += by;
        if (to != nullptr) ++other[*to];
        out.emplace_back(std::move(other));
      };
      if (relation_ == privacy::Relation::kAddRemove) {
        changed(1, nullptr);
        if (count > 0) changed(-1, nullptr);
      } else if (count > 0) {
        for (const auto& [to, _] : counts)
          if (to != from) changed(-1, &to);
      }
    }
    return out;
  }

 private:
  gap::Mode mode_of(const Tallied& all) const {
    return gap::mode_of(all.counts, listed_.empty() ? gap::Domain::kOpen : gap::Domain::kListed,
                        relation_);
  }
  Label label(const Tallied& all, std::size_t i) const {
    return {listed_.empty() ? 0 : i, all.labels[i]};
  }
  Result<Tallied> tallied(const Value& input) const {
    const Counts counts = TRY(value_as<Counts>("counts", input));
    Tallied out;
    if (listed_.empty()) {
      for (const auto& [name, count] : counts) {
        out.labels.push_back(name);
        out.counts.push_back(count);
      }
      return out;
    }
    out.labels = listed_;
    for (const std::string& name : listed_) {
      const auto found = counts.find(name);
      out.counts.push_back(found == counts.end() ? 0 : found->second);
    }
    // A label that isn't on the public list must not exist: whether it does is private.
    return out;
  }

  gap::StableMode mode_;
  privacy::Relation relation_;
  std::vector<std::string> listed_;
};

Result<MechanismPointer> make(const Parameters& p) {
  auto mode = TRY(gap::StableMode::create(
      {.test = {.epsilon = *p.number("epsilon"), .delta = *p.number("delta")},
       .relation = p.relation()}));
  return std::make_unique<NamedStableMode>(std::move(mode), p);
}

std::vector<Trial> trials() {
  const Parameters open{{"epsilon", 1}, {"delta", Rational(1, 1000)}};
  Parameters listed = open, substitute = open;
  listed.set("labels", std::vector<std::string>{"b", "a", "c"});
  substitute.set("relation", privacy::Relation::kSubstitute);
  // Near the threshold of every ε that is tried: ahead by 1 to 30.
  std::vector<Value> inputs{Counts{}, Counts{{"a", 1}}, Counts{{"a", 1}, {"b", 1}}};
  for (const std::int64_t ahead : {1, 3, 6, 8, 12, 16, 25})
    inputs.emplace_back(Counts{{"a", 4}, {"b", 4 + ahead}, {"c", 2}});
  inputs.emplace_back(Counts{{"a", 7}});
  std::vector<Value> of_somebody(inputs.begin() + 1, inputs.end());  // nobody can't be replaced
  return {{open, inputs}, {listed, inputs}, {substitute, std::move(of_somebody)}};
}

}  // namespace

Entry stable_mode_entry() {
  return {.name = "stable-mode",
          .title = "The most common value, of values that nobody listed, where it is far ahead",
          .deck = "004",
          .input = {"counts", Kind::kCounts, "how many units have each value: 'a=120,b=90,c=3'"},
          .output = Kind::kLabel,
          .parameters = {required(kEpsilon), required(kDelta), kRelation,
                         otherwise(kLabels, "there may be any others")},
          .example = "--counts a=120,b=90,c=3 --epsilon 1 --delta 1e-6",
          .trials = trials(),
          .may_withhold = true,
          .maker = make};
}

}  // namespace discreet::mechanism
