// JSON files, of lines and of one array of objects, by the readers that queries use.
#include <nlohmann/json.hpp>
#include <set>

#include "discreet/engine/duckdb/json.h"
#include "discreet/engine/duckdb/json_array.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using Json = nlohmann::json;
using Row = std::vector<std::optional<std::string>>;

const std::vector<std::string> kNames = {"who", "x", "", "a\nb"};

template <class Reader>
std::vector<Row> rows_of(const std::string& bytes, std::size_t block) {
  const InFile file(bytes, "t.json");
  engine::duckdb::Cut cut;
  cut.block = block;
  Reader blocks({file.path()}, cut);
  engine::duckdb::JsonRecords records({kNames});
  std::vector<Row> out;
  for (engine::duckdb::Block one; blocks.next(one);) {
    records.begin(one.text());
    while (const engine::duckdb::Fields* fields = records.next()) {
      require(fields->size() == kNames.size(), "there is a field for each name");
      out.emplace_back();
      for (const engine::duckdb::Field& field : *fields)
        out.back().push_back(field.data ? std::optional(std::string(field.text())) : std::nullopt);
    }
  }
  require(!blocks.failed(), "a file that is there can be read");
  return out;
}

// Nothing where the other parser knows better not to: names that come twice, which it merges,
// depths that a reader needn't follow; a NUL, which it takes for the end of the text; and a byte
// order mark, which it skips wherever it begins and a file has in front only.
std::optional<Json> parsed(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos || bytes.starts_with("\xef\xbb\xbf"))
    return std::nullopt;
  std::vector<std::set<std::string>> names;
  bool plain = true;
  const auto each = [&](int depth, Json::parse_event_t event, Json& part) {
    plain = plain && depth < static_cast<int>(engine::duckdb::JsonRecords::kDeepest);
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key)
      plain = names.back().insert(part.get<std::string>()).second && plain;
    return true;
  };
  Json out = Json::parse(bytes.begin(), bytes.end(), each, /*allow_exceptions=*/false);
  if (out.is_discarded() || !plain) return std::nullopt;
  return out;
}

void same_fields(const Json& object, const Row& row) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const bool there = object.contains(kNames[i]) && !object[kNames[i]].is_null();
    require(row[i].has_value() == there, "a field is there where it isn't null");
    if (there && object[kNames[i]].is_string())
      require(*row[i] == object[kNames[i]].get<std::string>(), "a text is read as it is");
    if (there && object[kNames[i]].is_number_unsigned())
      require(Json::parse(*row[i], nullptr, false) == object[kNames[i]], "a number is the same");
  }
}

void check_lines(const std::string& bytes) {
  const auto read = [](const std::string& text, std::size_t block) {
    return rows_of<engine::duckdb::LineBlocks>(text, block);
  };
  const std::vector<Row> rows = read(bytes, std::size_t{1} << 20);
  for (const std::size_t block : {8, 61})
    require(read(bytes, block) == rows, "where blocks are cut doesn't matter");
  // Each line stands alone: the file's rows are those of its lines.
  std::vector<Row> alone;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t end = bytes.find('\n', at);
    if (end == std::string::npos) end = bytes.size();
    const std::string line = (at > 0 ? "\n" : "") + bytes.substr(at, end - at);
    const std::vector<Row> of_line = read(line, 64);
    require(of_line.size() <= 1, "a line is one row at most");
    alone.insert(alone.end(), of_line.begin(), of_line.end());
    const auto object = parsed(bytes.substr(at, end - at));
    if (object && object->is_object()) {
      require(of_line.size() == 1, "a line that is an object is a row");
      same_fields(*object, of_line[0]);
    }
    at = end + 1;
  }
  require(alone == rows, "a line doesn't depend on the others");
}

void check_array(const std::string& bytes) {
  const auto read = [](const std::string& text, std::size_t block) {
    return rows_of<engine::duckdb::ArrayBlocks>(text, block);
  };
  const std::vector<Row> rows = read(bytes, std::size_t{1} << 20);
  for (const std::size_t block : {8, 61})
    require(read(bytes, block) == rows, "where blocks are cut doesn't matter");
  const auto array = parsed(bytes);
  if (!array || !array->is_array() ||
      !std::all_of(array->begin(), array->end(), [](const Json& one) { return one.is_object(); }))
    return;  // what is in other elements is up to the reader
  require(rows.size() == array->size(), "every object of an array is a row, and nothing else");
  for (std::size_t i = 0; i < rows.size(); ++i) same_fields((*array)[i], rows[i]);
}

}  // namespace

void target(std::string_view bytes) {
  check_lines(std::string(bytes));
  check_array(std::string(bytes));
}

}  // namespace discreet::fuzz
