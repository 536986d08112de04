#include "discreet/bound/group_cache.h"

#include <algorithm>
#include <bit>

namespace discreet::bound {

void Codes::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  for (const Entry& one : old) {
    if (one.code == kUnknown) continue;
    std::size_t at = place(one.a, one.b);
    while (table_[at].code != kUnknown) at = (at + 1) & (table_.size() - 1);
    table_[at] = one;
  }
}

void TextCodes::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  for (Entry& one : old) {
    if (one.code == Codes::kUnknown) continue;
    std::size_t at = one.hash & (table_.size() - 1);
    while (table_[at].code != Codes::kUnknown) at = (at + 1) & (table_.size() - 1);
    table_[at] = std::move(one);
  }
}

std::uint64_t TextCodes::quick(std::string_view text) {
  std::uint64_t hash = text.size() * 0x9E3779B97F4A7C15u;
  const auto step = [&](std::uint64_t word) {
    const UnsignedWide product = static_cast<UnsignedWide>(hash ^ word) * 0xD6E8FEB86659FD93u;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    step(word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, at, left);
  step(word ^ (static_cast<std::uint64_t>(left) << 56));
  return hash ^ (hash >> 31);
}

namespace {

// The second word of a number, and of a missing value (whose first, in a column of texts, is no
// short text's length).
constexpr std::uint64_t kMissing = 1, kThere = 0;

}  // namespace

// out[i] = the code of row begin + i in this column; learn(i) where it is new.
template <class Learn>
void GroupCache::code_column(const Batch& batch, std::size_t column, std::size_t begin,
                             std::span<std::uint32_t> out, Learn&& learn) {
  const Column& values = batch.keys[column];
  Codes& codes = values_[column];
  const bool all = !values.validity;
  const auto each = [&](auto&& code_of) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto learn_row = [&] { return learn(i); };
      out[i] = all || values.valid(begin + i) ? code_of(begin + i, learn_row)
                                              : codes.of(UINT64_MAX, kMissing, learn_row);
    }
  };
  switch (values.kind) {
    case Column::Kind::kText:
      each([&](std::size_t row, auto&& learn_row) {
        const Text& text = values.text[row];
        if (text.length > Text::kInside) return texts_[column].of(text.view(), learn_row);
        std::uint64_t words[2];
        std::memcpy(words, &text, sizeof words);
        return codes.of(words[0], words[1], learn_row);
      });
      break;
    case Column::Kind::kReal:
      each([&](std::size_t row, auto&& learn_row) {
        return codes.of(std::bit_cast<std::uint64_t>(values.real[row]), kThere, learn_row);
      });
      break;
    case Column::Kind::kWhole:
      each([&](std::size_t row, auto&& learn_row) {
        return codes.of(static_cast<std::uint64_t>(values.whole[row]), kThere, learn_row);
      });
  }
}

// Writes the row's key out and asks the shared table.
std::uint32_t GroupCache::ask(const Batch& batch, std::size_t row) {
  bytes_.clear();
  for (const Column& column : batch.keys) {
    if (!column.valid(row)) {
      bytes_.null();
    } else if (column.kind == Column::Kind::kText) {
      bytes_.text(column.text[row].view());
    } else if (column.kind == Column::Kind::kReal) {
      bytes_.real(column.real[row]);
    } else {
      bytes_.whole(column.whole[row]);
    }
  }
  return groups_.number(bytes_.view());
}

void GroupCache::number(const Batch& batch, std::size_t begin, std::span<std::uint32_t> out) {
  const std::size_t columns = batch.keys.size();
  const auto ask_row = [&](std::size_t i) { return ask(batch, begin + i); };
  if (columns == 0) std::fill(out.begin(), out.end(), ask_row(0));
  if (columns == 1) code_column(batch, 0, begin, out, ask_row);
  if (columns <= 1) return;
  // Codes of the columns from left to right; the last pair's code is the group's number.
  const auto count = [](std::uint32_t& counted) {
    return counted < Codes::kMost ? counted++ : Codes::kUnknown;
  };
  code_column(batch, 0, begin, out, [&](std::size_t) { return count(counted_values_[0]); });
  codes_.resize(out.size());
  for (std::size_t column = 1; column < columns; ++column) {
    code_column(batch, column, begin, codes_,
                [&](std::size_t) { return count(counted_values_[column]); });
    const bool last = column + 1 == columns;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] == Codes::kUnknown || codes_[i] == Codes::kUnknown) {
        out[i] = last ? ask_row(i) : Codes::kUnknown;  // too many to be remembered
      } else {
        out[i] = pairs_[column].of(
            out[i], codes_[i], [&] { return last ? ask_row(i) : count(counted_pairs_[column]); });
      }
    }
  }
}

}  // namespace discreet::bound
