#include "discreet/cli/numbers_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>

#include "discreet/base/try.h"

namespace discreet::cli {

const std::string_view kHeaderHelp =
    "a first line that ends in score, count, answer, value or number is a header";

namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::string unquoted(std::string text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  return text;
}

bool is_header(const std::string& word) {
  constexpr std::array<std::string_view, 10> kWords{"score",  "scores",  "count", "counts",
                                                    "answer", "answers", "value", "values",
                                                    "number", "numbers"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// What stands there may be private: the place is all that is said of it.
Error bad_number(const std::string& place, Phrase hint = {}) {
  return {Code::kUsage,
          fmt::format("{} isn't a number. Write numbers such as 500, 3.01 or 1/3", place),
          std::move(hint),
          {}};
}

// A list of numbers where a label should be. Quotes say that it is meant as a text.
bool ends_in_number(const std::string& label) {
  const std::size_t cut = label.find_last_of(",\t");
  const std::string last =
      trimmed(std::string_view(label).substr(cut == std::string::npos ? 0 : cut + 1));
  return parse_number(last, Rounding::kDown).has_value();
}

}  // namespace

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> out;
  if (trimmed(text).empty()) return out;
  for (std::size_t at = 0;;) {
    const std::size_t comma = text.find(',', at);
    out.push_back(
        unquoted(trimmed(text.substr(at, comma == std::string::npos ? comma : comma - at))));
    if (comma == std::string::npos) return out;
    at = comma + 1;
  }
}

Result<std::vector<Rational>> read_number_list(const std::string& option, const std::string& text) {
  std::vector<Rational> out;
  for (const std::string& item : split_list(text)) {
    auto number = parse_number(item, Rounding::kDown);
    if (!number)
      return tl::unexpected<Error>(bad_number(fmt::format("{}: item {}", option, out.size() + 1)));
    out.push_back(*number);
  }
  return out;
}

namespace {

// Calls each(number of the line, the line without spaces around it) for every line but empty ones
// and comments.
template <class Each>
Status for_each_line(const std::string& option, const std::string& path, const Each& each) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file)
      return fail(Code::kFailure, fmt::format("{}: '{}' could not be read", option, path),
                  "does it exist?");
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string line;
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // some editors begin a file with it
  for (std::size_t row = 1; std::getline(in, line); ++row) {
    if (row == 1 && line.starts_with(kMark)) line.erase(0, kMark.size());
    const std::string text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    TRY(each(row, text));
  }
  if (in.bad() || (path != "-" && !file.eof()))
    return fail(Code::kFailure, fmt::format("{}: '{}' could not be read", option, path));
  return {};
}

}  // namespace

namespace {

// What is wrong with how a line is made, whatever its number is.
Status check_line(const std::string& place, const std::string& text, std::size_t cut, Lines lines) {
  if (lines == Lines::kLabelled && cut == std::string::npos)
    return fail(Code::kUsage, fmt::format("{} must be \"label,number\", such as tea,120", place));
  if (lines == Lines::kNumbers && cut != std::string::npos &&
      ends_in_number(trimmed(std::string_view(text).substr(0, cut))))
    return fail(Code::kUsage,
                fmt::format("{}: found several numbers; accepted is one number a line", place));
  return {};
}

}  // namespace

Result<LabelledNumbers> read_numbers_file(const std::string& option, const std::string& path,
                                          Lines lines) {
  LabelledNumbers out;
  TRY(for_each_line(option, path, [&](std::size_t row, const std::string& text) -> Status {
    const std::size_t cut = text.find_last_of(",\t");
    const std::string number_text = trimmed(cut == std::string::npos ? text : text.substr(cut + 1));
    const std::string label =
        cut == std::string::npos ? "" : unquoted(trimmed(text.substr(0, cut)));
    if (out.numbers.empty() && is_header(number_text)) return {};
    auto number = parse_number(number_text, Rounding::kDown);
    const std::string place = fmt::format("{}: '{}', line {}", option, path, row);
    TRY(check_line(place, text, cut, lines));
    if (!number)
      return tl::unexpected<Error>(bad_number(
          place, out.numbers.empty() ? Phrase("is the first line a header? remove it") : Phrase()));
    const bool labelled = cut != std::string::npos;
    if (!out.numbers.empty() && labelled != !out.labels.empty())
      return fail(
          Code::kUsage,
          fmt::format("{}: found a line {} a label; accepted is one on every line, or on none",
                      place, labelled ? "with" : "without"));
    out.numbers.push_back(*number);
    if (labelled) out.labels.push_back(label);
    return {};
  }));
  return out;
}

namespace {

// Whole and not below 0. A larger one than leaves room for noise counts as the largest that does.
Status add_count(const std::string& place, const std::string& label, const Rational& number,
                 std::map<std::string, std::int64_t>& counts) {
  constexpr std::int64_t kMost = std::int64_t{1} << 52;
  if (number.get_den() != 1 || number < 0)
    return fail(Code::kUsage,
                fmt::format("{} isn't a number of units: a whole number from 0 on", place));
  const Integer most(static_cast<long>(kMost));
  std::int64_t& count = counts[label];
  count = std::min(kMost, count + std::min(most, number.get_num()).get_si());
  return {};
}

}  // namespace

Result<std::map<std::string, std::int64_t>> read_count_list(const std::string& option,
                                                            const std::string& text) {
  std::map<std::string, std::int64_t> out;
  std::size_t item = 0;
  for (const std::string& each : split_list(text)) {
    const std::string place = fmt::format("{}: item {}", option, ++item);
    const std::size_t cut = each.find_last_of('=');
    if (cut == std::string::npos)
      return fail(Code::kUsage, fmt::format("{} isn't a label and a count", place),
                  fmt::format("such as {} 'a=120,b=90'", option));
    const std::string number_text = trimmed(std::string_view(each).substr(cut + 1));
    auto number = parse_number(number_text, Rounding::kDown);
    if (!number) return tl::unexpected<Error>(bad_number(place));
    TRY(add_count(place, unquoted(trimmed(std::string_view(each).substr(0, cut))), *number, out));
  }
  return out;
}

Result<std::map<std::string, std::int64_t>> read_counts_file(const std::string& option,
                                                             const std::string& path) {
  const LabelledNumbers file = TRY(read_numbers_file(option, path, Lines::kLabelled));
  std::map<std::string, std::int64_t> out;
  for (std::size_t i = 0; i < file.numbers.size(); ++i)
    TRY(add_count(fmt::format("{}: '{}', count {}", option, path, i + 1), file.labels[i],
                  file.numbers[i], out));
  return out;
}

Result<std::vector<std::vector<Rational>>> read_rows_file(const std::string& option,
                                                          const std::string& path) {
  std::vector<std::vector<Rational>> out;
  TRY(for_each_line(option, path, [&](std::size_t row, const std::string& text) -> Status {
    out.push_back(TRY(read_number_list(fmt::format("{}: '{}', line {}", option, path, row), text)));
    return {};
  }));
  return out;
}

}  // namespace discreet::cli
