#include "discreet/mechanism/sparse_vector.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/laplace_table.h"
#include "discreet/mechanism/least.h"
#include "discreet/mechanism/selection.h"

namespace discreet::mechanism {
namespace {

constexpr std::int64_t kMostTerms = 10'000'000;

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }

// 1/(1 + x^(2/3)) to about 20 bits, by integer roots; any share is valid, this one is good
// (Lyu-Su-Li, Section 4.2).
Rational good_share(std::uint64_t positives, bool monotone) {
  const Integer x = integer(static_cast<std::int64_t>(positives)) * (monotone ? 1 : 2);
  Integer root;
  mpz_root(root.get_mpz_t(), Integer((x * x) << 60).get_mpz_t(), 3);  // x^(2/3)·2^20
  Rational share(Integer(1) << 20, (Integer(1) << 20) + root);
  share.canonicalize();
  return share;
}

// An answer is above iff answer + its noise ≥ threshold + its noise. In 128 bits nothing can
// overflow.
__extension__ using Signed = __int128;
Signed difference(std::int64_t answer, std::int64_t noise, std::int64_t threshold,
                  std::int64_t threshold_noise) {
  return (Signed(answer) + noise) - (Signed(threshold) + threshold_noise);
}

Status too_many(std::size_t answers) {
  return fail(
      Code::kUsage,
      fmt::format("sparse-vector: the exact distribution over {} answers has too many terms",
                  answers),
      "take fewer answers, a larger epsilon or a coarser grid");
}

}  // namespace

SparseVector::SparseVector(SparseVectorParameters parameters, Grid grid,
                           NoisePointer threshold_noise, NoisePointer answer_noise)
    : p_(std::move(parameters)),
      grid_(std::move(grid)),
      threshold_(grid_.round(p_.threshold)),
      threshold_noise_(std::move(threshold_noise)),
      answer_noise_(std::move(answer_noise)) {}

Result<SparseVector> SparseVector::create(const SparseVectorParameters& p) {
  TRY(check_epsilon(p.epsilon));
  TRY(check_sensitivity(p.sensitivity));
  if (p.positives == 0 || p.positives > (std::uint64_t{1} << 40)) {
    return bad_parameter("positives", fmt::format("found {}; accepted is 1 to 2^40", p.positives));
  }
  if (p.monotone && p.relation == privacy::Relation::kSubstitute) {
    return bad_parameter("monotone",
                         "found with the relation substitute; a unit that is replaced lowers one "
                         "answer and raises another",
                         "leave monotone out, or protect units that come and go (add-remove)");
  }
  const Rational share = p.threshold_share.value_or(good_share(p.positives, p.monotone));
  if (sgn(share) <= 0 || share >= 1) {
    return fail(Code::kUsage,
                fmt::format("threshold share: found {}; accepted is a number above 0 and below 1",
                            to_decimal(share)));
  }
  auto grid =
      p.grid ? Grid::create(*p.grid) : Grid::suited_to(p.sensitivity, p.sensitivity / p.epsilon);
  if (!grid) return forward_error(grid);
  const Rational steps(grid->sensitivity(p.sensitivity));
  const Rational threshold_epsilon = p.epsilon * share,
                 answer_epsilon = p.epsilon - threshold_epsilon;
  const Rational factor(integer(static_cast<std::int64_t>(p.positives)) * (p.monotone ? 1 : 2));
  auto threshold_scale = TRY(drawable_scale(steps / threshold_epsilon));
  auto answer_scale = TRY(drawable_scale(factor * steps / answer_epsilon));
  auto threshold_noise = TRY(discrete_laplace(threshold_scale));
  auto answer_noise = TRY(discrete_laplace(answer_scale));
  return SparseVector(p, *grid, std::move(threshold_noise), std::move(answer_noise));
}

