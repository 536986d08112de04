#include <mutex>

#include "discreet/base/try.h"
#include "discreet/mechanism/noise.h"
#include "discreet/random/geometric.h"
#include "discreet/random/scale.h"

namespace discreet::mechanism {
namespace {

class DiscreteLaplace final : public Noise {
 public:
  explicit DiscreteLaplace(const Rational& scale) : Noise(NoiseKind::kDiscreteLaplace, scale) {}

  Status fill(random::Source& source, std::span<std::int64_t> out) const override {
    std::call_once(once_, [this] { sampler_ = random::DiscreteLaplace::create(scale()); });
    if (!sampler_) return forward_error(sampler_);
    return sampler_->fill(source, out);
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

  // The sampler's tables take as long as all the rest, and whoever asks for an expected error only
  // draws nothing.
  mutable std::once_flag once_;
  mutable Result<random::DiscreteLaplace> sampler_ = fail(Code::kFailure, "no sampler");
};

}  // namespace

Result<NoisePointer> discrete_laplace(const Rational& scale) {
  TRY(random::checked_scale("scale", scale));
  return std::make_shared<DiscreteLaplace>(scale);
}

}  // namespace discreet::mechanism
