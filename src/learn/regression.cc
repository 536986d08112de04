#include "discreet/learn/regression.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/learn/dense.h"
#include "discreet/privacy/calibrate.h"

namespace discreet::learn {

Result<Rational> regression_sigma(const Rational& epsilon, const Rational& delta,
                                  const std::vector<privacy::Event>& before) {
  if (epsilon <= 0 || delta <= 0 || delta >= 1)
    return bad_parameter("delta",
                         "accepted is a number above 0 and below 1: the noise is Gaussian");
  std::vector<std::string> texts = {"gaussian(sigma=?)"};
  for (const privacy::Event& event : before) texts.push_back(privacy::describe(event));
  const auto expression = TRY(privacy::Expression::parse(std::move(texts)));
  return TRY(privacy::calibrate(expression, epsilon, delta, {})).value;
}

Regression regress(const Moments& moments) {
  Regression out;
  out.noise = moments.sigma;
  const Symmetric products{moments.width, moments.products};
  out.least_eigenvalue = least_eigenvalue(products);
  const double enough = 2 * moments.sigma * std::sqrt(static_cast<double>(moments.width));
  out.ridge = std::max(0.0, enough - out.least_eigenvalue);
  // The least eigenvalue is known to a tolerance: a little more ridge, until it is enough.
  for (double more = std::max(enough, 1.0) * 1e-6;; more *= 4) {
    if (auto weights = solve(products, out.ridge, moments.targets)) {
      out.weights = std::move(*weights);
      return out;
    }
    out.ridge += more;
  }
}

Result<Regression> regress(const BallRows& rows, std::span<const float> targets,
                           const Rational& sigma, random::Source& source) {
  if (targets.size() != rows.count)
    return fail(Code::kFailure, "regression: found other targets than rows");
  if (rows.count == 0) {
    // Nobody is there: the targets would be taken as none at all.
    BallRows nobody{1, rows.width, std::vector<std::int16_t>(rows.width)};
    const float nothing = 0;
    return regress(TRY(release_moments(nobody, {&nothing, 1}, sigma, source)));
  }
  return regress(TRY(release_moments(rows, targets, sigma, source)));
}

}  // namespace discreet::learn
