#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/number_answers.h"
#include "discreet/mechanism/gap/rank.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

class SampleMedian final : public Mechanism, private Door {
 public:
  SampleMedian(gap::RankChoice choice, const Parameters& p)
      : choice_(std::move(choice)), blocks_(p.whole("blocks")) {}

  // Of units that come or go, if each is in one block.
  privacy::Guarantee guarantee() const override { return {choice_.guarantee().epsilon, 0}; }
  privacy::Event event() const override { return choice_.event(); }
  Figures figures() const override { return gap::blocks_figure(blocks_); }

  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const Numbers answers = TRY(gap::number_answers(input, blocks_));
    const std::vector<Ball> chances = choice_.pmf(choice_.points(answers), kBits);
    Pmf out;
    double rest = 1;
    for (std::size_t i = 0; i < chances.size() && out.rows.size() < kMostRows; ++i) {
      const Rational at = choice_.at(static_cast<std::int64_t>(i));
      if ((window.from && at < *window.from) || (window.to && at > *window.to)) continue;
      rest -= chances[i].middle();
      out.rows.push_back({at, chances[i]});
    }
    if (out.rows.size() < chances.size()) out.tail = Ball(*exactly(std::max(0.0, rest)), kBits);
    return out;
  }

  // In ranks: how many answers are between the released number and the middle.
  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    if (!input) return bad_parameter("answers", "found none; accepted is one for each block");
    const Numbers answers = TRY(gap::number_answers(*input, blocks_));
    Accuracy out{to_double(choice_.accuracy(choice_.points(answers), beta), Rounding::kUp)};
    out.says = "at most {} answers from the middle one with probability {} or more (exact)";
    out.figures = {{"deck_bound", choice_.deck_accuracy(beta)}};
    return out;
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    Numbers answers = TRY(gap::number_answers(open(input), blocks_));
    const auto told =
        TRY(choice_.release(Exact<Numbers>::from_private(std::move(answers)), source));
    return Answer{told.value()};
  }

  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Numbers answers = TRY(gap::number_answers(input, blocks_));
    return gap::moved_to_the_ends(answers, choice_.parameters().low, choice_.parameters().high);
  }

 private:
  gap::RankChoice choice_;
  std::optional<std::int64_t> blocks_;
};

Result<MechanismPointer> make(const Parameters& p) {
  const Limits range = *p.range("range");
  gap::RankChoice choice =
      TRY(gap::RankChoice::create({.epsilon = *p.number("epsilon"),
                                   .low = range.low,
                                   .high = range.high,
                                   .steps = p.whole("steps").value_or(gap::kUsualSteps)}));
  return std::make_unique<SampleMedian>(std::move(choice), p);
}

// Six answers on either side of a wide gap, whose points all lose a rank at once.
Value gap_in_the_middle() {
  Numbers out(6, 0);
  out.emplace_back(60);
  out.resize(12, 61);
  return out;
}

}  // namespace

Entry sample_aggregate_median_entry() {
  return {.name = "sample-aggregate-median",
          .title = "Subsample and aggregate: the median of what blocks of units answer",
          .deck = "004",
          .input = {"answers", Kind::kNumbers, "what the blocks answered, separated by commas"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), required(gap::kAnswerRange), gap::kAnswerSteps,
                         gap::kAnswerBlocks},
          .example = "--answers 12,15,11,14,90,13 --range 0,100 --epsilon 1",
          .trials = {{{{"epsilon", 1}, {"range", Limits{0, 61}}, {"steps", 61}},
                      {gap_in_the_middle(), Numbers{3, 5, 200}, Numbers(9, 30)}},
                     {{{"epsilon", 1}, {"range", Limits{-1, 2}}, {"steps", 3}},
                      {Numbers{-1, 0, 0, 0, 0, 1, 1, 2}}}},
          .accuracy_of_input = true,
          .accuracy_is_private = true,
          .aggregate = "median",
          .maker = make};
}

}  // namespace discreet::mechanism
