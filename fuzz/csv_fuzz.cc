// CSV files: their header and their records, by the readers that queries use.
#include "discreet/base/utf8.h"
#include "discreet/engine/duckdb/csv.h"
#include "discreet/engine/duckdb/csv_blocks.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using Row = std::vector<std::string>;

// In quotes, as RFC 4180 has it.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string as_csv(const Row& fields, char delimiter) {
  std::string out;
  for (const std::string& field : fields)
    out += (out.empty() ? "" : std::string(1, delimiter)) + in_quotes(field);
  return out + "\n";
}

void check_header(std::string_view bytes, char delimiter) {
  const auto names = engine::duckdb::csv_names(InFile(bytes, "t.csv").path(), delimiter);
  if (!names) return require_refusal(names.error(), {Code::kFailure});
  require(!names->empty(), "a header has a name");
  for (const std::string& one : *names) require(!one.empty(), "a column has a name");
  if (names->front().starts_with("\xef\xbb\xbf")) return;  // a second mark is part of the name
  const InFile written(as_csv(*names, delimiter) + std::string(bytes), "t.csv");
  const auto again = engine::duckdb::csv_names(written.path(), delimiter);
  require(again && *again == *names, "a written header reads back, whatever follows it");
}

// The records of a file of two columns, cut into blocks of this size.
std::vector<Row> rows_of(const std::string& bytes, char delimiter, std::size_t block) {
  const InFile file("a" + std::string(1, delimiter) + "b\n" + bytes, "t.csv");
  engine::duckdb::Cut cut;
  cut.block = block;
  engine::duckdb::CsvBlocks blocks({file.path()}, delimiter, cut);
  engine::duckdb::CsvRecords records({delimiter, 2, {0, 1}});
  std::vector<Row> out;
  for (engine::duckdb::Block one; blocks.next(one);) {
    records.begin(one.text());
    while (const engine::duckdb::Fields* fields = records.next())
      out.push_back({std::string((*fields)[0].text()), std::string((*fields)[1].text())});
  }
  require(!blocks.failed(), "a file that is there can be read");
  return out;
}

void check_records(const std::string& bytes, char delimiter) {
  const std::vector<Row> rows = rows_of(bytes, delimiter, std::size_t{1} << 20);
  for (const std::size_t block : {8, 61})
    require(rows_of(bytes, delimiter, block) == rows, "where blocks are cut doesn't matter");
  // One person's text is one record, whatever it is, and leaves the others as they are.
  const Row before = {"1", "before"}, person = {"2", bytes}, after = {"3", "after"};
  const std::string record = as_csv(person, delimiter);
  std::vector<Row> all =
      rows_of(as_csv(before, delimiter) + record + as_csv(after, delimiter), delimiter, 64);
  require(!all.empty() && all.front() == before && all.back() == after,
          "the records around a well-formed one are read as they are");
  require(all.size() == (is_utf8(record) ? 3U : 2U), "a well-formed record is one row");
  if (all.size() == 3) require(all[1] == person, "a written record reads back");
  // Removing a well-formed record leaves whatever stands behind it.
  all = rows_of(record + bytes, delimiter, 64);
  if (is_utf8(record)) {
    require(!all.empty() && all.front() == person, "the first record is the first row");
    all.erase(all.begin());
  }
  require(all == rows, "what stands before doesn't change what stands behind");
}

}  // namespace

void target(std::string_view bytes) {
  for (const char delimiter : {',', '\t'}) {
    check_header(bytes, delimiter);
    check_records(std::string(bytes), delimiter);
  }
}

}  // namespace discreet::fuzz
