#include "discreet/cli/learn_declared.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"

namespace discreet::cli {
namespace {

using std::string;

constexpr std::int64_t kMostClasses = 10'000;

string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

Status check_different(const string& parameter, const std::vector<string>& values) {
  if (std::set<string>(values.begin(), values.end()).size() == values.size() &&
      std::none_of(values.begin(), values.end(), [](const string& v) { return v.empty(); }))
    return {};
  return bad_parameter(parameter,
                       "found a value that is empty or there twice; accepted are "
                       "different ones");
}

tl::unexpected<Error> bad_bound(const string& found) {
  return bad_parameter("bounds",
                       fmt::format("found {}; accepted are COLUMN=LOW:HIGH for a number and "
                                   "COLUMN=A|B|C for categories, with commas between them",
                                   quote(found)),
                       "such as age=0:100,ward=A|B");
}

}  // namespace

std::vector<string> words_of(const string& text, char between) {
  std::vector<string> out;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(between, start), text.size());
    out.push_back(trimmed(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return out;
}

Result<std::map<string, learn::Column>> read_bounds(const string& text) {
  std::map<string, learn::Column> out;
  if (text.empty()) return out;
  for (const string& word : words_of(text)) {
    const auto equals = word.rfind('=');
    if (equals == string::npos || equals == 0) return bad_bound(word);
    learn::Column column{.name = trimmed(word.substr(0, equals))};
    const string rule = trimmed(word.substr(equals + 1));
    if (rule.find('|') != string::npos) {
      column.values = words_of(rule, '|');
      TRY(check_different("bounds", column.values));
    } else {
      const auto ends = words_of(rule, ':');
      if (ends.size() != 2) return bad_bound(word);
      const auto low = parse_number(ends[0], Rounding::kDown);
      const auto high = parse_number(ends[1], Rounding::kUp);
      const Rational most = Rational(Integer(1) << 100);
      if (!low || !high || *low >= *high || abs(*low) > most || abs(*high) > most)
        return bad_bound(word);
      column.low = to_double(*low);
      column.high = to_double(*high);
    }
    if (!out.emplace(column.name, column).second)
      return bad_parameter("bounds", fmt::format("found {} twice", quote(column.name)));
  }
  return out;
}

Result<Classes> read_classes(const string& text) {
  Classes out;
  if (text.empty()) return out;
  if (text == "none") {
    out.number = true;
    return out;
  }
  std::vector<string> words = words_of(text);
  if (words.size() == 1) {
    const std::int64_t count = TRY(read_integer("classes", text, 2, kMostClasses));
    for (std::int64_t i = 0; i < count; ++i) out.values.push_back(std::to_string(i));
    return out;
  }
  TRY(check_different("classes", words));
  out.values = std::move(words);
  return out;
}

bool are_numbers(const std::vector<string>& values) {
  return std::all_of(values.begin(), values.end(), [](const string& value) {
    return parse_number(value, Rounding::kDown).has_value();
  });
}

Result<std::vector<policy::Value>> choices_of(const string& parameter,
                                              const std::vector<string>& values,
                                              policy::Type type) {
  std::vector<policy::Value> out;
  for (const string& value : values) {
    std::optional<policy::Value> read;
    if (policy::is_number(type)) {
      const auto number = parse_number(value, Rounding::kDown);
      if (number && type == policy::Type::kInt && number->get_den() == 1 &&
          number->get_num().fits_slong_p())
        read = policy::Value::integer(number->get_num().get_si());
      else if (number && type == policy::Type::kDouble)
        read = policy::Value::number(to_double(*number));
    } else {
      read = policy::Value::read(value, type);
    }
    if (!read)
      return bad_parameter(parameter, fmt::format("found {}; accepted are values of the column, "
                                                  "which is a {}",
                                                  quote(value), policy::name_of(type)));
    out.push_back(std::move(*read));
  }
  return out;
}

}  // namespace discreet::cli
