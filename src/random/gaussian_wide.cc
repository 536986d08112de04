#include <openssl/crypto.h>

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/random/exp_bound.h"
#include "discreet/random/gaussian_tables.h"
#include "discreet/random/lazy_uniform.h"
#include "discreet/random/saturate.h"

namespace discreet::random {
namespace {

constexpr long kTableBits = 192;
constexpr std::size_t kTrials = 128;  // in a block
constexpr std::size_t kWords = 3;     // a trial's: which cell, where in it, accept or not

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
      width_(static_cast<double>(std::uint64_t{1} << shift_)),
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

template <GaussianKind kKind>
Status WideGaussian::fill_kind(Source& source, std::span<std::int64_t> out) const {
  std::array<std::uint64_t, kTrials * kWords> words;
  std::size_t filled = 0, most = 0;
  Status done;
  while (filled < out.size() && done) {
    // never more trials than values still wanted: none is thrown away, so nothing depends on how
    // many there were
    const std::size_t trials = std::min(kTrials, out.size() - filled);
    most = std::max(most, trials);
    done = source.fill(std::span(words).first(trials * kWords));
    for (std::size_t t = 0; t < trials && done; ++t) {
      const std::uint64_t place = words[t * kWords + 1], coin = words[t * kWords + 2];
      const std::uint32_t symbol = table_->pick(words[t * kWords]);
      const std::uint32_t cell = std::min(
          symbol / 2, kCells - 1);  // the tail and "again" borrow a cell, and are rejected below
      // How far into the cell, d, and which integer that is.
      std::uint64_t step = 0;
      double d = 0;
      if constexpr (kKind == GaussianKind::kRounded) {
        d = static_cast<double>(static_cast<std::int64_t>(place >> 11)) * (width_ * 0x1p-53);
        step = ((place >> (63 - shift_)) + 1) >> 1;
      } else {
        step = (place >> 1) >> (63 - shift_);  // in two steps: shift_ may be 0
        d = static_cast<double>(static_cast<std::int64_t>(step));
      }
      // e^(-((jw+d)² − (jw)²)/2σ²): exponent below 1.1, off by at most 6 roundings, 2^-50; factor
      // off by 2^-52.
      const double near = static_cast<double>(cell) * width_;
      const double chance = factor_[cell] * exp_minus(d * (2 * near + d) * rate_);
      const double u = static_cast<double>(static_cast<std::int64_t>(coin >> 11)) * 0x1p-53;
      const std::uint64_t magnitude = (static_cast<std::uint64_t>(cell) << shift_) + step;
      const auto negative = -static_cast<std::int64_t>(symbol & 1);
      const bool inside = symbol < kTailSymbol;
      // zero has one sign only
      const bool counted =
          inside & !(kKind == GaussianKind::kDiscrete && magnitude == 0 && negative != 0);
      const bool undecided = (u > chance - kExpTolerance) & (u < chance + kExpTolerance);
      out[filled] = (static_cast<std::int64_t>(magnitude) ^ negative) - negative;
      if (symbol == kTailSymbol) [[unlikely]] {
        auto value = attempt_tail(source, (coin & 1) != 0);
        if (!value) {
          done = forward_error(value);
        } else if (*value) {
          out[filled++] = **value;
        }
      } else if (undecided) [[unlikely]] {
        auto accepted = accepts_exactly(source, cell, place, coin);
        if (!accepted) {
          done = forward_error(accepted);
        } else {
          filled += *accepted && counted;
        }
      } else {
        filled += (u < chance) & counted;
      }
    }
  }
  OPENSSL_cleanse(words.data(), sizeof(std::uint64_t) * most * kWords);
  return done;
}

Status WideGaussian::fill(Source& source, std::span<std::int64_t> out) const {
  return kind_ == GaussianKind::kRounded ? fill_kind<GaussianKind::kRounded>(source, out)
                                         : fill_kind<GaussianKind::kDiscrete>(source, out);
}

std::shared_ptr<const GaussianTables> make_gaussian_tables(GaussianKind kind,
                                                           const Rational& sigma) {
  if (sigma < kWideFrom) return std::make_shared<SmallGaussian>(kind, sigma);
  return std::make_shared<WideGaussian>(kind, sigma);
}

}  // namespace discreet::random
