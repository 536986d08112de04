#include "discreet/random/digit_tables.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/random/remainder.h"
#include "discreet/random/saturate.h"

namespace discreet::random {
namespace {

// The base of all digits but the top one: with the remainder, 512 symbols.
constexpr std::uint64_t kBase = AliasTable::kMostSymbols - 1;
constexpr std::size_t kMostDigits = 7;  // 511^6 · 511 > 40 · 2^40, the largest scale's span
constexpr std::size_t kBlock = 128;     // samples worked on at a time
constexpr long kTableBits = 256;
// The top digit's table ends where α^span ≤ 2^-56.
constexpr double kTail = 0x1p-56;

constexpr std::uint32_t head_values(Head head) {
  return head == Head::kNone ? 1 : head == Head::kSign ? 2 : 3;
}

Integer integer(std::uint64_t value) { return Integer(static_cast<unsigned long>(value)); }

}  // namespace

DigitTables::DigitTables(Head head, Power power, Heads heads)
    : head_(head), power_(std::move(power)), heads_(std::move(heads)) {
  const auto reaches = [&](std::uint64_t span) {
    return power_(integer(span), kTableBits).upper() <= kTail;
  };
  const auto most_top_values = static_cast<std::uint32_t>(kBase / head_values(head_));
  std::uint64_t place = 1;
  while (digits_.size() + 1 < kMostDigits && !reaches(place * most_top_values)) {
    add_digit(place, false);
    place *= kBase;
  }
  // the fewest values that reach: a small table, and no symbol that can't come up
  std::uint32_t low = 1, high = most_top_values;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (reaches(place * middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  top_values_ = low;
  add_digit(place, true);
}

// Digit i of a geometric variable, place = base^i, ρ = α^place:  P[d] = ρ^d·(1−ρ)/(1−ρ^base);
// the top digit has no last value:                               P[d] = ρ^d·(1−ρ), times P[head].
std::vector<Ball> DigitTables::probabilities(std::uint64_t place, bool top, long bits) const {
  const Ball one(1);
  const Ball ratio = power_(integer(place), bits);
  Ball current = sub(one, ratio, bits);
  if (!top) current = div(current, sub(one, power_(integer(place * kBase), bits), bits), bits);
  std::vector<Ball> digit;
  for (std::uint64_t d = 0; d < (top ? top_values_ : kBase); ++d) {
    digit.push_back(current);
    current = mul(current, ratio, bits);
  }
  if (!top || head_ == Head::kNone) return digit;
  std::vector<Ball> joint;
  for (const Ball& head : heads_(bits))
    for (const Ball& p : digit) joint.push_back(mul(head, p, bits));
  return joint;
}

void DigitTables::add_digit(std::uint64_t place, bool top) {
  std::vector<std::uint64_t> weights;
  for (const Ball& p : probabilities(place, top, kTableBits)) weights.push_back(weight_below(p));
  AliasTable table(weights);
  digits_.push_back({std::move(weights), std::move(table), place, top});
}

inline std::int64_t DigitTables::combine(std::uint32_t top_symbol, std::uint64_t low) const {
  // the head as numbers, without branches: which third or half of the symbols it is
  const std::uint32_t head = (top_symbol >= top_values_) + (top_symbol >= 2 * top_values_);
  const auto g =
      static_cast<std::int64_t>(low + digits_.back().place * (top_symbol - head * top_values_));
  switch (head_) {  // the same way for every sample of a table
    case Head::kNone:
      return g;
    case Head::kSign:
      return g ^ -static_cast<std::int64_t>(head);  // −1−g is ~g
    case Head::kRounded: {
      const std::int64_t present = -static_cast<std::int64_t>(head != 0);
      const std::int64_t negative = -static_cast<std::int64_t>(head == 2);
      return (((g + 1) ^ negative) - negative) & present;
    }
  }
  return 0;
}

// A sample of which at least one digit fell on its table's remainder. Exact, slow, and hardly ever
// called.
Result<std::int64_t> DigitTables::sample_rare(Source& source,
                                              std::span<const std::uint64_t> words) const {
  const auto resolve = [&](const Digit& digit, std::uint64_t word) -> Result<std::uint32_t> {
    const std::uint32_t symbol = digit.table.pick(word);
    if (symbol != digit.table.remainder()) return symbol;
    return sample_remainder(source, digit.weights,
                            [&](long bits) { return probabilities(digit.place, digit.top, bits); });
  };
  std::uint64_t low = 0;
  for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
    auto symbol = TRY(resolve(digits_[i], words[i]));
    low += digits_[i].place * symbol;
  }
  const Digit& top = digits_.back();
  std::uint64_t word = words[digits_.size() - 1];
  Integer beyond = 0;
  for (;;) {
    auto symbol = TRY(resolve(top, word));
    if (symbol != top.table.remainder()) {
      const std::int64_t z = combine(symbol, low);
      if (head_ == Head::kRounded && z == 0) return 0;  // the head said 0, whatever the digits are
      // what the top digit had beyond its table goes on top of the magnitude
      const Integer magnitude = beyond * integer(top.place);
      return saturate(z < 0 ? Integer(static_cast<long>(z) - magnitude)
                            : Integer(static_cast<long>(z) + magnitude));
    }
    // Memoryless: beyond the table's end the digit starts anew.
    beyond += top_values_;
    TRY(source.fill({&word, 1}));
  }
}

template <int kDigits>
Status DigitTables::fill_digits(Source& source, std::span<std::int64_t> out) const {
  std::array<std::uint64_t, kBlock * kDigits> words;
  Status done;
  for (std::size_t start = 0; start < out.size() && done; start += kBlock) {
    const std::size_t count = std::min(kBlock, out.size() - start);
    const std::span<std::uint64_t> drawn(words.data(), count * kDigits);
    done = source.fill(drawn);
    if (!done) break;
    bool rare = false;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t low = 0;
      for (int d = 0; d + 1 < kDigits; ++d) {
        const Digit& digit = digits_[static_cast<std::size_t>(d)];
        const std::uint32_t symbol =
            digit.table.pick(drawn[i * kDigits + static_cast<std::size_t>(d)]);
        rare |= symbol == digit.table.remainder();
        low += digit.place * symbol;
      }
      const std::uint32_t symbol =
          digits_[kDigits - 1].table.pick(drawn[i * kDigits + kDigits - 1]);
      rare |= symbol == digits_[kDigits - 1].table.remainder();
      out[start + i] = combine(symbol, low);
    }
    if (!rare) continue;
    for (std::size_t i = 0; i < count && done; ++i) {
      bool fix = false;
      for (std::size_t d = 0; d < kDigits; ++d)
        fix |= digits_[d].table.pick(drawn[i * kDigits + d]) == digits_[d].table.remainder();
      if (!fix) continue;
      auto value = sample_rare(source, drawn.subspan(i * kDigits, kDigits));
      if (value) {
        out[start + i] = *value;
      } else {
        done = forward_error(value);
      }
    }
  }
  OPENSSL_cleanse(words.data(),
                  sizeof(std::uint64_t) * std::min(words.size(), out.size() * kDigits));
  return done;
}

Status DigitTables::fill(Source& source, std::span<std::int64_t> out) const {
  switch (digits_.size()) {
    case 1:
      return fill_digits<1>(source, out);
    case 2:
      return fill_digits<2>(source, out);
    case 3:
      return fill_digits<3>(source, out);
    case 4:
      return fill_digits<4>(source, out);
    case 5:
      return fill_digits<5>(source, out);
    case 6:
      return fill_digits<6>(source, out);
    default:
      return fill_digits<kMostDigits>(source, out);
  }
}

}  // namespace discreet::random
