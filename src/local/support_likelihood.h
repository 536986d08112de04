// The likelihood of reports that each support a set of values (unary, hashing, subset): the right
// one, report by report.
//
// A report r is e^ε times as likely from a value of its set S_r as from any other, so, up to a
// constant, P[r|θ] = 1 + (e^ε − 1)·θ(S_r). Both θ(S_r) and the gradient are sums over sets. They
// are taken eight values at a time: a set is a row of bytes, and for every place of a byte there
// is a table of all 256 partial sums; a report costs d/8 steps each way instead of d.
#pragma once

#include <functional>
#include <memory>

#include "discreet/local/likelihood.h"
#include "discreet/local/state.h"

namespace discreet::local {

inline constexpr std::size_t kRowBytes = 128;
inline constexpr std::size_t kRowValues = 8 * kRowBytes;

// The sets that reports support, 1024 values (a tile) at a time.
class SupportRows {
 public:
  virtual ~SupportRows() = default;
  // Which of the tile's values a bit stands for.
  virtual std::size_t member(std::size_t byte, std::size_t bit) const = 0;
  // Bits of values past the domain may be anything.
  virtual void fill(std::size_t report, std::size_t tile,
                    std::span<std::uint8_t, kRowBytes> row) const = 0;
};

// Reports that are rows of bits, value v in bit v mod 32 of word v/32.
std::unique_ptr<SupportRows> bit_rows(std::vector<Word> reports, std::size_t words);

// Of the reports that `state` kept; an error where it kept none. `rows` is called once, with a copy
// of all reports, each different one once where that is quickly found. `constant` is the mean of
// ln P[report | a value that it doesn't support] over all of them.
Result<std::unique_ptr<Likelihood>> support_likelihood(
    const Protocol& protocol, const State& state, double constant,
    const std::function<std::unique_ptr<SupportRows>(std::vector<Word>)>& rows);

}  // namespace discreet::local
