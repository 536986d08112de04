#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "discreet/base/try.h"
#include "discreet/mechanism/door.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/assignment.h"
#include "discreet/mechanism/gap/block_mode.h"
#include "discreet/mechanism/gap/blocks_needed.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

constexpr Parameter kBlocks{.name = "blocks",
                            .kind = ParameterKind::kWhole,
                            .help = "how many blocks the units are split into",
                            .fallback = "as many as there are answers",
                            .most = static_cast<std::int64_t>(gap::kMostBlocks),
                            .example = "100"};
constexpr Parameter kBlockAccuracy{
    .name = "block-accuracy",
    .kind = ParameterKind::kProbability,
    .help = "how likely a block is to give the right answer, as far as you know",
    .fallback = "all give it",
    .example = "0.9"};
constexpr Parameter kWanted{
    .name = "wanted",
    .kind = ParameterKind::kProbability,
    .help = "the chance of an answer, and the right one, for which blocks_needed is computed",
    .fallback = "0.95",
    .example = "0.95"};

class SampleAggregate final : public Mechanism, private Door {
 public:
  SampleAggregate(gap::BlockMode mode, const Parameters& p)
      : mode_(std::move(mode)),
        blocks_(p.whole("blocks")),
        accuracy_(p.number("block-accuracy").value_or(1)),
        wanted_(p.number("wanted").value_or(Rational(19, 20))) {}

  privacy::Guarantee guarantee() const override { return mode_.guarantee(); }

  Figures figures() const override {
    Figures out{{"threshold", static_cast<double>(mode_.test().threshold())}};
    if (blocks_) {
      out.emplace_back("blocks", static_cast<double>(*blocks_));
      out.emplace_back("probability",
                       gap::chance_of_right_mode(passes(), *blocks_, accuracy_, kBits).middle());
    }
    if (const auto needed = gap::blocks_needed(passes(), accuracy_, wanted_))
      out.emplace_back("blocks_needed", static_cast<double>(*needed));
    return out;
  }

  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const std::vector<std::string> answers = TRY(words(input));
    const auto leader = gap::BlockMode::leader(answers);
    const Ball chance =
        leader.distance > 0 ? mode_.test().probability(leader.distance, kBits) : Ball(0);
    Pmf out;
    for (const std::string& word : std::set<std::string>(answers.begin(), answers.end()))
      out.rows.push_back({Label{0, word}, word == leader.answer ? chance : Ball(0)});
    out.rows.push_back({Nothing{}, sub(Ball(1), chance, kBits)});
    out.figures = {{"release_probability", chance.middle()},
                   {"distance", static_cast<double>(leader.distance)},
                   {"threshold", static_cast<double>(mode_.test().threshold())}};
    return out;
  }

  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    Accuracy out{static_cast<double>(mode_.test().distance_for(1 - beta))};
    out.says = "told where {} or more answers would have to change, with probability {} (exact)";
    out.figures = {{"threshold", static_cast<double>(mode_.test().threshold())}};
    std::optional<std::int64_t> blocks = blocks_;
    if (!blocks && input) blocks = static_cast<std::int64_t>(TRY(words(*input)).size());
    if (blocks)
      out.figures.emplace_back("agreeing_blocks",
                               static_cast<double>(mode_.agreeing(*blocks, beta)));
    return out;
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    std::vector<std::string> answers = TRY(words(open(input)));
    const auto told = TRY(
        mode_.release(Exact<std::vector<std::string>>::from_private(std::move(answers)), source));
    if (!told.value()) return Answer{Nothing{}};
    return Answer{Label{0, *told.value()}};
  }

  // One answer becomes another block's, or one that nobody gave. An answer that only one block gave
  // stays, so that distributions can be laid side by side.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const std::vector<std::string> answers = TRY(words(input));
    std::set<std::string> others(answers.begin(), answers.end());
    others.insert({"", "~"});  // first and last in the order of ties
    std::set<std::string> once, twice;
    for (const std::string& answer : answers)
      (once.insert(answer).second ? once : twice).insert(answer);
    std::vector<Value> out;
    for (const std::string& from : twice)
      for (const std::string& to : others) {
        if (to == from) continue;
        Labels changed = std::get<Labels>(input);
        const auto at = std::find(answers.begin(), answers.end(), from) - answers.begin();
        changed[static_cast<std::size_t>(at)].name = to;
        out.emplace_back(std::move(changed));
      }
    return out;
  }

 private:
  gap::Passes passes() const {
    return [this](std::int64_t distance, long bits) {
      return mode_.test().probability(distance, bits);
    };
  }
  Result<std::vector<std::string>> words(const Value& input) const {
    const Labels labels = TRY(value_as<Labels>("answers", input));
    if (blocks_ && static_cast<std::size_t>(*blocks_) != labels.size())
      return bad_parameter("blocks",
                           fmt::format("found {} and {} answers; accepted is one for each "
                                       "block",
                                       *blocks_, labels.size()));
    std::vector<std::string> out;
    for (const Label& label : labels)
      out.push_back(label.name.value_or(std::to_string(label.index)));
    return out;
  }

  gap::BlockMode mode_;
  std::optional<std::int64_t> blocks_;
  Rational accuracy_, wanted_;
};

