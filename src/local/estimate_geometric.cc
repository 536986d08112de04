// Estimates through the truncated geometric mechanism, in O(d).
#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/local/estimate_channel.h"
#include "discreet/local/estimate_counts.h"
#include "discreet/local/estimate_evidence.h"
#include "discreet/local/geometric_likelihood.h"

namespace discreet::local {
namespace {

// Kac, Murdock and Szegő: the inverse of α^|i−j| has three diagonals: −α beside 1 + α², 1 at the
// ends, all over 1 − α². With C = K·diag(c), A = (Cᵀ)⁻¹ = K⁻¹·diag(1/c).
class GeometricInverse {
 public:
  explicit GeometricInverse(const channel::TruncatedGeometric& channel)
      : size_(channel.size), alpha_(to_double(channel.alpha())) {}

  // Σ_z A_vz·x_z, or of squares Σ_z A_vz²·x_z.
  std::vector<double> times(std::span<const double> x, bool squared) const {
    const double beside = -alpha_ / (1 - alpha_ * alpha_), end = 1 / (1 - alpha_ * alpha_);
    const double middle = (1 + alpha_ * alpha_) / (1 - alpha_ * alpha_);
    const auto term = [&](double k, std::size_t z) {
      const bool at_end = z == 0 || z + 1 == size_;
      const double a = k * (at_end ? 1 + alpha_ : (1 + alpha_) / (1 - alpha_));
      return (squared ? a * a : a) * x[z];
    };
    std::vector<double> out(size_);
    for (std::size_t v = 0; v < size_; ++v) {
      out[v] = term(v == 0 || v + 1 == size_ ? end : middle, v);
      if (v > 0) out[v] += term(beside, v - 1);
      if (v + 1 < size_) out[v] += term(beside, v + 1);
    }
    return out;
  }

 private:
  std::size_t size_;
  double alpha_;
};

}  // namespace

Result<Estimate> estimate_channel(const channel::TruncatedGeometric& channel,
                                  std::span<const std::uint64_t> counts,
                                  const EstimateOptions& options) {
  TRY(check_telling(channel.size, channel.ratio));
  Evidence evidence{.users = TRY(reports_in(counts, channel.size))};
  const auto users = static_cast<double>(evidence.users);
  const double alpha = to_double(channel.alpha());
  const GeometricInverse inverse(channel);
  evidence.invert = [&]() -> Result<std::vector<double>> {
    return inverse.times(frequencies(counts, users), false);
  };
  // m_z = c_z·Σ_y f_y·α^|z−y|
  evidence.errors = [&](std::span<const double> f) {
    std::vector<double> m(f.size());
    double carry = 0;
    for (std::size_t z = 0; z < f.size(); ++z) m[z] = carry = f[z] + alpha * carry;
    carry = 0;
    for (std::size_t z = f.size(); z-- > 0;) {
      m[z] += alpha * carry;
      carry = f[z] + alpha * carry;
      const bool at_end = z == 0 || z + 1 == f.size();
      m[z] = std::max(m[z] * (at_end ? 1 : 1 - alpha) / (1 + alpha), 0.0);
    }
    std::vector<double> out = inverse.times(m, true);
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = error_of(out[v], f[v], users);
    return out;
  };
  evidence.likelihood = [&]() -> Result<std::unique_ptr<Likelihood>> {
    return std::make_unique<GeometricLikelihood>(counts, alpha);
  };
  return estimate_from(evidence, options);
}

}  // namespace discreet::local
