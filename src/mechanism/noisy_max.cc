#include "discreet/mechanism/noisy_max.h"

#include <fmt/format.h>

#include <array>

#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/laplace_table.h"

namespace discreet::mechanism {
namespace {

constexpr std::size_t kBlock = 2048;
constexpr std::int64_t kMostTerms = 20'000'000;

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }

}  // namespace

Result<NoisyMax> NoisyMax::create(const SelectionParameters& parameters) {
  TRY(check_selection(parameters));
  SelectionParameters p = parameters;
  p.sensitivity = Rational(ceiling(p.sensitivity));
  auto scale = TRY(drawable_scale(1 / selection_rate(p)));
  auto noise = TRY(discrete_laplace(scale));
  return NoisyMax(std::move(p), std::move(noise));
}

Result<Released<std::size_t>> NoisyMax::release(const Exact<std::vector<std::int64_t>>& exact,
                                                random::Source& source) const {
  const std::span<const std::int64_t> scores = TRY(opened(exact));
  std::array<std::int64_t, kBlock> noise;
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  std::uint64_t index = 0;
  for (std::size_t at = 0; at < scores.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, scores.size() - at);
    TRY(noise_->fill(source, std::span(noise).first(size)));
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t noisy = saturating_add(clamped_score(scores[at + i]), noise[i]);
      const std::uint64_t more = mask_of(noisy > best);  // strictly: the first of equals wins
      index = select(more, std::uint64_t{at + i}, index);
      best = select(more, noisy, best);
    }
  }
  return Released<std::size_t>(index, guarantee());
}

Result<std::vector<Ball>> NoisyMax::pmf(std::span<const std::int64_t> scores, long bits) const {
  return noisy_max_pmf(scores, noise_->scale(), bits);
}

Result<std::vector<Ball>> noisy_max_pmf(std::span<const std::int64_t> scores, const Rational& scale,
                                        long bits) {
  const std::size_t n = scores.size();
  const std::int64_t reach = negligible_beyond(scale);
  if (reach > kMostTerms / static_cast<std::int64_t>(4 * n + 1)) {
    return fail(Code::kUsage,
                fmt::format("noisy-max: the exact distribution would take {} candidates times {} "
                            "noise values; accepted "
                            "are {} in all",
                            n, 2 * reach, kMostTerms / 2),
                "take a larger epsilon or a coarser grid");
  }
  const LaplaceTable table(scale, static_cast<std::size_t>(2 * reach), bits);
  const std::int64_t best = best_score(scores);
  std::vector<Ball> out(n), above(n + 1);
  for (std::int64_t z = best - reach; z <= best + reach; ++z) {
    const auto distance = [&](std::size_t j) -> Integer {
      return integer(z) - integer(clamped_score(scores[j]));
    };
    above[n] = Ball(1);  // above[i] = Π_{j ≥ i} P[Z_j ≤ z − s_j]
    for (std::size_t j = n; j-- > 0;)
      above[j] = mul(above[j + 1], table.at_most(distance(j)), bits);
    Ball before(1);  // Π_{j < i} P[Z_j < z − s_j]
    for (std::size_t i = 0; i < n; ++i) {
      const Ball wins = mul(table.mass(distance(i)), mul(before, above[i + 1], bits), bits);
      out[i] = add(out[i], wins, bits);
      before = mul(before, table.at_most(distance(i) - 1), bits);
    }
  }
  // The winner is below the window only if the best candidate's noise is; above only if someone's
  // noise is.
  const Rational left = Rational(Integer(static_cast<unsigned long>(n)) + 1, Integer(1) << 64);
  const Ball rest = Ball::between(0, left, bits);
  for (Ball& chance : out) chance = add(chance, rest, bits);
  return out;
}

}  // namespace discreet::mechanism
