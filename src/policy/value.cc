#include "discreet/policy/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "discreet/policy/names.h"

namespace discreet::policy {
namespace {

constexpr std::int64_t kMicrosPerDay = 86'400'000'000;

// Reads `digits` digits off the front.
std::optional<std::int64_t> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

std::optional<std::int64_t> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || *year < 1 || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || *month < 1 || *month > 12 || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (!day || *day < 1) return std::nullopt;
  const int last =
      kDays[static_cast<std::size_t>(*month - 1)] + (*month == 2 && is_leap(*year) ? 1 : 0);
  if (*day > last) return std::nullopt;
  return days_from(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
}

}  // namespace

std::string_view name_of(Type type) {
  switch (type) {
    case Type::kBool:
      return "boolean";
    case Type::kInt:
      return "integer";
    case Type::kDouble:
      return "double";
    case Type::kText:
      return "text";
    case Type::kDate:
      return "date";
    case Type::kTimestamp:
      return "timestamp";
  }
  return "?";
}

std::string with_article(Type type) {
  return (type == Type::kInt ? "an " : "a ") + std::string(name_of(type));
}

std::optional<Type> type_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Type>, 22> kNames = {{
      {"boolean", Type::kBool},        {"bool", Type::kBool},
      {"integer", Type::kInt},         {"int", Type::kInt},
      {"bigint", Type::kInt},          {"smallint", Type::kInt},
      {"tinyint", Type::kInt},         {"int64", Type::kInt},
      {"int32", Type::kInt},           {"double", Type::kDouble},
      {"float", Type::kDouble},        {"real", Type::kDouble},
      {"decimal", Type::kDouble},      {"numeric", Type::kDouble},
      {"number", Type::kDouble},       {"float64", Type::kDouble},
      {"text", Type::kText},           {"varchar", Type::kText},
      {"string", Type::kText},         {"date", Type::kDate},
      {"timestamp", Type::kTimestamp}, {"datetime", Type::kTimestamp},
  }};
  for (const auto& [known, type] : kNames)
    if (same_name(known, name)) return type;
  return std::nullopt;
}

bool can_cast(Type from, Type to) {
  const auto counts = [](Type type) { return is_number(type) || type == Type::kBool; };
  return !(counts(from) && is_time(to)) && !(is_time(from) && counts(to));
}

// Howard Hinnant's algorithm: years begin in March, eras of 400 years repeat.
std::int64_t days_from(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<std::int64_t>(year - era * 400);
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

Civil civil_from(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t m = (5 * day_of_year + 2) / 153;
  const std::int64_t month = m < 10 ? m + 3 : m - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * m + 2) / 5 + 1};
}

std::string show_date(std::int64_t days) {
  const Civil date = civil_from(days);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string show_timestamp(std::int64_t micros) {
  std::int64_t days = micros / kMicrosPerDay;
  std::int64_t rest = micros % kMicrosPerDay;
  if (rest < 0) {
    rest += kMicrosPerDay;
    --days;
  }
  const std::int64_t seconds = rest / 1'000'000;
  std::string out = fmt::format("{} {:02}:{:02}:{:02}", show_date(days), seconds / 3600,
                                seconds / 60 % 60, seconds % 60);
  if (rest % 1'000'000 != 0) out += fmt::format(".{:06}", rest % 1'000'000);
  return out;
}

std::optional<Value> Value::date_of(std::string_view text) {
  const auto days = take_date(text);
  if (!days || !text.empty()) return std::nullopt;
  return date(*days);
}

std::optional<Value> Value::timestamp_of(std::string_view text) {
  const auto days = take_date(text);
  if (!days) return std::nullopt;
  if (text.empty()) return timestamp(*days * kMicrosPerDay);
  if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t micros = (*hour * 60 + *minute) * 60'000'000;
  if (take(text, ':')) {
    const auto second = take_digits(text, 2);
    if (!second || *second > 59) return std::nullopt;
    micros += *second * 1'000'000;
    if (take(text, '.')) {
      std::int64_t unit = 100'000;
      if (text.empty()) return std::nullopt;
      for (; !text.empty() && text[0] >= '0' && text[0] <= '9' && unit > 0;
           unit /= 10, text.remove_prefix(1))
        micros += (text[0] - '0') * unit;
    }
  }
  if (!text.empty()) return std::nullopt;
  return timestamp(*days * kMicrosPerDay + micros);
}

std::optional<Value> Value::read(const std::optional<std::string>& text, Type type) {
  if (!text) return none(type);
  switch (type) {
    case Type::kBool:
      return boolean(*text == "true");
    case Type::kInt:
      return integer(std::strtoll(text->c_str(), nullptr, 10));
    case Type::kDouble:
      return number(std::strtod(text->c_str(), nullptr));
    case Type::kText:
      return Value::text(*text);
    case Type::kDate:
      return date_of(*text);
    case Type::kTimestamp:
      return timestamp_of(*text);
  }
  return std::nullopt;
}

double Value::as_number() const {
  if (null) return std::numeric_limits<double>::quiet_NaN();
  if (type == Type::kDouble) return real;
  if (type == Type::kTimestamp) return static_cast<double>(whole) / 1e6;
  return static_cast<double>(whole);
}

std::string Value::show() const {
  if (null) return "NULL";
  switch (type) {
    case Type::kBool:
      return whole != 0 ? "true" : "false";
    case Type::kInt:
      return std::to_string(whole);
    case Type::kDouble:
      return to_text(real);
    case Type::kText:
      return string;
    case Type::kDate:
      return show_date(whole);
    case Type::kTimestamp:
      return show_timestamp(whole);
  }
  return {};
}

std::string Value::json() const {
  if (null) return "null";
  if (type == Type::kDouble) return json_number(real);
  if (type == Type::kBool || type == Type::kInt) return show();
  return json_text(show());
}

std::weak_ordering operator<=>(const Value& a, const Value& b) {
  if (a.null || b.null) return b.null <=> a.null;
  if (a.type == Type::kText || b.type == Type::kText) return a.show() <=> b.show();
  if (a.type == Type::kDouble || b.type == Type::kDouble) {
    const double x = a.as_number(), y = b.as_number();
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) <=> std::isnan(y);
    return x < y   ? std::weak_ordering::less
           : x > y ? std::weak_ordering::greater
                   : std::weak_ordering::equivalent;
  }
  return a.whole <=> b.whole;
}

std::string json_text(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return to_text(value);
}

}  // namespace discreet::policy
