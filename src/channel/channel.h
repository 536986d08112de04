// A channel: the matrix C[y][z] = P(z | y) of a mechanism with finitely many inputs and outputs
// (deck 003), held in exact rational numbers.
//
//   const Rational high(3, 4), low(1, 4);
//   Channel coin = *Channel::create(2, 2, {high, low, low, high});
//   Rational truth = coin.at(0, 0);  // exactly 3/4
//
// Rows sum to exactly 1 and no entry is negative: create() refuses anything else, so that every
// function on channels may rely on it. Channels too large to write down are in structured.h.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "discreet/base/number.h"

namespace discreet::channel {

class Channel {
 public:
  static constexpr std::size_t kMostEntries = 1'000'000;

  static Result<Channel> create(std::size_t rows, std::size_t columns,
                                std::vector<Rational> entries);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  const Rational& at(std::size_t y, std::size_t z) const { return entries_[y * columns_ + z]; }
  std::span<const Rational> row(std::size_t y) const {
    return std::span(entries_).subspan(y * columns_, columns_);
  }

  friend bool operator==(const Channel&, const Channel&) = default;

 private:
  Channel(std::size_t rows, std::size_t columns, std::vector<Rational> entries)
      : rows_(rows), columns_(columns), entries_(std::move(entries)) {}
  std::size_t rows_, columns_;
  std::vector<Rational> entries_;
};

// Refuses what wouldn't fit in memory, before it is made.
Status check_extent(std::size_t rows, std::size_t columns);

}  // namespace discreet::channel
