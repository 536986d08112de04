#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/named.h"
#include "discreet/mechanism/scores.h"
#include "discreet/mechanism/selection_mechanism.h"
#include "discreet/mechanism/top_k.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;
constexpr std::size_t kMostPatterns = 6;  // candidates that are moved in every way

constexpr Parameter kK{.name = "k",
                       .kind = ParameterKind::kWhole,
                       .help = "how many candidates to name",
                       .most = 100'000,
                       .example = "3"};

class TopKMechanism final : public Mechanism, private Door {
 public:
  explicit TopKMechanism(const Parameters& p) : p_(p), labels_(p.labels("labels")) {}

  privacy::Guarantee guarantee() const override { return {epsilon(), 0, p_.relation()}; }
  privacy::Event event() const override {
    return TopK::event_at(epsilon(), static_cast<std::size_t>(*p_.whole("k")));
  }

  Result<Pmf> pmf(const Value& input, const Window&) const override {
    const Scores scores = TRY(scores_of(input));
    const TopK top = TRY(made(scores));
    const TopK::Lists lists = TRY(top.pmf(scores.points, kBits));
    Pmf out;
    for (const auto& [list, chance] : lists) out.rows.push_back({named(list), chance});
    out.figures.emplace_back("probability_of_best", chance_of_best(scores, lists));
    return out;
  }

  // How far the worst of those named is below the k-th best. Exact where all lists can be listed,
  // else by the theorem.
  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    const Scores scores = TRY(scores_of(input.value_or(Numbers{})));
    const TopK top = TRY(made(scores));
    const double step = to_double(scores.step, Rounding::kUp);
    const double bound = top.bound(beta) * step;
    const auto lists = top.pmf(scores.points, kBits);
    if (!lists) return Accuracy{bound, {{"deck_bound", bound}}};
    // Losses as negative scores of lists.
    std::vector<std::int64_t> worst;
    std::vector<Ball> chances;
    for (const auto& [list, chance] : *lists) {
      worst.push_back(least_of(scores, list));
      chances.push_back(chance);
    }
    const Rational exact = selection_accuracy(worst, chances, beta) * scores.step;
    return Accuracy{
        to_double(exact, Rounding::kUp),
        {{"deck_bound", bound}, {"probability_of_best", chance_of_best(scores, *lists)}}};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    const Scores scores = TRY(scores_of(open(input)));
    const TopK top = TRY(made(scores));
    const auto chosen =
        TRY(top.release(Exact<std::vector<std::int64_t>>::from_private(scores.points), source));
    return Answer{named(chosen.value())};
  }

  // Every way in which few candidates can rise and fall; of many, the lower half rises. Monotone
  // scores rise or stay.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Numbers scores = TRY(value_as<Numbers>("scores", input));
    const Rational step = *p_.number("sensitivity");
    const Rational others = p_.flag("monotone") ? Rational(0) : Rational(-step);
    std::vector<Value> out;
    const auto add = [&](const auto& rises) {
      Numbers up = scores, down = scores;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const Rational& change = rises(i) ? step : others;
        up[i] += change, down[i] -= change;
      }
      out.emplace_back(std::move(up)), out.emplace_back(std::move(down));
    };
    if (scores.size() > kMostPatterns) {
      Numbers sorted = scores;
      std::sort(sorted.begin(), sorted.end());
      const Rational middle = sorted[sorted.size() / 2];
      add([&](std::size_t i) { return scores[i] < middle; });
      return out;
    }
    for (std::size_t pattern = 1; pattern + 1 < std::size_t{1} << scores.size(); ++pattern)
      add([&](std::size_t i) { return (pattern >> i & 1) != 0; });
    return out;
  }

 private:
  Rational epsilon() const { return *p_.number("epsilon"); }
  Result<TopK> made(const Scores& scores) const {
    return TopK::create({.epsilon = epsilon(),
                         .sensitivity = scores.sensitivity,
                         .candidates = Candidates::numbered(scores.points.size()),
                         .monotone = p_.flag("monotone"),
                         .relation = p_.relation()},
                        *p_.whole("k"));
  }
  Result<Scores> scores_of(const Value& input) const {
    const Numbers scores = TRY(value_as<Numbers>("scores", input));
    if (scores.empty()) return bad_parameter("scores", "found none; accepted is one or more");
    TRY(check_names(labels_, scores.size(), "scores"));
    const Rational sensitivity = *p_.number("sensitivity");
    const auto step = p_.number("grid");
    if (!step) return scores_as_written(scores, sensitivity);
    const Grid grid = TRY(Grid::create(*step));
    return scores_on_grid(grid, scores, sensitivity);
  }
  Labels named(const std::vector<std::size_t>& list) const {
    Labels out;
    for (const std::size_t i : list) out.push_back(label_at(labels_, i));
    return out;
  }
  static std::int64_t least_of(const Scores& scores, const std::vector<std::size_t>& list) {
    std::int64_t out = kLargestScore;
    for (const std::size_t i : list) out = std::min(out, clamped_score(scores.points[i]));
    return out;
  }
  // Of the k best, in any order; of equals, any.
  static double chance_of_best(const Scores& scores, const TopK::Lists& lists) {
    std::int64_t best = -kLargestScore;
    for (const auto& [list, chance] : lists) best = std::max(best, least_of(scores, list));
    double out = 0;
    for (const auto& [list, chance] : lists)
      if (least_of(scores, list) == best) out += chance.middle();
    return out;
  }

  Parameters p_;
  std::vector<std::string> labels_;
};

Result<MechanismPointer> make(const Parameters& p) {
  TRY(check_selection({.epsilon = *p.number("epsilon"),
                       .sensitivity = *p.number("sensitivity"),
                       .candidates = Candidates::numbered(1)}));
  return std::make_unique<TopKMechanism>(p);
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> out = selection_parameters();
  out.insert(out.begin() + 1, required(kK));
  return out;
}

}  // namespace

Entry top_k_entry() {
  return {.name = "top-k",
          .title = "The k best by score, in order: permute and flip, k times",
          .deck = "000",
          .input = scores_input(),
          .output = Kind::kLabels,
          .parameters = parameters(),
          .example = "--scores 120,40,3,118 --k 2 --sensitivity 1 --monotone --epsilon 1",
          .trials = {{{{"epsilon", 1}, {"k", 2}, {"sensitivity", 1}},
                      {Numbers{5, 3, 0}, Numbers{0, 0, 4, 4}, Numbers{0, 0, 20, 20}}},
                     {{{"epsilon", 1}, {"k", 2}, {"sensitivity", 1}, {"monotone", true}},
                      {Numbers{0, 1, 2, 12}, Numbers{7, 7, 7, 7}}},
                     {{{"epsilon", 1},
                       {"k", 1},
                       {"sensitivity", Rational(1, 2)},
                       {"grid", Rational(1, 2)},
                       {"labels", std::vector<std::string>{"a", "b"}},
                       {"relation", privacy::Relation::kSubstitute}},
                      {Numbers{3, 1}}}},
          .accuracy_of_input = true,
          .accuracy_is_private = true,
          .maker = make};
}

}  // namespace discreet::mechanism
