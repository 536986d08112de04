// The tables behind geometric.h: a geometric variable as independent digits, the top one together
// with a "head" (the sign).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/random/alias.h"
#include "discreet/random/source.h"

namespace discreet::random {

// What the head says of a geometric g:
enum class Head {
  kNone,     // z = g
  kSign,     // z = g, or −1−g: the two sides of a discrete Laplace, which are geometric each
  kRounded,  // z = 0, or ±(1+g): a rounded Laplace
};

class DigitTables {
 public:
  // `power(n, bits)` encloses α^n; `heads(bits)` the probabilities of the head's values (none for
  // Head::kNone).
  using Power = std::function<Ball(const Integer& n, long bits)>;
  using Heads = std::function<std::vector<Ball>(long bits)>;

  DigitTables(Head head, Power power, Heads heads);

  Status fill(Source& source, std::span<std::int64_t> out) const;

 private:
  struct Digit {
    std::vector<std::uint64_t> weights;
    AliasTable table;
    std::uint64_t place;  // what one unit of this digit is worth
    bool top;
  };

  std::vector<Ball> probabilities(std::uint64_t place, bool top, long bits) const;
  void add_digit(std::uint64_t place, bool top);
  template <int kDigits>
  Status fill_digits(Source& source, std::span<std::int64_t> out) const;
  std::int64_t combine(std::uint32_t top_symbol, std::uint64_t low) const;
  Result<std::int64_t> sample_rare(Source& source, std::span<const std::uint64_t> words) const;

  Head head_;
  Power power_;
  Heads heads_;
  std::uint32_t top_values_ = 1;  // how many values the top digit has in its table
  std::vector<Digit> digits_;     // lowest first
};

}  // namespace discreet::random
