#include "discreet/base/try.h"
#include "discreet/random/gaussian_tables.h"
#include "discreet/random/geometric.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::random {

// For x = x0 + y, y ≥ 0:   e^(-x²/2σ²) = e^(-x0²/2σ²) · e^(-x0·y/σ²) · e^(-y²/2σ²).
// With g = ⌊y⌋ the first two factors are at most e^(-x0²/2σ²)·ρ^g, ρ = e^(-x0/σ²): a geometric
// envelope over integers g.
Ball GaussianTail::envelope(long bits) const {
  const Rational square = sigma_ * sigma_;
  const Ball peak = exp(-Ball(x0_ * x0_ / (2 * square), bits), bits);
  return div(peak, -expm1(-Ball(x0_ / square, bits), bits), bits);
}

Result<std::optional<Integer>> GaussianTail::attempt(Source& source) const {
  const Rational square = sigma_ * sigma_;
  auto steps = TRY(Geometric::with_any_scale(square / x0_).sample(source));
  const Rational g(Integer(static_cast<long>(steps)));
  LazyUniform u, fraction;
  // The discrete kind sits on the integers (y = g); the rounded one is continuous: y = g +
  // fraction.
  const bool continuous = kind_ == GaussianKind::kRounded;
  auto accepted = falls_below(source, u, [&](long bits) -> Result<Ball> {
    Ball part;
    if (continuous) {
      TRY(fraction.reveal(source, bits));
      part = fraction.enclosure();
    }
    const Ball y = add(Ball(g, bits), part, bits);
    const Ball half_square = mul(mul(y, y, bits), Ball(Rational(1, 2), bits), bits);
    const Ball exponent = add(mul(Ball(x0_, bits), part, bits), half_square, bits);
    return exp(-div(exponent, Ball(square, bits), bits), bits);
  });
  if (!accepted) return forward_error(accepted);
  if (!*accepted) return std::optional<Integer>();
  if (!continuous) return std::optional<Integer>(Rational(x0_ + g).get_num());
  // ⌊x0 + g + fraction + ½⌋, x0 a whole or a half number: the fraction's first digit says whether
  // it passes ½.
  if (x0_.get_den() != 1)
    return std::optional<Integer>(Rational(x0_ + g + Rational(1, 2)).get_num());
  const bool up = fraction.first_digit();
  return std::optional<Integer>(Rational(x0_ + g + (up ? 1 : 0)).get_num());
}

}  // namespace discreet::random
