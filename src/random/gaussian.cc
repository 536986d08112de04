#include "discreet/random/gaussian.h"

#include "discreet/random/gaussian_tables.h"
#include "discreet/random/scale.h"

namespace discreet::random {
namespace {

Result<std::int64_t> one(const GaussianTables& tables, Source& source) {
  std::int64_t value = 0;
  if (auto status = tables.fill(source, {&value, 1}); !status) return forward_error(status);
  return value;
}

}  // namespace

Result<RoundedGaussian> RoundedGaussian::create(const Rational& sigma) {
  if (auto status = check_scale("sigma", sigma); !status) return forward_error(status);
  return RoundedGaussian(make_gaussian_tables(GaussianKind::kRounded, sigma));
}
Status RoundedGaussian::fill(Source& source, std::span<std::int64_t> out) const {
  return tables_->fill(source, out);
}
Result<std::int64_t> RoundedGaussian::sample(Source& source) const { return one(*tables_, source); }

Result<DiscreteGaussian> DiscreteGaussian::create(const Rational& sigma) {
  if (auto status = check_scale("sigma", sigma); !status) return forward_error(status);
  return DiscreteGaussian(make_gaussian_tables(GaussianKind::kDiscrete, sigma));
}
Status DiscreteGaussian::fill(Source& source, std::span<std::int64_t> out) const {
  return tables_->fill(source, out);
}
Result<std::int64_t> DiscreteGaussian::sample(Source& source) const {
  return one(*tables_, source);
}

}  // namespace discreet::random
