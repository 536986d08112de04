#include "discreet/base/try.h"
#include "discreet/mechanism/noise.h"
#include "discreet/random/geometric.h"

namespace discreet::mechanism {
namespace {

class DiscreteLaplace final : public Noise {
 public:
  DiscreteLaplace(const Rational& scale, random::DiscreteLaplace sampler)
      : Noise(NoiseKind::kDiscreteLaplace, scale), sampler_(std::move(sampler)) {}

  Status fill(random::Source& source, std::span<std::int64_t> out) const override {
    return sampler_.fill(source, out);
  }
  // (1−α)/(1+α)·α^|z|
  Ball mass(const Integer& z, long bits) const override {
    const Ball one(1), ratio = alpha_to(1, bits);
    return mul(div(sub(one, ratio, bits), add(one, ratio, bits), bits), alpha_to(abs(z), bits),
               bits);
  }

 protected:
  // α^m/(1+α)
  Ball upper_tail(const Integer& m, long bits) const override {
    return div(alpha_to(m, bits), add(Ball(1), alpha_to(1, bits), bits), bits);
  }

 private:
  Ball alpha_to(const Integer& n, long bits) const {
    return exp(-Ball(Rational(n) / scale(), bits + 64), bits);
  }

  random::DiscreteLaplace sampler_;
};

}  // namespace

Result<NoisePointer> discrete_laplace(const Rational& scale) {
  auto sampler = TRY(random::DiscreteLaplace::create(scale));
  return std::make_shared<DiscreteLaplace>(scale, std::move(sampler));
}

}  // namespace discreet::mechanism
