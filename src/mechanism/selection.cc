#include "discreet/mechanism/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/least.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }
Rational whole(std::size_t value) { return Rational(Integer(static_cast<unsigned long>(value))); }
double middle(const Ball& ball) { return ball.middle(); }

}  // namespace

Candidates Candidates::named(std::vector<std::string> names) {
  const std::size_t size = names.size();
  return Candidates(std::move(names), size);
}

Candidates Candidates::numbered(std::size_t count) { return Candidates({}, count); }

std::string Candidates::name(std::size_t index) const {
  return index < names_.size() ? names_[index] : std::to_string(index);
}

std::int64_t best_score(std::span<const std::int64_t> scores) {
  std::int64_t best = -kLargestScore;
  for (const std::int64_t score : scores)
    best = select(mask_of(score > best), score, best);  // clamped at the end, which is the same
  return clamped_score(best);
}

Status check_selection(const SelectionParameters& p) {
  TRY(check_epsilon(p.epsilon));
  TRY(check_sensitivity(p.sensitivity));
  if (p.candidates.size() == 0)
    return fail(Code::kUsage, "candidates: found none; accepted is one or more");
  if (p.monotone && p.relation == privacy::Relation::kSubstitute) {
    return bad_parameter("monotone",
                         "found with the relation substitute; a unit that is replaced lowers one "
                         "score and raises another",
                         "leave monotone out, or protect units that come and go (add-remove)");
  }
  return {};
}

Rational selection_rate(const SelectionParameters& p) {
  return p.epsilon / (p.monotone ? p.sensitivity : Rational(2 * p.sensitivity));
}

Result<std::span<const std::int64_t>> Selection::opened(
    const Exact<std::vector<std::int64_t>>& scores) const {
  const std::vector<std::int64_t>& found = open(scores);
  if (found.size() == p_.candidates.size()) return std::span(found);
  return bad_parameter(
      "scores", fmt::format("found {}; accepted is one for each of the {} candidates", found.size(),
                            p_.candidates.size()));
}

Rational selection_accuracy(std::span<const std::int64_t> scores, std::span<const Ball> pmf,
                            const Rational& beta) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  // From the worst candidate up, while what has been passed is at most β: the next one's loss is
  // the bound.
  Ball passed(0);
  const std::int64_t best = best_score(scores);
  for (const std::size_t i : order) {
    passed = add(passed, pmf[i], kBits);
    if (!surely_at_most(passed, Ball(beta, kBits)))
      return Rational(integer(best) - integer(clamped_score(scores[i])));
  }
  return 0;
}

double deck_selection_bound(const SelectionParameters& p, std::size_t best_candidates,
                            const Rational& beta) {
  const Rational ratio = whole(p.candidates.size()) / (beta * whole(best_candidates));
  return middle(div(log(Ball(ratio, kBits), kBits), Ball(selection_rate(p), kBits), kBits));
}

double deck_selection_chance(const SelectionParameters& p, std::span<const std::int64_t> scores) {
  const std::int64_t best = best_score(scores);
  std::int64_t second = -kLargestScore;
  std::size_t best_candidates = 0;
  for (const std::int64_t score : scores) {
    if (clamped_score(score) == best) {
      ++best_candidates;
    } else {
      second = std::max(second, clamped_score(score));
    }
  }
  if (best_candidates == scores.size()) return 1;
  const Rational loss(integer(best) - integer(second) - 1);
  const Ball beta = mul(Ball(whole(scores.size()) / whole(best_candidates), kBits),
                        exp(-Ball(selection_rate(p) * loss, kBits), kBits), kBits);
  return std::max(0.0, 1 - middle(beta));
}

}  // namespace discreet::mechanism
