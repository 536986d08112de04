// Any text, on its way into a message, a terminal or JSON.
#include <nlohmann/json.hpp>
#include <vector>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/utf8.h"
#include "discreet/policy/value.h"
#include "target.h"

namespace discreet::fuzz {

void target(std::string_view bytes) {
  std::u32string characters;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t before = rest.size();
    characters += next_code_point(rest);
    require(rest.size() < before && before - rest.size() <= 4, "a character has one to four bytes");
    require(columns_of(characters.back()) <= 2, "a character takes at most two columns");
  }

  const std::string quoted = quote(bytes);
  std::size_t shown = 0;
  for (std::string_view rest = quoted; !rest.empty(); ++shown)
    require(!is_control(next_code_point(rest)), "a quoted text has no control characters");
  require(shown <= 60 * 12 + 3, "a quoted text is short");

  const auto json = nlohmann::json::parse(policy::json_text(bytes), nullptr, false);
  require(json.is_string(), "a text as JSON is a JSON string");
  if (characters.find(kReplacement) == characters.npos)
    require(json.get<std::string>() == bytes, "a text as JSON is the same text");

  // every error's text is laid out around a place in what the user wrote
  const std::size_t middle = bytes.size() / 2;
  require_refusal({Code::kUsage, "found " + std::string(bytes), std::string(bytes),
                   Position{std::string(bytes), middle, bytes.size()}},
                  {Code::kUsage});
  const std::vector<std::string> names = {"gaussian", "laplace"};
  (void)did_you_mean(bytes, names);
}

}  // namespace discreet::fuzz
