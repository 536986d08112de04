// Exponential, permute-and-flip, noisy max, sparse vector and randomized response, as AnyMechanism.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/mechanism/any_mechanism.h"
#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/grid.h"
#include "discreet/mechanism/noisy_max.h"
#include "discreet/mechanism/permute_and_flip.h"
#include "discreet/mechanism/randomized_response.h"
#include "discreet/mechanism/sparse_vector.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

double middle(const Ball& ball) { return ball.middle(); }
privacy::Relation relation_of(const Parameters& p) {
  return p.relation.value_or(privacy::Relation::kAddRemove);
}

// Scores as integers, and the sensitivity in the same unit.
struct Scores {
  std::vector<std::int64_t> points;
  Rational sensitivity;  // in steps
  Rational step;
};

Scores on_grid(const Grid& grid, const std::vector<Rational>& numbers,
               const Rational& sensitivity) {
  Scores out{{}, Rational(grid.sensitivity(sensitivity)), grid.step()};
  for (const Rational& number : numbers) out.points.push_back(grid.round(number));
  return out;
}

// As finely as they were written: nothing is rounded, so that the probabilities are those of the
// textbook formula.
Result<Scores> as_written(const std::vector<Rational>& numbers, const Rational& sensitivity) {
  Integer denominator = 1;
  for (const Rational& number : numbers) denominator = lcm(denominator, number.get_den());
  Scores out{{}, sensitivity * denominator, Rational(1, denominator)};
  for (const Rational& number : numbers) {
    const Integer point = number.get_num() * (denominator / number.get_den());
    if (abs(point) > Integer(static_cast<long>(kLargestScore))) {
      return fail(Code::kUsage, "scores: written too finely, or too large, to be taken exactly",
                  "round them with --grid, such as --grid 0.001");
    }
    out.points.push_back(point.get_si());
  }
  return out;
}

enum class Kind { kExponential, kPermuteAndFlip, kNoisyMax };

class AnySelection final : public AnyMechanism, private Door {
 public:
  AnySelection(Kind kind, const Parameters& p) : kind_(kind), p_(p) {}

  privacy::Guarantee guarantee() const override { return {*p_.epsilon, 0, relation_of(p_)}; }