Result<Released<SparseAnswers>> SparseVector::compare(std::span<const std::int64_t> answers,
                                                      random::Source& source) const {
  std::int64_t threshold_noise = 0;
  TRY(threshold_noise_->fill(source, {&threshold_noise, 1}));
  // All noise is drawn whatever comes out; the answers end where the outcome, which is released,
  // says so.
  std::vector<std::int64_t> noise(answers.size());
  TRY(answer_noise_->fill(source, noise));
  SparseAnswers out;
  std::uint64_t left = p_.positives;
  for (std::size_t i = 0; i < answers.size() && left > 0; ++i) {
    const Signed gap = difference(answers[i], noise[i], threshold_, threshold_noise);
    SparseAnswer answer{gap >= 0, std::nullopt};
    if (answer.above) {
      --left;
      constexpr Signed kMost = std::numeric_limits<std::int64_t>::max();
      if (p_.gap) answer.gap = static_cast<std::int64_t>(std::min(gap, kMost));
    }
    out.push_back(answer);
  }
  return Released<SparseAnswers>(std::move(out), guarantee());
}

Result<Released<SparseAnswers>> SparseVector::release(
    const Exact<std::vector<std::int64_t>>& answers, random::Source& source) const {
  return compare(open(answers), source);
}

Result<Released<SparseAnswers>> SparseVector::release(const Exact<std::vector<double>>& answers,
                                                      random::Source& source) const {
  std::vector<std::int64_t> rounded;
  for (const double answer : open(answers)) rounded.push_back(grid_.round(answer));
  return compare(rounded, source);
}

Result<Rational> SparseVector::accuracy(std::uint64_t questions, const Rational& beta) const {
  constexpr long kBits = 96;
  // Where half of β for each part puts it is far enough; the table then holds every power that is
  // asked for.
  const Integer enough =
      threshold_noise_->quantile(beta / 2) + answer_noise_->quantile(beta / 2, questions);
  if (enough > 2'000'000) {
    return fail(Code::kUsage, "sparse-vector: the exact accuracy would take too many terms",
                "take a larger epsilon or a coarser grid");
  }
  const auto reach = static_cast<std::size_t>(enough.get_ui());
  const LaplaceTable threshold(threshold_noise_->scale(), reach + 1, kBits),
      answer(answer_noise_->scale(), reach + 1, kBits);
  // P[|ρ| + max |ν| ≤ m] = Σ_r P[|ρ| = r]·P[|ν| ≤ m−r]^questions
  std::vector<Ball> all_within;
  for (std::size_t m = 0; m <= reach; ++m) {
    const Ball outside = mul(Ball(2), answer.at_least(static_cast<unsigned long>(m + 1)), kBits);
    all_within.push_back(
        pow(sub(Ball(1), outside, kBits), static_cast<unsigned long>(questions), kBits));
  }
  const auto within = [&](const Integer& m) {
    Ball sum(0);
    for (std::size_t r = 0; r <= m.get_ui(); ++r) {
      const Ball mass = threshold.mass(static_cast<unsigned long>(r));
      const Ball both = r == 0 ? mass : mul(Ball(2), mass, kBits);
      sum = add(sum, mul(both, all_within[m.get_ui() - r], kBits), kBits);
    }
    return sum;
  };
  Integer low = -1, high = enough;
  while (high - low > 1) {
    const Integer middle = floor_of(Rational(low + high, 2));
    const bool holds = surely_at_most(Ball(1 - beta, kBits), within(middle));
    (holds ? high : low) = middle;
  }
  return Rational(high) * grid_.step();
}

Result<std::vector<SparseOutcome>> SparseVector::pmf(std::span<const std::int64_t> answers,
                                                     long bits) const {
  return sparse_vector_pmf(answers, threshold_, p_.positives, threshold_noise_->scale(),
                           answer_noise_->scale(), bits);
}

