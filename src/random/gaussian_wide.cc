#include <openssl/crypto.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/random/gaussian_tables.h"
#include "discreet/random/lazy_uniform.h"
#include "discreet/random/saturate.h"

namespace discreet::random {
namespace {

constexpr long kTableBits = 192;

unsigned cell_shift(const Rational& sigma) {
  unsigned shift = 0;
  while (Rational(Integer(2 * kWideFrom) << shift) <= sigma) ++shift;
  return shift;
}

std::uint64_t word(const Integer& value) { return value.get_ui(); }

}  // namespace

WideGaussian::WideGaussian(GaussianKind kind, const Rational& sigma)
    : kind_(kind),
      sigma_(sigma),
      shift_(cell_shift(sigma)),
      rate_(Rational(1 / (2 * sigma * sigma)).get_d()),
      tail_(kind, sigma, Rational(Integer(kCells) << shift_)) {
  // A trial picks cell j on one side with weight w_j/2^64 and a point x in it, uniformly; it
  // accepts with c·e^(-x²/2σ²)/w_j. So every x comes out with density ∝ c·e^(-x²/2σ²), and w_j ≥
  // c·(the cell's peak) makes that a probability.
  std::vector<Ball> peaks;
  Ball sum;
  for (std::uint32_t j = 0; j < kCells; ++j) {
    peaks.push_back(peak(j, kTableBits));
    sum = add(sum, peaks.back(), kTableBits);
  }
  // the tail's envelope counts integers, a cell counts as one: divide by the cell's width
  const Ball tail =
      div(tail_.envelope(kTableBits), Ball(Rational(Integer(1) << shift_), kTableBits), kTableBits);
  const Ball all = mul(add(sum, tail, kTableBits), Ball(2), kTableBits);
  // c is the largest for which the weights, each rounded up, stay below 2^64
  const Ball room(Rational((Integer(1) << 64) - 2 * (kTailSymbol + 1)), kTableBits);
  height_ = div(room, all, kTableBits).floor_shifted(0);
  const Ball height(Rational(height_), kTableBits);
  for (std::uint32_t j = 0; j < kCells; ++j) {
    const Ball top = mul(height, peaks[j], kTableBits);
    const Integer weight = top.ceil_shifted(0);
    weights_.insert(weights_.end(), 2,
                    word(weight));  // symbol 2j is the positive side, 2j+1 the negative
    factor_.push_back(div(top, Ball(Rational(weight), kTableBits), kTableBits).lower());
  }
  weights_.push_back(word(mul(mul(height, tail, kTableBits), Ball(2), kTableBits).ceil_shifted(0)));
  table_ = std::make_unique<AliasTable>(weights_);
}

// e^(-x²/2σ²) at the end of cell j that is nearest to 0.
Ball WideGaussian::peak(std::uint32_t cell, long bits) const {
  const Rational x(Integer(static_cast<unsigned long>(cell)) << shift_);
  return exp(-Ball(x * x / (2 * sigma_ * sigma_), bits), bits);
}

// The acceptance that doubles could not decide: u against c·e^(-x²/2σ²)/w_j with x = (j + v)·2^k,
// both u and v revealed as needed.
Result<bool> WideGaussian::accepts_exactly(Source& source, std::uint32_t cell, std::uint64_t place,
                                           std::uint64_t coin) const {
  LazyUniform u(coin), v(place);
  const Rational width(Integer(1) << shift_);
  const Rational step = shift_ == 0
                            ? Rational(0)
                            : Rational(Integer(static_cast<unsigned long>(place >> (64 - shift_))));
  const Rational weight(Integer(static_cast<unsigned long>(weights_[2 * cell])));
  return falls_below(source, u, [&](long bits) -> Result<Ball> {
    Ball x(width * cell + step, bits);  // the discrete kind's integer
    if (kind_ == GaussianKind::kRounded) {
      TRY(v.reveal(source, bits));
      x = mul(add(Ball(static_cast<long>(cell)), v.enclosure(), bits), Ball(width, bits), bits);
    }
    const Ball density = exp(-div(mul(x, x, bits), Ball(2 * sigma_ * sigma_, bits), bits), bits);
    return mul(density, Ball(height_ / weight, bits), bits);
  });
}

Result<std::optional<std::int64_t>> WideGaussian::attempt_tail(Source& source,
                                                               bool negative) const {
  // The tail's weight was rounded up: first make up for that, then for the envelope.
  LazyUniform u;
  const Rational weight(Integer(static_cast<unsigned long>(weights_[kTailSymbol])));
  auto kept = falls_below(source, u, [&](long bits) -> Result<Ball> {
    const Rational share = 2 * height_ / (weight * (Integer(1) << shift_));
    return mul(tail_.envelope(bits), Ball(share, bits), bits);
  });
  if (!kept) return forward_error(kept);
  if (!*kept) return std::optional<std::int64_t>();
  auto magnitude = TRY(tail_.attempt(source));
  if (!magnitude) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(saturate(negative ? -*magnitude : *magnitude));
}

// A block in which something isn't decided, or fell on the tail: rare, so all of it is decided by
// intervals.
Status WideGaussian::take_exactly(Source& source, const Trials& block, std::size_t n,
                                  std::span<std::int64_t> out, std::size_t& filled) const {
  for (std::size_t t = 0; t < n; ++t) {
    const std::uint64_t place = block.words[n + t], coin = block.words[2 * n + t];
    const std::uint32_t symbol = table_->pick(block.words[t]);
    out[filled] = block.values[t];
    // zero has one sign only
    const bool counted =
        kind_ == GaussianKind::kRounded || block.values[t] != 0 || (symbol & 1) == 0;
    if (symbol == kTailSymbol) {
      if (auto value = TRY(attempt_tail(source, (coin & 1) != 0))) out[filled++] = *value;
    } else if (symbol < kTailSymbol && counted) {
      filled += TRY(accepts_exactly(source, symbol / 2, place, coin)) ? 1 : 0;
    }
  }
  return {};
}

Status WideGaussian::fill(Source& source, std::span<std::int64_t> out) const {
  const TrialTables tables{table_->entries(), factor_.data(), shift_, rate_,
                           kind_ == GaussianKind::kRounded};
  Trials trials;
  std::size_t filled = 0, most = 0;
  Status done;
  while (filled < out.size() && done) {
    // never more trials than values still wanted: none is thrown away, so nothing depends on how
    // many there were
    const std::size_t n = std::min(Trials::kMost, out.size() - filled);
    most = std::max(most, n);
    done = source.fill(std::span(trials.words).first(n * Trials::kWords));
    if (!done) break;
    if (run_trials(tables, n, trials)) [[unlikely]] {
      done = take_exactly(source, trials, n, out, filled);
      continue;
    }
    // Each is written, and stays where it was accepted: no branch on what it is.
    for (std::size_t t = 0; t < n; ++t) {
      out[filled] = trials.values[t];
      filled += trials.accepted[t];
    }
  }
  OPENSSL_cleanse(trials.words, sizeof(std::uint64_t) * most * Trials::kWords);
  OPENSSL_cleanse(trials.values, sizeof(std::int64_t) * most);
  return done;
}

std::shared_ptr<const GaussianTables> make_gaussian_tables(GaussianKind kind,
                                                           const Rational& sigma) {
  if (sigma < kWideFrom) return std::make_shared<SmallGaussian>(kind, sigma);
  return std::make_shared<WideGaussian>(kind, sigma);
}

}  // namespace discreet::random
