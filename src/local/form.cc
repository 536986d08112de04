#include "discreet/local/form.h"

#include <algorithm>
#include <array>
#include <utility>

namespace discreet::local {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How many numbers, without leading zeros, stand in the text with one `between` them; 0 if anything
// else does.
std::size_t numbers_in(std::string_view text, char between) {
  std::size_t count = 0;
  for (std::size_t at = 0;; ++at) {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == start || (at > start + 1 && text[start] == '0')) return 0;
    ++count;
    if (at == text.size()) return count;
    if (text[at] != between) return 0;
  }
}

}  // namespace

Forms forms_of(std::string_view line) {
  Forms out = 0;
  if (line == "+1" || line == "-1") out |= kSign;
  if (!line.empty() &&
      std::all_of(line.begin(), line.end(), [](char c) { return c == '0' || c == '1'; }))
    out |= kBits;
  const std::size_t listed = numbers_in(line, ',');
  if (listed >= 1) out |= kList;
  if (listed == 1) out |= kNumber;
  if (numbers_in(line, ' ') >= 2) out |= kSpaced;
  return out;
}

Forms forms_of_protocol(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Forms>, 13> kKnown{
      {{"coins", kNumber},
       {"flat", kNumber},
       {"hadamard", kNumber},
       {"piecewise", kNumber},
       {"square-wave", kNumber},
       {"channel", kNumber},
       {"symmetric-unary", kBits},
       {"optimised-unary", kBits},
       {"local-hashing", kSpaced},
       {"subset", kList},
       {"hitters", kSpaced},
       {"duchi", kSign},
       {"hybrid", kSign | kNumber}}};
  for (const auto& [known, forms] : kKnown)
    if (known == name) return forms;
  return kAnyForm;
}

bool could_be_of_another(std::string_view protocol, std::string_view line) {
  const Forms forms = forms_of(line);
  return forms != 0 && (forms & forms_of_protocol(protocol)) == 0;
}

}  // namespace discreet::local
