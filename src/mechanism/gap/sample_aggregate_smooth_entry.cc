#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/number_answers.h"
#include "discreet/mechanism/gap/smooth_quantile.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

// The points of a grid, 0 … steps, in place of numbers.
class SampleSmoothMedian final : public Mechanism, private Door {
 public:
  SampleSmoothMedian(gap::SmoothQuantile quantile, gap::RankChoice grid, const Parameters& p)
      : quantile_(std::move(quantile)), grid_(std::move(grid)), blocks_(p.whole("blocks")) {}

  // Of units that come or go, if each is in one block.
  privacy::Guarantee guarantee() const override {
    return {quantile_.guarantee().epsilon, quantile_.guarantee().delta};
  }
  Figures figures() const override { return gap::blocks_figure(blocks_); }

  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const gap::Ordered answers = ordered(TRY(gap::number_answers(input, blocks_)));
    const random::ScaledNoise noise = quantile_.distribution(answers);
    const std::int64_t last = grid_.parameters().steps;
    Pmf out;
    for (std::int64_t z = 0; z <= last && out.rows.size() < kMostRows; ++z) {
      const Rational at = grid_.at(z);
      if ((window.from && at < *window.from) || (window.to && at > *window.to)) continue;
      out.rows.push_back({at, noise.probability(z, {0, last}, kBits)});
    }
    double listed = 0;
    for (const Mass& row : out.rows) listed += row.probability.middle();
    if (out.rows.size() < static_cast<std::size_t>(last) + 1)
      out.tail = Ball(*exactly(std::max(0.0, 1 - listed)), kBits);
    return out;
  }

  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    if (!input) return bad_parameter("answers", "found none; accepted is one for each block");
    const gap::Ordered answers = ordered(TRY(gap::number_answers(*input, blocks_)));
    const Rational step = grid_.at(1) - grid_.at(0);
    const Rational points(Integer(static_cast<long>(quantile_.error(answers, beta))));
    return Accuracy{to_double(points * step, Rounding::kUp)};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const Numbers answers = TRY(gap::number_answers(open(input), blocks_));
    const auto told =
        TRY(quantile_.release(Exact<gap::Ordered>::from_private(ordered(answers)), source));
    return Answer{grid_.at(told.value())};
  }

  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Numbers answers = TRY(gap::number_answers(input, blocks_));
    return gap::moved_to_the_ends(answers, grid_.parameters().low, grid_.parameters().high);
  }

 private:
  gap::Ordered ordered(const Numbers& answers) const {
    return gap::Ordered::of(grid_.points(answers), quantile_.parameters().range);
  }

  gap::SmoothQuantile quantile_;
  gap::RankChoice grid_;  // for its grid alone
  std::optional<std::int64_t> blocks_;
};

Result<MechanismPointer> make(const Parameters& p) {
  const Limits range = *p.range("range");
  const std::int64_t steps = p.whole("steps").value_or(gap::kUsualSteps);
  gap::RankChoice grid = TRY(gap::RankChoice::create(
      {.epsilon = *p.number("epsilon"), .low = range.low, .high = range.high, .steps = steps}));
  gap::SmoothQuantile quantile = TRY(gap::SmoothQuantile::create(
      {.noise = {.epsilon = *p.number("epsilon"), .delta = p.number("delta").value_or(0)},
       .range = TRY(gap::Range::create(0, steps)),
       // A unit that comes or goes replaces one answer.
       .unit = {.relation = privacy::Relation::kSubstitute}}));
  return std::make_unique<SampleSmoothMedian>(std::move(quantile), std::move(grid), p);
}

std::vector<Value> inputs() {
  return {Numbers{0, 0, 4, 4, 4}, Numbers{0, 1, 2, 3, 4}, Numbers{2, 2, 2, 2, 2, 2, 2},
          Numbers{0, 0, 0, 0, 4, 4, 4}};
}

}  // namespace

Entry sample_aggregate_smooth_entry() {
  return {
      .name = "sample-aggregate-smooth",
      .title = "Subsample and aggregate: the median of the answers, by its smooth sensitivity",
      .deck = "004",
      .input = {"answers", Kind::kNumbers, "what the blocks answered, separated by commas"},
      .output = Kind::kNumber,
      .parameters = {required(kEpsilon), required(gap::kAnswerRange),
                     otherwise(kDelta, "none: pure, by Cauchy noise"), gap::kAnswerSteps,
                     gap::kAnswerBlocks},
      .example = "--answers 12,15,11,14,90,13 --range 0,100 --epsilon 1 --delta 1e-6",
      .trials =
          {{{{"epsilon", 1}, {"delta", Rational(1, 1000)}, {"range", Limits{0, 4}}, {"steps", 4}},
            inputs()},
           {{{"epsilon", 1}, {"range", Limits{0, 4}}, {"steps", 8}}, inputs()}},
      .accuracy_of_input = true,
      .accuracy_is_private = true,
      .aggregate = "smooth-median",
      // Half of ε is for the noise's scale, which hardly changes where the answer does.
      .twin = Rational(5, 2),
      .maker = make};
}

}  // namespace discreet::mechanism
