#include "discreet/engine/trino/cell.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "discreet/base/utf8.h"
#include "discreet/policy/value.h"

namespace discreet::engine::trino {
namespace {

Cell whole_cell(std::int64_t value) {
  Cell out;
  out.null = false;
  out.whole = value;
  return out;
}

Cell real_cell(double value) {
  Cell out;
  out.null = false;
  out.real = value;
  return out;
}

// An optional minus and one to 38 digits; 10^38 − 1 has 127 bits.
std::optional<Cell> wide_cell(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  constexpr std::size_t kMostDigits = 38;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  bound::Wide value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  Cell out;
  out.null = false;
  out.wide = negative ? -value : value;
  return out;
}

// NaN and the infinities are texts; finite numbers are JSON's.
std::optional<Cell> special_cell(std::string_view text) {
  if (text == "NaN") return real_cell(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return real_cell(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return real_cell(-std::numeric_limits<double>::infinity());
  return std::nullopt;
}

// The name before "(", and what stands in brackets: "decimal(38,0)" is decimal, 38,0.
struct Named {
  std::string_view name, arguments;
};
std::optional<Named> split(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos) return Named{text, {}};
  if (!text.ends_with(')') || open + 2 > text.size()) return std::nullopt;
  return Named{text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

std::optional<int> small_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<CellType> cell_type(std::string_view name) {
  const auto parts = split(name);
  if (!parts) return std::nullopt;
  if (parts->name == "varchar" || parts->name == "char") {
    if (parts->arguments.empty() ? parts->name != name : !small_number(parts->arguments))
      return std::nullopt;
    return CellType::kText;
  }
  if (parts->name == "decimal") {
    const auto comma = parts->arguments.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const auto digits = small_number(parts->arguments.substr(0, comma));
    // Trino writes "decimal(38, 0)" or "decimal(38,0)", by version and by client.
    std::string_view behind = parts->arguments.substr(comma + 1);
    if (behind.starts_with(' ')) behind.remove_prefix(1);
    const auto scale = small_number(behind);
    if (!digits || *digits < 1 || *digits > 38 || scale != 0) return std::nullopt;
    return CellType::kWide;
  }
  if (parts->name == "timestamp" && !parts->arguments.empty()) {
    const auto digits = small_number(parts->arguments);
    return digits && *digits <= 6 ? std::optional(CellType::kTimestamp) : std::nullopt;
  }
  constexpr std::pair<std::string_view, CellType> kPlain[] = {
      {"boolean", CellType::kBoolean}, {"tinyint", CellType::kWhole},
      {"smallint", CellType::kWhole},  {"integer", CellType::kWhole},
      {"bigint", CellType::kWhole},    {"real", CellType::kReal},
      {"double", CellType::kReal},     {"date", CellType::kDate}};
  for (const auto& [known, type] : kPlain)
    if (known == name) return type;
  return std::nullopt;
}

std::optional<Cell> read_cell(CellType type, bool value) {
  if (type != CellType::kBoolean) return std::nullopt;
  return whole_cell(value ? 1 : 0);
}

std::optional<Cell> read_cell(CellType type, std::int64_t value) {
  if (type == CellType::kWhole) return whole_cell(value);
  // Trino always writes a point or an exponent; a gateway that rewrites JSON need not.
  if (type == CellType::kReal) return real_cell(static_cast<double>(value));
  return std::nullopt;
}

std::optional<Cell> read_cell(CellType type, double value) {
  if (type != CellType::kReal || !std::isfinite(value)) return std::nullopt;
  return real_cell(value);
}

std::optional<Cell> read_cell(CellType type, std::string_view text) {
  switch (type) {
    case CellType::kWide:
      return wide_cell(text);
    case CellType::kReal:
      return special_cell(text);
    case CellType::kText: {
      if (!is_utf8(text)) return std::nullopt;
      Cell out;
      out.null = false;
      out.text = std::string(text);
      return out;
    }
    case CellType::kDate: {
      const auto day = policy::Value::date_of(text);
      return day ? std::optional(whole_cell(day->whole)) : std::nullopt;
    }
    case CellType::kTimestamp: {
      const auto moment = policy::Value::timestamp_of(text);
      return moment ? std::optional(whole_cell(moment->whole)) : std::nullopt;
    }
    case CellType::kBoolean:
    case CellType::kWhole:
      break;
  }
  return std::nullopt;
}

}  // namespace discreet::engine::trino
