#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/sparse_vector.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

constexpr Parameter kThreshold{.name = "threshold",
                               .kind = ParameterKind::kNumber,
                               .help = "the public threshold",
                               .rounding = Rounding::kUp,
                               .example = "100"};
constexpr Parameter kThresholdShare{.name = "threshold-share",
                                    .kind = ParameterKind::kProbability,
                                    .help = "the part of ε that the threshold's noise takes",
                                    .fallback = "the one that makes comparisons least noisy",
                                    .example = "1/3"};
constexpr Parameter kPositives{.name = "positives",
                               .kind = ParameterKind::kWhole,
                               .help = "after so many answers above the threshold it stops",
                               .most = std::int64_t{1} << 40};
constexpr Parameter kQuestions{.name = "questions",
                               .kind = ParameterKind::kWhole,
                               .help = "how many answers there are, for their accuracy",
                               .most = std::int64_t{1} << 40,
                               .example = "100"};
constexpr Parameter kGap{.name = "gap",
                         .kind = ParameterKind::kFlag,
                         .help = "also tell by how much a positive was above, at no cost"};

class SparseVectorMechanism final : public Mechanism, private Door {
 public:
  SparseVectorMechanism(SparseVector mechanism, std::optional<std::int64_t> questions)
      : mechanism_(std::move(mechanism)), questions_(questions) {}

  privacy::Guarantee guarantee() const override { return mechanism_.guarantee(); }
  privacy::Event event() const override { return mechanism_.event(); }

  // Of the sides; with gaps too, whatever these are.
  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const std::vector<std::int64_t> answers = TRY(points(input));
    auto outcomes = TRY(mechanism_.pmf(answers, kBits));
    Pmf out;
    for (SparseOutcome& outcome : outcomes)
      out.rows.push_back({std::move(outcome.above), outcome.probability});
    return out;
  }

  // Of all answers at once. How many there are is said, not looked up among what is private.
  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    if (!questions_)
      return bad_parameter("questions",
                           "accuracy holds for all answers at once, so their number is needed",
                           advise("questions", "100"));
    const Rational bound = TRY(mechanism_.accuracy(static_cast<std::uint64_t>(*questions_), beta));
    return Accuracy{to_double(bound, Rounding::kUp)};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    std::vector<std::int64_t> answers = TRY(points(open(input)));
    auto released = TRY(mechanism_.release(
        Exact<std::vector<std::int64_t>>::from_private(std::move(answers)), source));
    if (mechanism_.parameters().gap) return Answer{gaps(released.value())};
    Flags above;
    for (const SparseAnswer& answer : released.value()) above.push_back(answer.above);
    return Answer{std::move(above)};
  }

  // All answers move one way; and the largest, or the smallest, moves against the others (by
  // itself, if they are monotone).
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Numbers answers = TRY(value_as<Numbers>("answers", input));
    const Rational step = mechanism_.parameters().sensitivity;
    const Rational against = mechanism_.parameters().monotone ? Rational(0) : Rational(-step);
    const auto moved = [&](const Numbers::const_iterator& alone, const Rational& its,
                           const Rational& others) {
      Numbers out = answers;
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += answers.begin() + static_cast<std::ptrdiff_t>(i) == alone ? its : others;
      return Value(std::move(out));
    };
    std::vector<Value> out{moved(answers.end(), 0, step), moved(answers.end(), 0, -step)};
    const auto [smallest, largest] = std::minmax_element(answers.begin(), answers.end());
    for (const auto& alone : {largest, smallest}) {
      out.push_back(moved(alone, step, against));
      out.push_back(moved(alone, -step, -against));
    }
    return out;
  }

 private:
  Result<std::vector<std::int64_t>> points(const Value& input) const {
    const Numbers answers = TRY(value_as<Numbers>("answers", input));
    if (answers.empty()) return bad_parameter("answers", "there are none; give one or more");
    std::vector<std::int64_t> out;
    for (const Rational& answer : answers) out.push_back(mechanism_.grid().round(answer));
    return out;
  }

  Gaps gaps(const SparseAnswers& answers) const {
    Gaps out;
    for (const SparseAnswer& answer : answers) {
      out.emplace_back();
      if (answer.above) out.back() = mechanism_.grid().at(answer.gap.value_or(0));
    }
    return out;
  }

  SparseVector mechanism_;
  std::optional<std::int64_t> questions_;
};

Result<MechanismPointer> make(const Parameters& p) {
  SparseVector mechanism =
      TRY(SparseVector::create({.epsilon = *p.number("epsilon"),
                                .sensitivity = p.number("sensitivity").value_or(1),
                                .threshold = *p.number("threshold"),
                                .positives = static_cast<std::uint64_t>(*p.whole("positives")),
                                .monotone = p.flag("monotone"),
                                .gap = p.flag("gap"),
                                .grid = p.number("grid"),
                                .threshold_share = p.number("threshold-share"),
                                .relation = p.relation()}));
  return std::make_unique<SparseVectorMechanism>(std::move(mechanism), p.whole("questions"));
}

}  // namespace

Entry sparse_vector_entry() {
  return {.name = "sparse-vector",
          .title = "Sparse vector: which answers are above a threshold, paying for those that are",
          .deck = "000",
          .input = {.name = "answers",
                    .kind = Kind::kNumbers,
                    .help = "a file with one exact answer a line (- is standard input)",
                    .in_file = true},
          .output = Kind::kFlags,
          .parameters = {required(kEpsilon), required(kThreshold), required(kPositives),
                         otherwise(kSensitivity, "1"), kMonotone, kGap, kThresholdShare, kGrid,
                         kRelation, kQuestions},
          .example = "--answers answers.txt --threshold 100 --positives 2 --epsilon 1",
          .trials = {{{{"epsilon", 1}, {"threshold", 3}, {"positives", 1}, {"questions", 7}},
                      {Numbers{5, 3, 0}, Numbers{60, 60, 60, 60, 60, 60, -60}}},
                     {{{"epsilon", 1},
                       {"threshold", 3},
                       {"positives", 2},
                       {"monotone", true},
                       {"questions", 3}},
                      {Numbers{5, 3, 0}}}},
          .maker = make};
}

}  // namespace discreet::mechanism
