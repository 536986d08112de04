#include "discreet/engine/pushdown/merged.h"

#include <cctype>
#include <charconv>

namespace discreet::engine::pushdown {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         static_cast<unsigned char>(c) >= 128;
}

// Calls `visit` with each word outside of quotes, and the word before its dot.
template <class Visit>
void each_word(std::string_view text, Visit visit) {
  std::string_view before;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\'' || c == '"') {  // a doubled mark ends one text and begins another
      const std::size_t end = text.find(c, i + 1);
      i = end == std::string_view::npos ? text.size() : end + 1;
      before = {};
    } else if (in_word(c)) {
      std::size_t end = i;
      while (end < text.size() && in_word(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      visit(before, word);
      before = end < text.size() && text[end] == '.' ? word : std::string_view();
      i = before.empty() ? end : end + 1;
    } else {
      before = {};
      ++i;
    }
  }
}

// A SELECT inside of an expression is planned by itself, which takes PostgreSQL about a
// millisecond: as long as so many characters.
constexpr double kOfSelect = 1'000;

}  // namespace

double merged_size(std::string_view text, const std::vector<double>& columns,
                   const std::vector<double>& right) {
  auto out = static_cast<double>(text.size());
  each_word(text, [&](std::string_view before, std::string_view word) {
    if (word == "OFFSET") out += kOfSelect;
    if (word.front() != 'c' || !(before.empty() || before == "l" || before == "r")) return;
    std::size_t index = 0;
    const auto read = std::from_chars(word.data() + 1, word.data() + word.size(), index);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return;
    const std::vector<double>& sizes = before == "r" ? right : columns;
    if (index < sizes.size()) out += sizes[index];
  });
  return out;
}

double places_in(std::string_view text, std::string_view column) {
  double out = 0;
  each_word(text, [&](std::string_view before, std::string_view word) {
    if (before.empty() && word == column) ++out;
  });
  return out;
}

Status check_merged(double size) {
  if (size <= kMostMerged) return {};
  return fail(
      Code::kRefused, "the question unfolds to more than the engine can plan",
      "use fewer operations, or fewer levels of subqueries that use a column several times");
}

}  // namespace discreet::engine::pushdown
