#include "discreet/mechanism/selection_mechanism.h"

#include <algorithm>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/mechanism/named.h"
#include "discreet/mechanism/scores.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

// How many candidates are tried, each by itself, for being moved against all others.
constexpr std::size_t kMostMoved = 8;

SelectionParameters parameters_for(const Parameters& p, std::size_t candidates,
                                   const Rational& sensitivity) {
  return {.epsilon = *p.number("epsilon"),
          .sensitivity = sensitivity,
          .candidates = Candidates::numbered(candidates),
          .monotone = p.flag("monotone"),
          .relation = p.relation()};
}

class SelectionMechanism final : public Mechanism, private Door {
 public:
  SelectionMechanism(Chooser chooser, const Parameters& p)
      : chooser_(std::move(chooser)), p_(p), labels_(p.labels("labels")) {}

  privacy::Guarantee guarantee() const override {
    return {*p_.number("epsilon"), 0, p_.relation()};
  }
  privacy::Event event() const override { return chooser_.event(*p_.number("epsilon")); }

  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const Scores scores = TRY(scores_of(input));
    const std::vector<Ball> chances = TRY(chances_of(scores));
    // The likeliest, if there are too many to list.
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > kMostRows) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return chances[a].middle() > chances[b].middle();
      });
    }
    Pmf out;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k < kMostRows) {
        out.rows.push_back({label_at(labels_, order[k]), chances[order[k]]});
      } else {
        out.tail = add(out.tail, chances[order[k]], kBits);
      }
    }
    out.figures = best_figures(scores, chances);
    return out;
  }

  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    const Scores scores = TRY(scores_of(input.value_or(Numbers{})));
    const std::vector<Ball> chances = TRY(chances_of(scores));
    const Rational bound = selection_accuracy(scores.points, chances, beta) * scores.step;
    Accuracy out{to_double(bound, Rounding::kUp)};
    if (chooser_.deck_theorem) {
      const auto best =
          std::count(scores.points.begin(), scores.points.end(), best_score(scores.points));
      const double deck =
          deck_selection_bound(selection(scores), static_cast<std::size_t>(best), beta);
      out.figures.emplace_back("deck_bound", deck * to_double(scores.step, Rounding::kUp));
    }
    for (auto& figure : best_figures(scores, chances)) out.figures.push_back(std::move(figure));
    return out;
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const Scores scores = TRY(scores_of(open(input)));
    const auto exact = Exact<std::vector<std::int64_t>>::from_private(scores.points);
    const std::size_t chosen = TRY(chooser_.choose(selection(scores), exact, source));
    return Answer{label_at(labels_, chosen)};
  }

  // One candidate moves one way and all others the other way; monotone scores move one way only, so
  // there either one moves or all the others do. First the best, which loses.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Numbers scores = TRY(value_as<Numbers>("scores", input));
    const Rational step = *p_.number("sensitivity"), still = 0;
    std::vector<Value> out;
    const auto add = [&](std::size_t moved, const Rational& its, const Rational& others) {
      Numbers other = scores;
      for (std::size_t i = 0; i < other.size(); ++i) other[i] += i == moved ? its : others;
      out.emplace_back(std::move(other));
    };
    for (const std::size_t i : moved_alone(scores)) {
      if (p_.flag("monotone")) {
        add(i, -step, still), add(i, step, still);
        if (scores.size() > 1) add(i, still, step), add(i, still, -step);
      } else {
        add(i, -step, step), add(i, step, -step);
      }
    }
    return out;
  }

 private:
  // All candidates, the best of them first; of many, the best and the worst.
  static std::vector<std::size_t> moved_alone(const Numbers& scores) {
    if (scores.empty()) return {};
    const auto [worst, best] = std::minmax_element(scores.begin(), scores.end());
    const auto first =
        static_cast<std::size_t>(std::find(scores.begin(), scores.end(), *best) - scores.begin());
    std::vector<std::size_t> out{first};
    if (scores.size() > kMostMoved) {
      out.push_back(static_cast<std::size_t>(worst - scores.begin()));
      return out;
    }
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (i != first) out.push_back(i);
    return out;
  }

  SelectionParameters selection(const Scores& scores) const {
    return parameters_for(p_, scores.points.size(), scores.sensitivity);
  }

  Result<Scores> scores_of(const Value& input) const {
    const Numbers scores = TRY(value_as<Numbers>("scores", input));
    if (scores.empty()) return bad_parameter("scores", "found none; accepted is one or more");
    TRY(check_names(labels_, scores.size(), "scores"));
    const Rational sensitivity = *p_.number("sensitivity");
    if (const auto step = p_.number("grid")) {
      const Grid grid = TRY(Grid::create(*step));
      return scores_on_grid(grid, scores, sensitivity);
    }
    if (chooser_.as_written) return scores_as_written(scores, sensitivity);
    return scores_on_grid(Grid::suited_to(sensitivity, sensitivity / *p_.number("epsilon")), scores,
                          sensitivity);
  }

  Result<std::vector<Ball>> chances_of(const Scores& scores) const {
    return chooser_.chances(selection(scores), scores.points, kBits);
  }

  Figures best_figures(const Scores& scores, const std::vector<Ball>& chances) const {
    const std::int64_t best = best_score(scores.points);
    double chance = 0;
    for (std::size_t i = 0; i < chances.size(); ++i)
      if (clamped_score(scores.points[i]) == best) chance += chances[i].middle();
    Figures out{{"probability_of_best", chance}};
    if (chooser_.deck_theorem)
      out.emplace_back("deck_probability_of_best",
                       deck_selection_chance(selection(scores), scores.points));
    return out;
  }

  Chooser chooser_;
  Parameters p_;
  std::vector<std::string> labels_;
};

}  // namespace

Result<MechanismPointer> selection_mechanism(Chooser chooser, const Parameters& p) {
  TRY(check_selection(parameters_for(p, 1, *p.number("sensitivity"))));
  return std::make_unique<SelectionMechanism>(std::move(chooser), p);
}

InputDescription scores_input() {
  return {"scores", Kind::kNumbers, "the exact scores, separated by commas"};
}

std::vector<Parameter> selection_parameters() {
  return {required(kEpsilon), required(kSensitivity), kLabels, kMonotone, kGrid, kRelation};
}

std::vector<Trial> selection_trials() {
  return {
      {{{"epsilon", 1}, {"sensitivity", 1}}, {Numbers{5, 3, 0}, Numbers{0, 12}, Numbers{2, 2, 2}}},
      {{{"epsilon", 1}, {"sensitivity", 2}, {"monotone", true}, {"grid", Rational(1, 2)}},
       {Numbers{Rational(9, 2), 3, 0}, Numbers{30, 0}}},
      {{{"epsilon", 1},
        {"sensitivity", Rational(1, 2)},
        {"grid", Rational(1, 2)},
        {"labels", std::vector<std::string>{"a", "b", "a"}},
        {"relation", privacy::Relation::kSubstitute}},
       {Numbers{3, 1, 1}}}};
}

}  // namespace discreet::mechanism
