#include "discreet/channel/leakage.h"

#include <algorithm>

#include "discreet/base/ball.h"
#include "discreet/base/try.h"

namespace discreet::channel {

std::optional<Rational> Leakage::multiplicative() const {
  if (sgn(prior) <= 0) return std::nullopt;
  return posterior / prior;
}

Result<Leakage> leakage_of(const Channel& channel, const Prior& prior, const Gain& gain) {
  auto after = TRY(utility_of(channel, prior, gain));
  auto before = TRY(utility_of_guessing(prior, gain));
  return Leakage{before.value, after.value};
}

Rational multiplicative_capacity(const Channel& channel) {
  Rational sum;
  for (std::size_t z = 0; z < channel.columns(); ++z) {
    std::size_t most = 0;
    for (std::size_t y = 1; y < channel.rows(); ++y)
      if (channel.at(y, z) > channel.at(most, z)) most = y;
    sum += channel.at(most, z);
  }
  return sum;
}

double bits_of(const Rational& ratio) {
  if (ratio == 1) return 0;
  const auto bits = static_cast<long>(192 + mpz_sizeinbase(ratio.get_den_mpz_t(), 2));
  return div(log(Ball(ratio, bits), bits), log(Ball(2), bits), bits).middle();
}

}  // namespace discreet::channel
