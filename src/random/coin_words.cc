#include "discreet/random/coin_words.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::random {
namespace {

// Words of coins tossed side by side: a vector or two of the processor's.
constexpr std::size_t kAbreast = 8;

}  // namespace

Result<CoinWords> CoinWords::create(Real p) {
  // the closer p is to a binary fraction of so few digits, the more of its own it takes to tell
  for (long bits = 256; bits <= 1 << 14; bits *= 2) {
    const Ball near = p(bits);
    if (!near.is_finite() || near.upper() < 0 || near.lower() > 1)
      return fail(Code::kUsage, "probability: found no number from 0 to 1; accepted is one");
    const Integer most = (Integer(1) << kDigits) - 1;
    // low ≤ 2^46·p ≤ high + 1; where p is exactly high + 1, its digits are those of high, followed
    // by ones for ever
    const Integer low = std::clamp(near.floor_shifted(kDigits), Integer(0), most);
    const Integer high = std::clamp(Integer(near.ceil_shifted(kDigits) - 1), low, most);
    if (low != high) continue;
    std::array<std::uint64_t, kDigits> digits;
    for (std::size_t i = 0; i < kDigits; ++i)
      digits[i] = mpz_tstbit(low.get_mpz_t(), kDigits - 1 - i) != 0 ? ~std::uint64_t{0} : 0;
    return CoinWords(std::move(p), digits, low);
  }
  return fail(Code::kFailure, "a coin's bias can't be told from a short binary fraction");
}

Status CoinWords::fill(Source& source, std::span<std::uint64_t> out) const {
  std::array<std::uint64_t, kAbreast * kDigits> drawn;
  for (; !out.empty(); out = out.subspan(std::min(out.size(), kAbreast))) {
    const std::size_t count = std::min(out.size(), kAbreast);
    TRY(source.fill(std::span(drawn).first(count * kDigits)));
    std::array<std::uint64_t, kAbreast> heads{}, open;
    open.fill(~std::uint64_t{0});
    for (std::size_t k = 0; k < kDigits; ++k)
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t differs = drawn[k * count + i] ^ digits_[k];
        heads[i] |= open[i] & differs & digits_[k];  // u has 0 where p has 1
        open[i] &= ~differs;
      }
    for (std::size_t i = 0; i < count; ++i) {
      if (open[i] != 0) TRY(finish(source, open[i], heads[i]));
      out[i] = heads[i];
    }
  }
  return {};
}

// u = (known + u')/2^m < p where u' < 2^m·p − known, u' uniform again.
Status CoinWords::finish(Source& source, std::uint64_t open, std::uint64_t& out) const {
  constexpr long m = kDigits;
  const auto rest = [&](long bits) -> Result<Ball> {
    const long enough = bits + m + 8;
    const Ball scale(Rational(Integer(1) << static_cast<unsigned long>(m)), enough);
    return sub(mul(p_(enough), scale, enough), Ball(Rational(known_), enough), enough);
  };
  for (unsigned lane = 0; lane < 64; ++lane) {
    if ((open >> lane & 1) == 0) continue;
    LazyUniform u;
    if (TRY(falls_below(source, u, rest))) out |= std::uint64_t{1} << lane;
  }
  return {};
}

}  // namespace discreet::random
