#include "discreet/base/try.h"
#include "discreet/mechanism/noise.h"
#include "discreet/random/gaussian.h"

namespace discreet::mechanism {
namespace {

// x/(σ√2), for the error function.
Ball standard(const Rational& x, const Rational& sigma, long bits) {
  return div(Ball(x / sigma, bits), sqrt(Ball(2), bits), bits);
}

class RoundedGaussian final : public Noise {
 public:
  RoundedGaussian(const Rational& sigma, random::RoundedGaussian sampler)
      : Noise(NoiseKind::kRoundedGaussian, sigma), sampler_(std::move(sampler)) {}

  Status fill(random::Source& source, std::span<std::int64_t> out) const override {
    return sampler_.fill(source, out);
  }
  // ½(erfc((|z|−½)/(σ√2)) − erfc((|z|+½)/(σ√2))): complements, so that the tail keeps its digits;
  // the difference of two close numbers loses about log2 σ + log2(erfc/mass) bits, which the
  // working precision adds.
  Ball mass(const Integer& z, long bits) const override {
    const long working = bits + 64 + static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2));
    const Rational at(abs(z));
    const Ball near = erfc(standard(at - Rational(1, 2), scale(), working), working);
    const Ball far = erfc(standard(at + Rational(1, 2), scale(), working), working);
    return div(sub(near, far, working), Ball(2), bits);
  }

 protected:
  // ½ erfc((m−½)/(σ√2))
  Ball upper_tail(const Integer& m, long bits) const override {
    return div(erfc(standard(Rational(m) - Rational(1, 2), scale(), bits + 64), bits), Ball(2),
               bits);
  }

 private:
  random::RoundedGaussian sampler_;
};

}  // namespace

Result<NoisePointer> rounded_gaussian(const Rational& sigma) {
  auto sampler = TRY(random::RoundedGaussian::create(sigma));
  return std::make_shared<RoundedGaussian>(sigma, std::move(sampler));
}

}  // namespace discreet::mechanism
