#include "discreet/random/gaussian.h"

#include "discreet/base/try.h"
#include "discreet/random/gaussian_tables.h"
#include "discreet/random/scale.h"

namespace discreet::random {
namespace {

Result<std::int64_t> one(const GaussianTables& tables, Source& source) {
  std::int64_t value = 0;
  TRY(tables.fill(source, {&value, 1}));
  return value;
}

}  // namespace

Result<RoundedGaussian> RoundedGaussian::create(const Rational& sigma) {
  auto checked = TRY(checked_scale("sigma", sigma));
  return RoundedGaussian(make_gaussian_tables(GaussianKind::kRounded, checked));
}
Status RoundedGaussian::fill(Source& source, std::span<std::int64_t> out) const {
  return tables_->fill(source, out);
}
Result<std::int64_t> RoundedGaussian::sample(Source& source) const { return one(*tables_, source); }

Result<DiscreteGaussian> DiscreteGaussian::create(const Rational& sigma) {
  auto checked = TRY(checked_scale("sigma", sigma));
  return DiscreteGaussian(make_gaussian_tables(GaussianKind::kDiscrete, checked));
}
Status DiscreteGaussian::fill(Source& source, std::span<std::int64_t> out) const {
  return tables_->fill(source, out);
}
Result<std::int64_t> DiscreteGaussian::sample(Source& source) const {
  return one(*tables_, source);
}

}  // namespace discreet::random
