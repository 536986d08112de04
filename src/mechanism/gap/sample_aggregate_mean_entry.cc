#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/number_answers.h"
#include "discreet/mechanism/gap/winsorised_mean.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

class SampleMean final : public Mechanism, private Door {
 public:
  SampleMean(gap::WinsorisedMeanParameters parameters, std::optional<std::int64_t> blocks,
             privacy::Event event)
      : p_(std::move(parameters)), blocks_(blocks), event_(std::move(event)) {}

  // Of units that come or go, if each is in one block.
  privacy::Guarantee guarantee() const override { return {p_.epsilon, 0}; }
  privacy::Event event() const override { return event_; }
  Figures figures() const override { return gap::blocks_figure(blocks_); }

  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const Numbers answers = TRY(gap::number_answers(input, blocks_));
    const gap::WinsorisedMean mean = TRY(made_for(answers.size()));
    if (static_cast<double>(p_.steps) * static_cast<double>(answers.size()) * 100 > 1e7)
      return bad_parameter("steps",
                           "found too many for the distribution to be listed; accepted is "
                           "a number of steps that times the blocks is at most 100000");
    const std::vector<Ball> chances = TRY(mean.pmf(answers, kBits));
    Pmf out;
    double rest = 1;
    for (std::size_t i = 0; i < chances.size(); ++i) {
      const Rational at = mean.at(static_cast<std::int64_t>(i));
      if ((window.from && at < *window.from) || (window.to && at > *window.to)) continue;
      rest -= chances[i].middle();
      out.rows.push_back({at, chances[i]});
    }
    if (out.rows.size() < chances.size()) out.tail = Ball(*exactly(std::max(0.0, rest)), kBits);
    return out;
  }

  // Of the clamped answers' mean, however wide the range is that is chosen.
  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    std::size_t count = static_cast<std::size_t>(blocks_.value_or(0));
    if (input) count = TRY(gap::number_answers(*input, blocks_)).size();
    const gap::WinsorisedMean mean = TRY(made_for(count));
    return Accuracy{to_double(TRY(mean.accuracy(beta)), Rounding::kUp)};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    Numbers answers = TRY(gap::number_answers(open(input), blocks_));
    const gap::WinsorisedMean mean = TRY(made_for(answers.size()));
    const auto told = TRY(mean.release(Exact<Numbers>::from_private(std::move(answers)), source));
    const Rational error = told.margin()->error;
    return Answer{told.value(), {{Rational(told.value() - error), Rational(told.value() + error)}}};
  }

  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Numbers answers = TRY(gap::number_answers(input, blocks_));
    return gap::moved_to_the_ends(answers, p_.low, p_.high);
  }

 private:
  // How many answers there are is public.
  Result<gap::WinsorisedMean> made_for(std::size_t count) const {
    if (count == 0) return bad_parameter("answers", "found none; accepted is one for each block");
    gap::WinsorisedMeanParameters p = p_;
    p.count = static_cast<std::int64_t>(count);
    return gap::WinsorisedMean::create(p);
  }

  gap::WinsorisedMeanParameters p_;
  std::optional<std::int64_t> blocks_;
  privacy::Event event_;
};

Result<MechanismPointer> make(const Parameters& p) {
  const Limits range = *p.range("range");
  const gap::WinsorisedMeanParameters parameters{
      .epsilon = *p.number("epsilon"),
      .low = range.low,
      .high = range.high,
      .count = p.whole("blocks").value_or(1),
      .steps = p.whole("steps").value_or(gap::kUsualSteps)};
  const gap::WinsorisedMean any = TRY(gap::WinsorisedMean::create(parameters));
  return std::make_unique<SampleMean>(parameters, p.whole("blocks"), any.event());
}

}  // namespace

Entry sample_aggregate_mean_entry() {
  return {.name = "sample-aggregate-mean",
          .title = "Subsample and aggregate: the mean of what blocks of units answer, winsorised",
          .deck = "004",
          .input = {"answers", Kind::kNumbers, "what the blocks answered, separated by commas"},
          .output = Kind::kNumber,
          .parameters = {required(kEpsilon), required(gap::kAnswerRange), gap::kAnswerSteps,
                         gap::kAnswerBlocks},
          .example = "--answers 12,15,11,14,90,13 --range 0,100 --epsilon 1",
          .trials = {{{{"epsilon", 1}, {"range", Limits{0, 4}}, {"steps", 4}},
                      {Numbers{0, 0, 1, 1, 4}, Numbers{2, 2, 2, 2}, Numbers{0, 4, 4}}},
                     {{{"epsilon", 1}, {"range", Limits{0, 12}}, {"steps", 12}},
                      {Numbers{0, 0, 0, 6, 12, 12, 12, 12}}}},
          .accuracy_of_input = true,
          .aggregate = "mean",
          // Two quartiles and a sum are never at their worst together.
          .twin = 2,
          .maker = make};
}

}  // namespace discreet::mechanism
