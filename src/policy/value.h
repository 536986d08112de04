// The few types that queries compute with, and single values of them.
//
//   bool before = Value::text("A") < Value::text("B");               // true
//   std::string day = Value::date_of("2024-02-29")->show();          // "2024-02-29"
//
// Whole numbers of every width are kInt (64 bits) and all arithmetic is kDouble; what a file holds
// beside these is read as text. NULL is a value of any type and sorts first.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "discreet/base/number.h"

namespace discreet::policy {

enum class Type { kBool, kInt, kDouble, kText, kDate, kTimestamp };

std::string_view name_of(Type type);                    // "integer", as the policy writes it
std::string with_article(Type type);                    // "an integer", "a text"
std::optional<Type> type_named(std::string_view name);  // also "bigint", "varchar", …; any case
inline bool is_number(Type type) { return type == Type::kInt || type == Type::kDouble; }
inline bool is_time(Type type) { return type == Type::kDate || type == Type::kTimestamp; }
// Whether values of one type can be read as another: all but moments as numbers and back.
bool can_cast(Type from, Type to);

struct Value {
  Type type = Type::kText;
  bool null = true;
  std::int64_t whole =
      0;            // kBool 0 or 1; kInt; kDate days and kTimestamp microseconds since 1970-01-01
  double real = 0;  // kDouble
  std::string string;  // kText

  static Value none(Type type) { return {type, true, 0, 0, {}}; }
  static Value boolean(bool value) { return {Type::kBool, false, value ? 1 : 0, 0, {}}; }
  static Value integer(std::int64_t value) { return {Type::kInt, false, value, 0, {}}; }
  static Value number(double value) { return {Type::kDouble, false, 0, value, {}}; }
  static Value text(std::string value) { return {Type::kText, false, 0, 0, std::move(value)}; }
  static Value date(std::int64_t days) { return {Type::kDate, false, days, 0, {}}; }
  static Value timestamp(std::int64_t micros) { return {Type::kTimestamp, false, micros, 0, {}}; }
  // "2024-02-29", years 0001 to 9999.
  static std::optional<Value> date_of(std::string_view text);
  // "2024-02-29 12:30:00" (or with a T; seconds and their fraction may be left out), or a date
  // alone: its midnight.
  static std::optional<Value> timestamp_of(std::string_view text);

  // As an engine writes it as text; nothing where it can't be read.
  static std::optional<Value> read(const std::optional<std::string>& text, Type type);

  // kInt and kDouble as they are, kBool 0 or 1, dates as days, timestamps as seconds since 1970.
  // NULL is NaN.
  double as_number() const;
  // As a person reads it: NULL, true, 42, 0.5, the text itself, 2024-02-29.
  std::string show() const;
  // As one JSON value.
  std::string json() const;

  // NULL first, numbers by size whatever their type, else within the type.
  friend std::weak_ordering operator<=>(const Value& a, const Value& b);
  friend bool operator==(const Value& a, const Value& b) { return (a <=> b) == 0; }
};

// A text as a JSON string, quotes and all; bytes that aren't UTF-8 become U+FFFD.
std::string json_text(std::string_view text);
// A double as JSON: "inf" and "-inf" as strings, NaN as null.
std::string json_number(double value);

// Days since 1970-01-01 in the proleptic Gregorian calendar, and back.
std::int64_t days_from(std::int64_t year, unsigned month, unsigned day);
struct Civil {
  std::int64_t year, month, day;
};
Civil civil_from(std::int64_t days);
std::string show_date(std::int64_t days);
std::string show_timestamp(std::int64_t micros);

}  // namespace discreet::policy
