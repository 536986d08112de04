#include "discreet/engine/duckdb/like.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "discreet/engine/duckdb/vector_function.h"
#include "discreet/sql/algebra.h"

namespace discreet::engine::duckdb {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Where the character that begins at `at` ends.
std::size_t next(std::string_view text, std::size_t at) {
  do ++at;
  while (at < text.size() && is_continuation(text[at]));
  return at;
}

// The first place of `plain` from `from` on. Ordinary texts are short and have it soon, or not its
// first byte: that is looked for first. After a few disappointments memmem goes on, which is
// linear whatever both are made of.
std::size_t find_plain(std::string_view text, std::size_t from, std::string_view plain) {
  constexpr int kTries = 8;
  if (plain.size() > text.size() - from) return std::string_view::npos;
  const char* at = text.data() + from;
  const char* const last = text.data() + text.size() - plain.size();
  for (int i = 0; i < kTries; ++i) {
    at = static_cast<const char*>(
        std::memchr(at, plain.front(), static_cast<std::size_t>(last - at) + 1));
    if (!at) return std::string_view::npos;
    if (std::memcmp(at + 1, plain.data() + 1, plain.size() - 1) == 0)
      return static_cast<std::size_t>(at - text.data());
    if (++at > last) return std::string_view::npos;
  }
  const void* found = memmem(at, static_cast<std::size_t>(text.data() + text.size() - at),
                             plain.data(), plain.size());
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data())
               : std::string_view::npos;
}

}  // namespace

LikePattern::Piece LikePattern::piece_of(std::string_view text) {
  Piece out;
  Part part;
  for (const char c : text) {
    if (c != '_') {
      part.plain += c;
      out.length += is_continuation(c) ? 0 : 1;
      continue;
    }
    if (!part.plain.empty()) out.parts.push_back(std::exchange(part, {}));
    ++part.skipped;
    ++out.length;
  }
  if (part.skipped > 0 || !part.plain.empty()) out.parts.push_back(std::move(part));
  for (const Part& one : out.parts) out.least += one.skipped + one.plain.size();
  out.is_plain = out.parts.size() == 1 && out.parts[0].skipped == 0;
  return out;
}

LikePattern::LikePattern(std::string_view pattern) {
  for (std::size_t from = 0;;) {
    const std::size_t end = pattern.find('%', from);
    pieces_.push_back(piece_of(pattern.substr(from, end - from)));
    least_ += pieces_.back().least;
    if (end == std::string_view::npos) break;
    from = end + 1;
  }
  const bool begins = !pattern.starts_with('%'), ends = !pattern.ends_with('%');
  const std::size_t percents = (begins ? 0U : 1U) + (ends ? 0U : 1U);
  if (pieces_.size() != percents + 1 || pattern.size() == percents ||
      pattern.find('_') != std::string_view::npos)
    return;
  kind_ = begins && ends ? Kind::kWhole
          : begins       ? Kind::kBegins
          : ends         ? Kind::kEnds
                         : Kind::kContains;
  plain_ = pattern.substr(begins ? 0 : 1, pattern.size() - percents);
}

// Whether the piece stands at `end`, which then is where it ends.
bool LikePattern::stands_at(const Piece& piece, std::string_view text, std::size_t& end) {
  std::size_t at = end;
  for (const Part& part : piece.parts) {
    for (std::size_t i = 0; i < part.skipped; ++i) {
      if (at >= text.size()) return false;
      at = next(text, at);
    }
    if (text.size() - at < part.plain.size() ||
        std::memcmp(text.data() + at, part.plain.data(), part.plain.size()) != 0)
      return false;
    at += part.plain.size();
  }
  end = at;
  return true;
}

// Looks for the first place of the piece from `end` on, which then is where it ends.
bool LikePattern::find(const Piece& piece, std::string_view text, std::size_t& end) {
  if (piece.parts.empty()) return true;
  // What is skipped first is skipped once: the rest may begin anywhere behind it.
  const Part& first = piece.parts.front();
  std::size_t at = end;
  for (std::size_t i = 0; i < first.skipped; ++i) {
    if (at >= text.size()) return false;
    at = next(text, at);
  }
  if (first.plain.empty()) {
    end = at;
    return true;
  }
  while ((at = find_plain(text, at, first.plain)) != std::string_view::npos) {
    std::size_t after = at + first.plain.size();
    bool fits = true;
    for (std::size_t p = 1; p < piece.parts.size() && fits; ++p) {
      const Part& part = piece.parts[p];
      for (std::size_t i = 0; i < part.skipped && fits; ++i) {
        fits = after < text.size();
        if (fits) after = next(text, after);
      }
      fits = fits && text.size() - after >= part.plain.size() &&
             std::memcmp(text.data() + after, part.plain.data(), part.plain.size()) == 0;
      after += part.plain.size();
    }
    if (fits) {
      end = after;
      return true;
    }
    if (++at >= text.size()) return false;
  }
  return false;
}

