#include "discreet/engine/duckdb/csv_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "discreet/base/utf8.h"
#include "discreet/engine/duckdb/csv.h"

namespace discreet::engine::duckdb {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20;

}  // namespace

// The header is the first record. (One that isn't well formed was refused when the columns were
// looked up; should the file have changed since, its first line is passed over.)
void CsvBlocks::begin() {
  doomed_ = 0;
  load(at_, scratch_, kLongestHeader);
  const char* doomed = scratch_.begin();
  if (scratch_.text().empty()) return;
  const auto header = csv_step(scratch_.begin(), scratch_.end(), true, delimiter_, doomed);
  at_ += static_cast<std::uint64_t>(header->next - scratch_.begin());
}

bool CsvBlocks::take(Block& block) {
  while (const std::size_t got = load(at_, block, cut_.block)) {
    const std::size_t end = last_border(block, got < cut_.block);
    if (end > 0) {
      block.resize(end);
      at_ += end;
      return true;
    }
    if (take_long(block)) return true;
  }
  return false;
}

// The last border in the block, which starts at one; 0: the first record goes on behind it.
std::size_t CsvBlocks::last_border(const Block& block, bool last) {
  const char *const begin = block.begin(), *const end = block.end();
  const std::uint64_t known =
      std::min<std::uint64_t>(doomed_ > at_ ? doomed_ - at_ : 0, block.text().size());
  const char* doomed = begin + known;
  const char* border = begin;
  while (border < end) {
    const char* quote = find(border, end, '"');
    const char* line = find_last(border, quote ? quote : end, '\n');
    if (line) border = line + 1;
    if (!quote) {
      if (last) border = end;
      break;
    }
    const auto step = csv_step(border, end, last, delimiter_, doomed);
    if (!step) break;
    border = step->next;
  }
  doomed_ = std::max(doomed_, at_ + static_cast<std::uint64_t>(doomed - begin));
  return static_cast<std::size_t>(border - begin);
}

// The record at at_ is longer than a block. True: it is in the block, alone. False: it was passed
// over, or its first line was.
bool CsvBlocks::take_long(Block& block) {
  CsvWalk walk(delimiter_);
  CsvWalk::State state = CsvWalk::State::kWithin;
  std::uint64_t to = at_;
  while (state == CsvWalk::State::kWithin) {
    const std::size_t got = load(to, scratch_, cut_.block);
    if (failed()) return false;
    if (got == 0) {
      state = walk.finish();
      break;
    }
    const char* p = scratch_.begin();
    const std::uint64_t known = std::min<std::uint64_t>(doomed_ > to ? doomed_ - to : 0, got);
    state = walk.walk(p, scratch_.end(), scratch_.begin() + known);
    to += static_cast<std::uint64_t>(p - scratch_.begin());
  }
  if (state == CsvWalk::State::kBroken) {
    doomed_ = std::max(doomed_, to);
    at_ = next_line(at_);
    return false;
  }
  const std::uint64_t size = to - at_;
  if (size <= cut_.longest) load(at_, block, static_cast<std::size_t>(size));
  at_ = to;
  return size <= cut_.longest;
}

Result<std::vector<std::string>> csv_names(const std::string& file, char delimiter) {
  const auto bad = [&](const char* what) {
    return fail(Code::kFailure, fmt::format("the header of '{}' {}", file, what),
                "a CSV file begins with a line of column names");
  };
  PlacedFile opened;
  Block block;
  std::size_t got = 0;
  if (!opened.open(file) || !opened.read(0, block.grow(kLongestHeader), kLongestHeader, got)) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return bad("can't be read");
    return fail(Code::kFailure, fmt::format("the file '{}' can't be read: no such file", file));
  }
  if (got == 0) return bad("is missing: the file is empty");
  block.resize(got);
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  const char* const begin = block.begin() + (block.text().starts_with(kMark) ? kMark.size() : 0);
  const char* doomed = begin;
  const auto step = csv_step(begin, block.end(), got < kLongestHeader, delimiter, doomed);
  if (!step) return bad("is longer than a megabyte");
  if (!step->is_record) return bad("has a quote that isn't closed, or text behind one that is");
  const std::string_view record(begin, static_cast<std::size_t>(step->next - begin));
  if (!is_utf8(record)) return bad("isn't UTF-8");
  std::vector<std::string> names = csv_fields(record, delimiter);
  for (const std::string& name : names)
    if (name.empty()) return bad("has a column without a name");
  return names;
}

}  // namespace discreet::engine::duckdb
