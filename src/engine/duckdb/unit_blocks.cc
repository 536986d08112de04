#include "discreet/engine/duckdb/unit_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/engine/duckdb/csv.h"
#include "discreet/engine/duckdb/csv_blocks.h"

namespace discreet::engine::duckdb {
namespace {

constexpr char kComma = ',';

// As RFC 4180 has it. Fields with blanks at an end are quoted too: readers differ in what they do
// with these.
void append_field(std::string_view field, std::string& out) {
  const bool plain = field.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (field.empty() || (field.front() > ' ' && field.back() > ' '));
  if (plain) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

Result<UnitTable> UnitTable::open(const std::string& file, const std::string& unit) {
  std::vector<std::string> names = TRY(csv_names(file, kComma));
  const auto found = std::find(names.begin(), names.end(), unit);
  if (found == names.end())
    return bad_parameter("unit",
                         fmt::format("found {}; accepted is a column of '{}'", quote(unit), file),
                         did_you_mean(unit, names));
  const auto place = static_cast<std::size_t>(found - names.begin());
  return UnitTable(file, std::move(names), place);
}

std::string UnitTable::header() const {
  std::string out;
  for (const std::string& name : names_) {
    if (!out.empty()) out += kComma;
    append_field(name, out);
  }
  return out + "\n";
}

Result<std::vector<std::string>> UnitTable::split(
    const mechanism::gap::Assignment& assignment) const {
  std::vector<std::size_t> all(names_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::string> out(static_cast<std::size_t>(assignment.blocks()));
  CsvBlocks blocks({file_}, kComma, {});
  CsvRecords records({kComma, names_.size(), all});
  for (Block block; blocks.next(block);) {
    records.begin(block.text());
    while (const Fields* fields = records.next()) {
      if ((*fields)[unit_].data == nullptr) continue;
      std::string& rows =
          out[static_cast<std::size_t>(TRY(assignment.block_of((*fields)[unit_].text())))];
      for (std::size_t i = 0; i < fields->size(); ++i) {
        if (i > 0) rows += kComma;
        append_field((*fields)[i].text(), rows);
      }
      rows += '\n';
    }
  }
  if (blocks.failed())
    return fail(Code::kFailure, fmt::format("the file '{}' could not be read", file_));
  return out;
}

}  // namespace discreet::engine::duckdb