// With so few blocks nothing would be told, even if all agreed: that is no use to anybody, and
// public.
Status check_blocks(const gap::BlockMode& mode, std::int64_t blocks) {
  if (blocks >= mode.fewest_blocks()) return {};
  return bad_parameter(
      "blocks",
      fmt::format(
          "found {}; accepted is {} or more: one block must not decide, and with fewer even "
          "a mode that all agree on would mostly be withheld",
          blocks, mode.fewest_blocks()),
      advise("blocks", std::to_string(mode.fewest_blocks())) +
          ", or take a larger epsilon or delta");
}

Result<MechanismPointer> make(const Parameters& p) {
  gap::BlockMode mode =
      TRY(gap::BlockMode::create({.epsilon = *p.number("epsilon"), .delta = *p.number("delta")}));
  if (const auto blocks = p.whole("blocks")) TRY(check_blocks(mode, *blocks));
  if (const auto accuracy = p.number("block-accuracy"); accuracy && *accuracy <= Rational(1, 2))
    return bad_parameter("block-accuracy", fmt::format("found {}; accepted is a probability above "
                                                       "1/2",
                                                       to_decimal(*accuracy)));
  return std::make_unique<SampleAggregate>(std::move(mode), p);
}

Value answers(const std::vector<std::pair<const char*, int>>& counts) {
  Labels out;
  for (const auto& [word, count] : counts)
    for (int i = 0; i < count; ++i) out.push_back({out.size(), word});
  return out;
}

std::vector<Value> inputs() {
  std::vector<Value> out;
  // Ahead by so many: on either side of the threshold of every ε that is tried.
  for (const int ahead : {0, 1, 2, 3, 5, 6, 8, 12, 13, 16, 24, 25, 26, 32, 50})
    out.push_back(answers({{"a", 3}, {"b", 3 + ahead}, {"c", 2}}));
  out.push_back(answers({{"a", 20}}));
  return out;
}

}  // namespace

Entry sample_aggregate_entry() {
  return {
      .name = "sample-aggregate",
      .title = "Subsample and aggregate: the answer that blocks of units give, where they agree",
      .deck = "004",
      .input = {"answers", Kind::kLabels, "what the blocks answered, separated by commas"},
      .output = Kind::kLabel,
      .parameters = {required(kEpsilon), required(kDelta), kBlocks, kBlockAccuracy, kWanted},
      .example = "--answers red,red,red,blue,red,red,red,red --epsilon 3 --delta 0.001",
      .trials = {{{{"epsilon", 1}, {"delta", Rational(1, 1000)}}, inputs()}},
      .may_withhold = true,
      .aggregate = "mode",
      .maker = make};
}

}  // namespace discreet::mechanism
