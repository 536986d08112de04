#include "discreet/policy/place.h"

#include <algorithm>
#include <vector>

#include "discreet/base/suggest.h"

namespace discreet::policy {

using std::string;

Status known_keys(const Place& at, const toml::table& table,
                  std::initializer_list<const char*> known) {
  std::vector<string> names(known.begin(), known.end());
  for (const auto& [key, node] : table) {
    const string name(key.str());
    if (std::find(names.begin(), names.end(), name) == names.end())
      return at.in(name).fail("unknown key", did_you_mean(name, names));
  }
  return {};
}

Result<string> text_at(const Place& at, const toml::node& node, std::string_view example) {
  if (auto text = node.value_exact<string>(); text && !text->empty()) return *text;
  return at.fail(fmt::format("accepted is a text, such as \"{}\"", example));
}

// A TOML float is the decimal that was written: the shortest that reads
// back as the same double.
Result<Rational> number_at(const Place& at, const toml::node& node, Rounding rounding) {
  string text;
  if (auto whole = node.value_exact<std::int64_t>()) {
    text = std::to_string(*whole);
  } else if (auto real = node.value_exact<double>()) {
    text = to_text(*real);
  } else if (auto quoted = node.value_exact<string>()) {
    text = *quoted;
  }
  auto value = parse_number(text, rounding);
  if (!value) return at.fail("accepted is a number, such as 0.5, 1e-6 or \"ln(3)\"");
  return value;
}

Result<std::int64_t> count_at(const Place& at, const toml::node& node) {
  constexpr std::int64_t kMost = 1'000'000;
  if (auto whole = node.value_exact<std::int64_t>(); whole && *whole >= 1 && *whole <= kMost)
    return *whole;
  return at.fail(fmt::format("accepted is a whole number from 1 to {}", kMost));
}

Result<bool> bool_at(const Place& at, const toml::node& node) {
  if (auto value = node.value_exact<bool>()) return *value;
  return at.fail("accepted is true or false");
}

}  // namespace discreet::policy