Result<std::vector<SparseOutcome>> sparse_vector_pmf(std::span<const std::int64_t> answers,
                                                     std::int64_t threshold,
                                                     std::uint64_t positives,
                                                     const Rational& threshold_scale,
                                                     const Rational& answer_scale, long bits) {
  const std::size_t n = answers.size();
  constexpr std::size_t kMostAnswers = 16;
  if (n > kMostAnswers) {
    auto status = too_many(n);
    return forward_error(status);
  }
  // Every way the answers can come out: all sides until `positives` are above, then nothing.
  std::vector<SparseOutcome> out;
  for (std::uint32_t sides = 0; sides < (1u << n); ++sides) {
    SparseOutcome outcome{{}, Ball(0)};
    std::uint64_t left = positives;
    bool new_one = true;
    for (std::size_t i = 0; i < n; ++i) {
      const bool above = (sides >> i & 1u) != 0;
      if (left == 0) {
        new_one = new_one && !above;  // only one of all continuations stands for the outcome
        continue;
      }
      outcome.above.push_back(above);
      left -= above;
    }
    if (new_one) out.push_back(std::move(outcome));
  }
  const std::int64_t reach = negligible_beyond(threshold_scale);
  if (reach > kMostTerms / static_cast<std::int64_t>(2 * (n + 1) * out.size() + 1)) {
    auto status = too_many(n);
    return forward_error(status);
  }
  const LaplaceTable threshold_table(threshold_scale, static_cast<std::size_t>(reach), bits);
  const LaplaceTable answer_table(answer_scale, static_cast<std::size_t>(2 * reach), bits);
  std::vector<Ball> above(n), below(n);
  for (std::int64_t z = -reach; z <= reach; ++z) {
    for (std::size_t i = 0; i < n; ++i) {
      const Integer needed = integer(threshold) + integer(z) - integer(answers[i]);
      above[i] = answer_table.at_least(needed);
      below[i] = answer_table.at_most(needed - 1);
    }
    const Ball mass = threshold_table.mass(integer(z));
    for (SparseOutcome& outcome : out) {
      Ball product = mass;
      for (std::size_t i = 0; i < outcome.above.size(); ++i)
        product = mul(product, outcome.above[i] ? above[i] : below[i], bits);
      outcome.probability = add(outcome.probability, product, bits);
    }
  }
  const Ball rest = Ball::between(0, Rational(1, Integer(1) << 64), bits);
  for (SparseOutcome& outcome : out) outcome.probability = add(outcome.probability, rest, bits);
  return out;
}

Result<Ball> SparseVector::gap_probability(std::span<const std::int64_t> answers, std::size_t i,
                                           std::int64_t gap, long bits) const {
  const std::int64_t reach = negligible_beyond(threshold_noise_->scale());
  if (p_.positives != 1 || i >= answers.size() || reach > kMostTerms) {
    return fail(Code::kUsage,
                "sparse-vector: the distribution of the gap is computed for one positive");
  }
  const LaplaceTable threshold(threshold_noise_->scale(), static_cast<std::size_t>(reach), bits);
  const LaplaceTable answer(answer_noise_->scale(), static_cast<std::size_t>(2 * reach), bits);
  Ball sum(0);
  for (std::int64_t z = -reach; z <= reach; ++z) {
    const auto needed = [&](std::size_t j) -> Integer {
      return integer(threshold_) + integer(z) - integer(answers[j]);
    };
    Ball product = mul(threshold.mass(integer(z)), answer.mass(needed(i) + integer(gap)), bits);
    for (std::size_t j = 0; j < i; ++j) product = mul(product, answer.at_most(needed(j) - 1), bits);
    sum = add(sum, product, bits);
  }
  // The rest of the threshold's noise, times the likeliest single value of the answer's.
  const Rational left = Rational(1, Integer(1) << 64) * Rational(answer.mass(0).upper());
  return add(sum, Ball::between(0, left, bits), bits);
}

}  // namespace discreet::mechanism
