#include "discreet/base/try.h"
#include "discreet/mechanism/discrete_gaussian.h"
#include "discreet/mechanism/noise.h"
#include "discreet/random/gaussian.h"

namespace discreet::mechanism {
namespace {

constexpr long kUsualBits = 128;  // the precision at which the normaliser is kept

class DiscreteGaussian final : public Noise {
 public:
  DiscreteGaussian(const Rational& sigma, random::DiscreteGaussian sampler)
      : Noise(NoiseKind::kDiscreteGaussian, sigma),
        sampler_(std::move(sampler)),
        usual_(discrete_gaussian_normaliser(sigma, kUsualBits)) {}

  Status fill(random::Source& source, std::span<std::int64_t> out) const override {
    return sampler_.fill(source, out);
  }
  Ball mass(const Integer& z, long bits) const override {
    return div(discrete_gaussian_weight(scale(), z, bits), normaliser(bits), bits);
  }

 protected:
  Ball upper_tail(const Integer& m, long bits) const override {
    return div(discrete_gaussian_tail(scale(), m, bits), normaliser(bits), bits);
  }

 private:
  Ball normaliser(long bits) const {
    return bits == kUsualBits ? usual_ : discrete_gaussian_normaliser(scale(), bits);
  }

  random::DiscreteGaussian sampler_;
  Ball usual_;
};

}  // namespace

Result<NoisePointer> discrete_gaussian_noise(const Rational& sigma) {
  auto sampler = TRY(random::DiscreteGaussian::create(sigma));
  return std::make_shared<DiscreteGaussian>(sigma, std::move(sampler));
}

}  // namespace discreet::mechanism
