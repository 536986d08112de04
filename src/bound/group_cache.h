// One thread's memory of group numbers, so that a row costs a probe or two of a small table and the
// shared table is asked once for each key.
//
// A key of several columns is numbered column by column: each value has a code, and a pair of
// codes, of the columns before and of this one, has a code again. Different values have different
// codes; the same value may get a second one when too many are remembered already, and is then
// asked for once more.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "discreet/bound/batch.h"
#include "discreet/bound/groups.h"

namespace discreet::bound {

// From two words to a number: open addressing, linear probing, a quarter full at most, so that the
// first place is nearly always the right one.
class Codes {
 public:
  static constexpr std::uint32_t kUnknown = UINT32_MAX - 1, kMost = 4'000'000;

  // The code of (a, b); where there is none, what learn() says is kept, up to a limit.
  template <class Learn>
  std::uint32_t of(std::uint64_t a, std::uint64_t b, Learn&& learn) {
    std::size_t at = place(a, b);
    while (table_[at].code != kUnknown) {
      if (table_[at].a == a && table_[at].b == b) return table_[at].code;
      at = (at + 1) & (table_.size() - 1);
    }
    const std::uint32_t code = learn();
    if (code != kUnknown && used_ < kMost) {
      table_[at] = {a, b, code};
      if (++used_ * 4 > table_.size()) grow();
    }
    return code;
  }

 private:
  struct alignas(32) Entry {
    std::uint64_t a = 0, b = 0;
    std::uint32_t code = kUnknown;
  };
  std::size_t place(std::uint64_t a, std::uint64_t b) const {
    const UnsignedWide product =
        static_cast<UnsignedWide>(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xD6E8FEB86659FD93u);
    return (static_cast<std::size_t>(product) ^ static_cast<std::size_t>(product >> 64)) &
           (table_.size() - 1);
  }
  void grow();
  std::vector<Entry> table_ = std::vector<Entry>(256);
  std::size_t used_ = 0;
};

// Codes of texts that don't fit into two words.
class TextCodes {
 public:
  template <class Learn>
  std::uint32_t of(std::string_view text, Learn&& learn) {
    const std::uint64_t hash = quick(text);
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at].code != Codes::kUnknown) {
      if (table_[at].hash == hash && table_[at].text == text) return table_[at].code;
      at = (at + 1) & (table_.size() - 1);
    }
    const std::uint32_t code = learn();
    if (code != Codes::kUnknown && bytes_ < kMostBytes) {
      table_[at] = {hash, code, std::string(text)};
      bytes_ += sizeof(Entry) + text.size();
      if (++used_ * 2 > table_.size()) grow();
    }
    return code;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t code = Codes::kUnknown;
    std::string text;
  };
  static std::uint64_t quick(std::string_view text);
  void grow();
  std::vector<Entry> table_ = std::vector<Entry>(64);
  std::size_t used_ = 0, bytes_ = 0;
};

class GroupCache {
 public:
  GroupCache(Groups& groups, std::size_t columns)
      : groups_(groups),
        values_(columns),
        texts_(columns),
        pairs_(columns),
        counted_values_(columns),
        counted_pairs_(columns) {}

  // out[i] is the number of the group of row begin + i.
  void number(const Batch& batch, std::size_t begin, std::span<std::uint32_t> out);

 private:
  template <class Learn>
  void code_column(const Batch& batch, std::size_t column, std::size_t begin,
                   std::span<std::uint32_t> out, Learn&& learn);
  std::uint32_t ask(const Batch& batch, std::size_t row);

  Groups& groups_;
  KeyBytes bytes_;
  std::vector<Codes> values_;
  std::vector<TextCodes> texts_;
  std::vector<Codes> pairs_;  // of the code of the columns before, and a column's
  std::vector<std::uint32_t> counted_values_, counted_pairs_, codes_;
};

}  // namespace discreet::bound