  Result<Pmf> pmf(const Input& input, const Window&) const override {
    auto scores = TRY(scores_of(input));
    auto chances = TRY(chances_of(scores));
    // The likeliest, if there are too many to list.
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > kMostRows) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return middle(chances[a]) > middle(chances[b]);
      });
    }
    Pmf out{{}, Ball(0), {}};
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k < kMostRows) {
        out.rows.push_back({output(order[k]), chances[order[k]], {}});
      } else {
        out.tail = add(out.tail, chances[order[k]], kBits);
      }
    }
    out.figures = best_figures(scores, chances);
    return out;
  }

  Result<Accuracy> accuracy(const Input& input, const Rational& beta) const override {
    auto scores = TRY(scores_of(input));
    auto chances = TRY(chances_of(scores));
    const Rational bound = selection_accuracy(scores.points, chances, beta) * scores.step;
    Accuracy out{to_double(bound, Rounding::kUp), {}};
    if (kind_ != Kind::kNoisyMax) {
      const auto best =
          std::count(scores.points.begin(), scores.points.end(), best_score(scores.points));
      const double deck =
          deck_selection_bound(selection(scores), static_cast<std::size_t>(best), beta);
      out.figures.emplace_back("deck_bound", deck * to_double(scores.step, Rounding::kUp));
    }
    for (auto& figure : best_figures(scores, chances)) out.figures.push_back(std::move(figure));
    return out;
  }

  Result<Answer> release(const Exact<Input>& input, random::Source& source) const override {
    auto scores = TRY(scores_of(open(input)));
    const auto exact = Exact<std::vector<std::int64_t>>::from_private(scores.points);
    const auto choose = [&](auto mechanism) -> Result<Answer> {
      if (!mechanism) return forward_error(mechanism);
      auto chosen = TRY(mechanism->release(exact, source));
      return Answer{output(chosen.value()), {}, {}};
    };
    switch (kind_) {
      case Kind::kExponential:
        return choose(Exponential::create(selection(scores)));
      case Kind::kPermuteAndFlip:
        return choose(PermuteAndFlip::create(selection(scores)));
      case Kind::kNoisyMax:
        return choose(NoisyMax::create(selection(scores)));
    }
    return fail(Code::kFailure, "unknown kind of selection");
  }

  // The best loses and all others gain; monotone scores move one way only.
  Input neighbour(const Input& input) const override {
    Input out = input;
    const auto best = std::max_element(out.numbers.begin(), out.numbers.end());
    if (!p_.monotone) {
      for (auto number = out.numbers.begin(); number != out.numbers.end(); ++number)
        if (number != best) *number += *p_.sensitivity;
    }
    if (best != out.numbers.end()) *best -= *p_.sensitivity;
    return out;
  }

 private:
  std::string output(std::size_t index) const {
    return index < p_.labels.size() ? json_string(p_.labels[index]) : std::to_string(index);
  }
  SelectionParameters selection(const Scores& scores) const {
    return {.epsilon = *p_.epsilon,
            .sensitivity = scores.sensitivity,
            .candidates = Candidates::numbered(scores.points.size()),
            .monotone = p_.monotone,
            .relation = relation_of(p_)};
  }
  Result<Scores> scores_of(const Input& input) const {
    if (input.numbers.empty())
      return fail(Code::kUsage, "scores: found none; accepted is one or more");
    if (p_.grid) {
      auto grid = TRY(Grid::create(*p_.grid));
      return on_grid(grid, input.numbers, *p_.sensitivity);
    }
    if (kind_ != Kind::kNoisyMax) return as_written(input.numbers, *p_.sensitivity);
    return on_grid(Grid::suited_to(*p_.sensitivity, *p_.sensitivity / *p_.epsilon), input.numbers,
                   *p_.sensitivity);
  }
  Result<std::vector<Ball>> chances_of(const Scores& scores) const {
    const SelectionParameters p = selection(scores);
    if (kind_ == Kind::kNoisyMax) {
      auto mechanism = TRY(NoisyMax::create(p));
      return mechanism.pmf(scores.points, kBits);
    }
    if (kind_ == Kind::kPermuteAndFlip) {
      auto mechanism = TRY(PermuteAndFlip::create(p));
      return mechanism.pmf(scores.points, kBits);
    }
    auto mechanism = TRY(Exponential::create(p));
    return mechanism.pmf(scores.points, kBits);
  }
  std::vector<std::pair<std::string, double>> best_figures(const Scores& scores,
                                                           const std::vector<Ball>& chances) const {
    const std::int64_t best = best_score(scores.points);
    double chance = 0;
    for (std::size_t i = 0; i < chances.size(); ++i)
      if (clamped_score(scores.points[i]) == best) chance += middle(chances[i]);
    std::vector<std::pair<std::string, double>> out{{"probability_of_best", chance}};
    if (kind_ != Kind::kNoisyMax)
      out.emplace_back("deck_probability_of_best",
                       deck_selection_chance(selection(scores), scores.points));
    return out;
  }

  Kind kind_;
  Parameters p_;
};

Result<AnyMechanismPointer> make_selection(Kind kind, const Parameters& p) {
  const SelectionParameters check{.epsilon = p.epsilon.value_or(0),
                                  .sensitivity = p.sensitivity.value_or(0),
                                  .candidates = Candidates::numbered(1),
                                  .monotone = p.monotone,
                                  .relation = relation_of(p)};
  TRY(check_selection(check));
  return std::make_unique<AnySelection>(kind, p);
}

class AnySparseVector final : public AnyMechanism, private Door {
 public:
  AnySparseVector(SparseVector mechanism) : mechanism_(std::move(mechanism)) {}

  privacy::Guarantee guarantee() const override { return mechanism_.guarantee(); }

  Result<Pmf> pmf(const Input& input, const Window&) const override {
    auto outcomes = TRY(mechanism_.pmf(points(input), kBits));
    Pmf out{{}, Ball(0), {}};
    for (const SparseOutcome& outcome : outcomes) {
      SparseAnswers answers;
      for (const bool above : outcome.above) answers.push_back({above, std::nullopt});
      out.rows.push_back({text(answers, false), outcome.probability, {}});
    }
    return out;
  }
  Result<Accuracy> accuracy(const Input& input, const Rational& beta) const override {
    if (input.numbers.empty())
      return fail(Code::kUsage, "answers: found none; accepted is one or more");
    auto bound = TRY(mechanism_.accuracy(input.numbers.size(), beta));
    return Accuracy{to_double(bound, Rounding::kUp), {}};
  }
  Result<Answer> release(const Exact<Input>& input, random::Source& source) const override {
    auto answers = TRY(mechanism_.release(
        Exact<std::vector<std::int64_t>>::from_private(points(open(input))), source));
    return Answer{text(answers.value(), mechanism_.parameters().gap), {}, {}};
  }
  Input neighbour(const Input& input) const override {
    Input out = input;
    for (Rational& number : out.numbers) number += mechanism_.parameters().sensitivity;
    return out;
  }

