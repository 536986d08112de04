// Pages of a Trino server's answer: any bytes, read as the columns of several statements, and
// compared with what a whole tree of the same JSON says.
#include <cmath>
#include <nlohmann/json.hpp>

#include "discreet/base/utf8.h"
#include "discreet/engine/trino/http.h"
#include "discreet/engine/trino/page.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using namespace engine::trino;
using Json = nlohmann::json;

void check_cell(CellType type, const Cell& cell, const Json& value) {
  require(cell.null == value.is_null(), "a cell is NULL where the server says null");
  if (cell.null) return;
  switch (type) {
    case CellType::kWhole:
      require(value.is_number_integer() && value.get<std::int64_t>() == cell.whole,
              "a whole number is the one that came");
      break;
    case CellType::kWide: {
      require(value.is_string(), "wide numbers come as texts");
      // Written again, digit by digit.
      bound::Wide rest = cell.wide < 0 ? -cell.wide : cell.wide;
      std::string digits;
      for (; rest > 0; rest /= 10)
        digits.insert(digits.begin(), static_cast<char>('0' + rest % 10));
      std::string said = value.get<std::string>();
      const bool negative = said.starts_with('-');
      if (negative) said.erase(0, 1);
      said.erase(0, std::min(said.find_first_not_of('0'), said.size()));
      require(said == digits && (cell.wide == 0 || negative == (cell.wide < 0)),
              "a wide number keeps all its digits");
      break;
    }
    case CellType::kReal:
      require(value.is_number() ? value.get<double>() == cell.real
                                : !std::isfinite(cell.real) && value.is_string(),
              "a double is the one that came");
      break;
    case CellType::kText:
      require(value.is_string() && value.get<std::string>() == cell.text && is_utf8(cell.text),
              "a text is the one that came");
      break;
    case CellType::kBoolean:
      require(value.is_boolean() && value.get<bool>() == (cell.whole == 1), "a truth value stays");
      break;
    case CellType::kDate:
    case CellType::kTimestamp:
      require(value.is_string(), "moments come as texts");
      break;
  }
}

void check(std::string_view bytes, const std::vector<CellType>& types) {
  const auto page = Reader(types).read(bytes);
  if (!page) return;
  const Json tree = Json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false);
  require(tree.is_object(), "a page is a JSON object");
  require(!page->id.empty(), "a page is of a query");
  require(page->percent == -1 || (page->percent >= 0 && page->percent <= 100),
          "progress is a share of a hundred");
  require(page->cells.size() % types.size() == 0, "rows are whole");
  if (!page->next_uri.empty())
    if (const auto path = next_path(page->next_uri))
      require(path->starts_with("/v1/statement/") &&
                  path->find_first_of("\r\n \"#") == path->npos && path->find("..") == path->npos,
              "a link leads to a statement");
  // A tree keeps the last of two values under one name, so only what has no such names is compared.
  const auto data = tree.find("data");
  if (data == tree.end() || !data->is_array()) return;
  require(page->cells.empty() || page->has_columns, "rows have columns");
  if (data->size() * types.size() != page->cells.size()) return;
  std::size_t at = 0;
  for (const Json& row : *data)
    for (const Json& value : row) {
      check_cell(types[at % types.size()], page->cells[at], value);
      ++at;
    }
}

}  // namespace

void target(std::string_view bytes) {
  check(bytes, {CellType::kWhole});
  check(bytes, {CellType::kText, CellType::kWide, CellType::kReal});
  check(bytes, {CellType::kBoolean, CellType::kDate, CellType::kTimestamp});
}

}  // namespace discreet::fuzz
