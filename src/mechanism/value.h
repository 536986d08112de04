// What mechanisms take and give when they are worked with by name: one of a few kinds of value.
//
//   Value count{Rational(412)}, scores{Numbers{500, 399}}, colour{Label{1, "brown"}};
//   bool same = colour == Value{Label{1, "brown"}};   // equal outputs are equal values
//   std::string_view kind = name_of(kind_of(scores));  // "numbers"
//
// Values are ordered, so that the distributions on two inputs can be laid side by side. How they
// are written (JSON, a table, a plot) is for those who show them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "discreet/base/number.h"

namespace discreet::mechanism {

using Numbers = std::vector<Rational>;  // a vector, a histogram's counts, scores, answers

// One of a public list: its place there, and its name if it has one. As an input the name decides
// where there is one.
struct Label {
  std::size_t index = 0;
  std::optional<std::string> name = {};

  friend bool operator==(const Label&, const Label&) = default;
  friend auto operator<=>(const Label&, const Label&) = default;
};
using Labels = std::vector<Label>;  // which of the list, in its order

using Flags = std::vector<bool>;                    // a side for each question
using Gaps = std::vector<std::optional<Rational>>;  // how far above, where it was above
using Rows = std::vector<Numbers>;                  // a set of rows, in any order
// How many units have each label, of labels that nobody has listed beforehand. A label that isn't
// there has 0.
using Counts = std::map<std::string, std::int64_t>;
using Nothing = std::monostate;  // an answer that is withheld

using Value = std::variant<Rational, Numbers, Label, Labels, Flags, Gaps, Rows, Counts, Nothing>;

// The alternatives of Value, in their order.
enum class Kind { kNumber, kNumbers, kLabel, kLabels, kFlags, kGaps, kRows, kCounts, kNothing };

Kind kind_of(const Value& value);
// "number", "numbers", "label", "labels", "flags", "gaps", "rows", "counts", "nothing".
std::string_view name_of(Kind kind);

// The value as a T, or an error that names the input and both kinds, and nothing of the value.
template <class T>
Result<T> value_as(std::string_view input, const Value& value);

}  // namespace discreet::mechanism
