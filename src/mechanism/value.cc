#include "discreet/mechanism/value.h"

#include <fmt/format.h>

namespace discreet::mechanism {

Kind kind_of(const Value& value) {
  static_assert(std::variant_size_v<Value> == static_cast<std::size_t>(Kind::kNothing) + 1);
  return static_cast<Kind>(value.index());
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kNumber:
      return "number";
    case Kind::kNumbers:
      return "numbers";
    case Kind::kLabel:
      return "label";
    case Kind::kLabels:
      return "labels";
    case Kind::kFlags:
      return "flags";
    case Kind::kGaps:
      return "gaps";
    case Kind::kRows:
      return "rows";
    case Kind::kCounts:
      return "counts";
    case Kind::kNothing:
      return "nothing";
  }
  return {};
}

template <class T>
Result<T> value_as(std::string_view input, const Value& value) {
  if (const T* found = std::get_if<T>(&value)) return *found;
  return bad_parameter(std::string(input),
                       fmt::format("found {}; accepted is {}", name_of(kind_of(value)),
                                   name_of(kind_of(Value{T{}}))));
}

template Result<Rational> value_as(std::string_view, const Value&);
template Result<Numbers> value_as(std::string_view, const Value&);
template Result<Label> value_as(std::string_view, const Value&);
template Result<Labels> value_as(std::string_view, const Value&);
template Result<Flags> value_as(std::string_view, const Value&);
template Result<Gaps> value_as(std::string_view, const Value&);
template Result<Rows> value_as(std::string_view, const Value&);
template Result<Counts> value_as(std::string_view, const Value&);

}  // namespace discreet::mechanism