 private:
  std::vector<std::int64_t> points(const Input& input) const {
    std::vector<std::int64_t> out;
    for (const Rational& number : input.numbers) out.push_back(mechanism_.grid().round(number));
    return out;
  }
  // [false,true,…]; with gaps [null,12,…]
  std::string text(const SparseAnswers& answers, bool gaps) const {
    std::string out = "[";
    for (const SparseAnswer& answer : answers) {
      if (out.size() > 1) out += ",";
      if (gaps) {
        out += answer.above ? json_number(mechanism_.grid().at(answer.gap.value_or(0))) : "null";
      } else {
        out += answer.above ? "true" : "false";
      }
    }
    return out + "]";
  }

  SparseVector mechanism_;
};

class AnyRandomizedResponse final : public AnyMechanism, private Door {
 public:
  AnyRandomizedResponse(RandomizedResponse mechanism, std::vector<std::string> labels)
      : mechanism_(std::move(mechanism)), labels_(std::move(labels)) {}

  privacy::Guarantee guarantee() const override { return mechanism_.guarantee(); }

  Result<Pmf> pmf(const Input& input, const Window&) const override {
    auto value = TRY(index_of(input));
    Pmf out{{}, Ball(0), {}};
    for (std::size_t i = 0; i < labels_.size(); ++i)
      out.rows.push_back({json_string(labels_[i]), mechanism_.probability(value, i, kBits), {}});
    return out;
  }
  // The error is 0 (the truth) or 1 (a lie).
  Result<Accuracy> accuracy(const Input&, const Rational& beta) const override {
    const Ball lie = mechanism_.lie(kBits);
    return Accuracy{surely_at_most(lie, Ball(beta, kBits)) ? 0.0 : 1.0,
                    {{"probability_of_truth", 1 - middle(lie)}}};
  }
  Result<Answer> release(const Exact<Input>& input, random::Source& source) const override {
    auto value = TRY(index_of(open(input)));
    auto told = TRY(mechanism_.release(Exact<std::size_t>::from_private(value), source));
    return Answer{json_string(labels_[told.value()]), {}, {}};
  }
  Input neighbour(const Input& input) const override {
    auto value = index_of(input);
    return {.numbers = {}, .choice = labels_[(value.value_or(0) + 1) % labels_.size()]};
  }

 private:
  Result<std::size_t> index_of(const Input& input) const {
    const auto found = std::find(labels_.begin(), labels_.end(), input.choice);
    if (found != labels_.end()) return static_cast<std::size_t>(found - labels_.begin());
    return fail(Code::kUsage,
                fmt::format("value: found '{}', which is not among the values", input.choice),
                did_you_mean(input.choice, labels_));
  }

  RandomizedResponse mechanism_;
  std::vector<std::string> labels_;
};

}  // namespace

Result<AnyMechanismPointer> make_exponential(const Parameters& p) {
  return make_selection(Kind::kExponential, p);
}
Result<AnyMechanismPointer> make_permute_and_flip(const Parameters& p) {
  return make_selection(Kind::kPermuteAndFlip, p);
}
Result<AnyMechanismPointer> make_noisy_max(const Parameters& p) {
  return make_selection(Kind::kNoisyMax, p);
}

Result<AnyMechanismPointer> make_sparse_vector(const Parameters& p) {
  auto mechanism = TRY(SparseVector::create(
      {.epsilon = p.epsilon.value_or(0),
       .sensitivity = p.sensitivity.value_or(1),
       .threshold = p.threshold.value_or(0),
       .positives = static_cast<std::uint64_t>(std::max<std::int64_t>(p.positives.value_or(0), 0)),
       .monotone = p.monotone,
       .gap = p.gap,
       .grid = p.grid,
       .threshold_share = p.threshold_share,
       .relation = relation_of(p)}));
  return std::make_unique<AnySparseVector>(std::move(mechanism));
}

Result<AnyMechanismPointer> make_randomized_response(const Parameters& p) {
  if (p.relation == privacy::Relation::kAddRemove) {
    return fail(
        Code::kUsage,
        "relation: found add-remove; randomized response protects what a person says (substitute)",
        "that a person answers at all is seen");
  }
  std::vector<std::string> sorted = p.labels;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return fail(Code::kUsage,
                fmt::format("values: found '{}' twice; accepted are different values", *twice));
  auto mechanism = TRY(RandomizedResponse::create(
      {.epsilon = p.epsilon.value_or(0), .values = Candidates::named(p.labels)}));
  return std::make_unique<AnyRandomizedResponse>(std::move(mechanism), p.labels);
}

}  // namespace discreet::mechanism
