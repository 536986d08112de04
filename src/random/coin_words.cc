#include "discreet/random/coin_words.h"

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::random {
namespace {

constexpr long kDigits = 192;

// Words drawn ahead, so that a digit costs no call.
class Buffer {
 public:
  explicit Buffer(Source& source) : source_(source) {}
  bool empty() const { return at_ == words_.size(); }
  Status refill(std::size_t count) {
    at_ = words_.size() - std::min(count, words_.size());
    return source_.fill(std::span(words_).subspan(at_));
  }
  std::uint64_t take() { return words_[at_++]; }

 private:
  Source& source_;
  std::array<std::uint64_t, 256> words_;
  std::size_t at_ = words_.size();
};

}  // namespace

Result<CoinWords> CoinWords::create(Real p) {
  const Ball near = p(kDigits + 64);
  if (!near.is_finite() || near.upper() < 0 || near.lower() > 1)
    return fail(Code::kUsage, "probability: found no number from 0 to 1; accepted is one");
  const Integer most = (Integer(1) << kDigits) - 1;
  // low ≤ 2^192·p ≤ high + 1: p begins with the digits that both have (where it is exactly high +
  // 1, with those of high followed by ones for ever)
  const Integer low = std::clamp(near.floor_shifted(kDigits), Integer(0), most);
  const Integer high = std::clamp(Integer(near.ceil_shifted(kDigits) - 1), low, most);
  std::vector<std::uint64_t> digits;
  Integer known = 0;
  for (long i = kDigits; i-- > 0;) {
    const auto place = static_cast<mp_bitcnt_t>(i);
    const bool one = mpz_tstbit(low.get_mpz_t(), place) != 0;
    if (one != (mpz_tstbit(high.get_mpz_t(), place) != 0)) break;
    digits.push_back(one ? ~std::uint64_t{0} : 0);
    known = 2 * known + (one ? 1 : 0);
  }
  return CoinWords(std::move(p), std::move(digits), std::move(known));
}

Status CoinWords::fill(Source& source, std::span<std::uint64_t> out) const {
  Buffer buffer(source);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint64_t heads = 0, open = ~std::uint64_t{0};
    for (std::size_t k = 0; open != 0 && k < digits_.size(); ++k) {
      // eight a word still to come is a little more than they take
      if (buffer.empty()) TRY(buffer.refill(8 * (out.size() - i)));
      const std::uint64_t differs = buffer.take() ^ digits_[k];
      heads |= open & differs & digits_[k];  // u has 0 where p has 1
      open &= ~differs;
    }
    if (open != 0) TRY(finish(source, open, heads));
    out[i] = heads;
  }
  return {};
}

// u = (known + u')/2^m < p where u' < 2^m·p − known, u' uniform again.
Status CoinWords::finish(Source& source, std::uint64_t open, std::uint64_t& out) const {
  const auto m = static_cast<long>(digits_.size());
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