bool LikePattern::matches(std::string_view text) const {
  if (text.size() < least_) return false;
  switch (kind_) {
    case Kind::kWhole:
      return text == plain_;
    case Kind::kBegins:
      return std::memcmp(text.data(), plain_.data(), plain_.size()) == 0;
    case Kind::kEnds:
      return std::memcmp(text.data() + text.size() - plain_.size(), plain_.data(), plain_.size()) ==
             0;
    case Kind::kContains:
      return find_plain(text, 0, plain_) != std::string_view::npos;
    case Kind::kAny:
      break;
  }
  return matches_any(text);
}

bool LikePattern::matches_any(std::string_view text) const {
  std::size_t at = 0;
  if (!stands_at(pieces_.front(), text, at)) return false;
  if (pieces_.size() == 1) return at == text.size();
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i)
    if (!find(pieces_[i], text, at)) return false;
  // The last piece stands at the end: so many characters from there.
  const Piece& last = pieces_.back();
  if (last.parts.empty()) return true;
  std::size_t from = text.size();
  if (last.is_plain) {
    if (from - at < last.least) return false;
    from -= last.least;
  } else {
    for (std::size_t i = 0; i < last.length; ++i) {
      if (from <= at) return false;
      do --from;
      while (from > at && is_continuation(text[from]));
    }
  }
  return stands_at(last, text, from) && from == text.size();
}

std::string_view as_read(std::string_view text) {
  constexpr auto kMost = static_cast<std::size_t>(sql::kLongestName);
  if (text.size() <= kMost) return text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kMost && at < text.size(); ++i) at = next(text, at);
  return text.substr(0, at);
}

namespace {

// As duckdb_string_t_data() has it, which is not called for every row.
std::string_view view(const duckdb_string_t& text) {
  const std::uint32_t length = text.value.inlined.length;
  return {length <= sizeof text.value.inlined.inlined ? text.value.inlined.inlined
                                                      : text.value.pointer.ptr,
          length};
}

bool is_valid(const std::uint64_t* validity, idx_t row) {
  return !validity || (validity[row / 64] >> (row % 64) & 1U) != 0;
}

void like(duckdb_function_info /*info*/, duckdb_data_chunk input, duckdb_vector output) {
  duckdb_vector texts = duckdb_data_chunk_get_vector(input, 0);
  duckdb_vector patterns = duckdb_data_chunk_get_vector(input, 1);
  const auto* text = static_cast<const duckdb_string_t*>(duckdb_vector_get_data(texts));
  const auto* written = static_cast<const duckdb_string_t*>(duckdb_vector_get_data(patterns));
  const std::uint64_t* known = duckdb_vector_get_validity(texts);
  const std::uint64_t* given = duckdb_vector_get_validity(patterns);
  auto* out = static_cast<bool*>(duckdb_vector_get_data(output));
  // A literal pattern lies in every row as the same sixteen bytes: it is read once.
  LikePattern pattern("");
  const duckdb_string_t* read = nullptr;
  for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
    if (!is_valid(known, row) || !is_valid(given, row)) {
      out[row] = false;
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
      continue;
    }
    if (!read || std::memcmp(read, &written[row], sizeof *read) != 0) {
      pattern = LikePattern(view(written[row]));
      read = &written[row];
    }
    out[row] = pattern.matches(as_read(view(text[row])));
  }
}

void text(duckdb_function_info /*info*/, duckdb_data_chunk input, duckdb_vector output) {
  constexpr auto kMost = static_cast<std::uint32_t>(sql::kLongestName);
  duckdb_vector texts = duckdb_data_chunk_get_vector(input, 0);
  const auto* values = static_cast<const duckdb_string_t*>(duckdb_vector_get_data(texts));
  const std::uint64_t* known = duckdb_vector_get_validity(texts);
  const idx_t rows = duckdb_data_chunk_get_size(input);
  bool long_ones = false;
  for (idx_t row = 0; row < rows; ++row)
    long_ones |= values[row].value.inlined.length > kMost && is_valid(known, row);
  if (!long_ones) {
    duckdb_vector_reference_vector(output, texts);
    return;
  }
  for (idx_t row = 0; row < rows; ++row) {
    if (!is_valid(known, row)) {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
      continue;
    }
    const std::string_view cut = as_read(view(values[row]));
    duckdb_vector_assign_string_element_len(output, row, cut.data(), cut.size());
  }
}

}  // namespace

bool add_text_functions(duckdb_connection connection) {
  return add_function(connection, {"discreet_like",
                                   {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
                                   DUCKDB_TYPE_BOOLEAN,
                                   like}) &&
         add_function(connection,
                      {"discreet_text", {DUCKDB_TYPE_VARCHAR}, DUCKDB_TYPE_VARCHAR, text});
}

}  // namespace discreet::engine::duckdb
