#include <algorithm>

#include "discreet/channel/optimal.h"
#include "discreet/channel/structured.h"
#include "discreet/channel/utility.h"

namespace discreet::channel {
namespace {

// Any multipliers make a valid bound, so long fractions may be cut: at 2^-256, far below what
// matters. Short ones stay exact, and with them the bound.
Rational shortened(Rational value) {
  constexpr std::size_t kLongest = 1024;
  constexpr mp_bitcnt_t kBits = 256;
  if (mpz_sizeinbase(value.get_den_mpz_t(), 2) <= kLongest) return value;
  Integer cut;
  mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), kBits);
  mpz_fdiv_q(cut.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  Rational out(cut);
  mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), kBits);
  return out;
}

std::vector<Rational> powers_of(const Rational& base, std::size_t count) {
  std::vector<Rational> out{1};
  while (out.size() < count) out.push_back(shortened(out.back() * base));
  return out;
}

// b(z), and the guess that reaches it: the posterior choice of utility.cc, for payoffs.
struct Best {
  std::vector<std::size_t> remap;
  std::vector<Rational> scores;
};

Best best_of(const Problem& problem, const std::vector<Rational>& powers) {
  const std::size_t n = problem.size();
  std::vector<double> payoffs;
  payoffs.reserve(problem.payoffs.size());
  for (const Rational& payoff : problem.payoffs) payoffs.push_back(to_double(payoff));
  std::vector<double> weights;
  for (const Rational& power : powers) weights.push_back(to_double(power));
  const auto apart = [](std::size_t a, std::size_t b) { return a < b ? b - a : a - b; };
  Best out;
  for (std::size_t z = 0; z < n; ++z) {
    std::vector<double> sums(problem.guesses), slack(problem.guesses);
    double floor = -std::numeric_limits<double>::infinity();
    for (std::size_t w = 0; w < problem.guesses; ++w) {
      double size = 0;
      for (std::size_t y = 0; y < n; ++y) {
        const double term = weights[apart(z, y)] * payoffs[w * n + y];
        sums[w] += term;
        size += term < 0 ? -term : term;
      }
      slack[w] = (size * 0x1p-50 + 0x1p-1000) * static_cast<double>(n + 8);
      floor = std::max(floor, sums[w] - slack[w]);
    }
    std::size_t found = problem.guesses;
    Rational most;
    for (std::size_t w = 0; w < problem.guesses; ++w) {
      if (sums[w] + slack[w] < floor) continue;
      Rational sum;
      for (std::size_t y = 0; y < n; ++y)
        if (sgn(problem.payoff(w, y)) != 0) sum += powers[apart(z, y)] * problem.payoff(w, y);
      if (found == problem.guesses || sum > most) found = w, most = std::move(sum);
    }
    out.remap.push_back(found);
    out.scores.push_back(std::move(most));
  }
  return out;
}

// u with Σ_y α^|z−y|·u(y) = b(z): (1−α²)·K⁻¹ has 1, 1+α², …, 1+α², 1 on the diagonal and −α beside
// it.
std::vector<Rational> row_values(const std::vector<Rational>& b, const Rational& alpha) {
  const std::size_t n = b.size();
  if (n == 1) return b;
  const Rational square = alpha * alpha, scale = 1 / (1 - square);
  std::vector<Rational> out;
  for (std::size_t y = 0; y < n; ++y) {
    Rational sum = y == 0 || y + 1 == n ? b[y] : Rational((1 + square) * b[y]);
    if (y > 0) sum -= alpha * b[y - 1];
    if (y + 1 < n) sum -= alpha * b[y + 1];
    out.push_back(shortened(sum * scale));
  }
  return out;
}

// From left to right: `spare` ≥ 0 is what the nodes so far can hand on, < 0 what they lack.
std::vector<Multipliers::OnEdge> multipliers_of(const Problem& problem, std::size_t w,
                                                const std::vector<Rational>& u) {
  const Rational& ratio = problem.ratio.upper;
  std::vector<Multipliers::OnEdge> out;
  Rational spare;
  for (std::size_t y = 0; y < problem.size(); ++y) {
    spare += u[y] - problem.payoff(w, y);
    if (y + 1 == problem.size()) break;
    const auto here = static_cast<Node>(y);
    if (sgn(spare) >= 0) {  // x(y+1) ≤ e^ε·x(y): m at y+1 costs e^ε·m here
      Rational amount = shortened(spare / ratio);
      spare = amount;
      if (sgn(amount) > 0) out.push_back({here + 1, here, std::move(amount)});
    } else {  // x(y) ≤ e^ε·x(y+1): m here costs e^ε·m there
      Rational amount = -shortened(spare);
      spare = -ratio * amount;
      out.push_back({here, here + 1, std::move(amount)});
    }
  }
  return out;
}

}  // namespace

Result<ClosedForm> closed_form(const Problem& problem) {
  if (!problem.graph.is_path())
    return fail(Code::kUsage, "the closed form is for paths (counting queries)",
                "solve the linear program");
  const std::size_t n = problem.size();
  const TruncatedGeometric geometric{n, problem.ratio};
  const auto powers = powers_of(geometric.alpha(), n);
  const Best best = best_of(problem, powers);
  ClosedForm out{.entries = std::vector<Rational>(n * problem.guesses),
                 .value = 0,
                 .multipliers = Multipliers::none(problem)};
  for (std::size_t z = 0; z < n; ++z) {
    const Rational weight = geometric.weight(z);
    out.value += weight * best.scores[z];
    for (std::size_t y = 0; y < n; ++y)
      out.entries[y * problem.guesses + best.remap[z]] += weight * powers[y < z ? z - y : y - z];
  }
  const Rational alpha = 1 / problem.ratio.upper;
  const auto u = row_values(
      problem.ratio.exact() ? best.scores : best_of(problem, powers_of(alpha, n)).scores, alpha);
  for (std::size_t w = 0; w < problem.guesses; ++w)
    out.multipliers.edges[w] = multipliers_of(problem, w, u);
  return out;
}

}  // namespace discreet::channel
