#include <algorithm>
#include <nlohmann/json.hpp>

#include "discreet/base/utf8.h"
#include "target.h"

namespace discreet::fuzz {

void require_refusal(const Error& error, std::initializer_list<Code> accepted) {
  require(std::find(accepted.begin(), accepted.end(), error.code) != accepted.end(),
          "a refusal has a code that is meant for it; this one is " +
              std::string(name_of(error.code)) + ": " + error.message.text());
  require(!error.message.empty(), "a refusal has a message");
  const std::string text = error.text();
  std::size_t lines = 1;
  for (std::string_view rest = text; !rest.empty();) {
    const char32_t c = next_code_point(rest);
    if (c == U'\n') ++lines;
    require(c == U'\n' || c == U'\t' || !is_control(c), "a message has no control characters");
  }
  require(lines == (error.position ? 3U : 1U),
          "a message is one line, with a position two more: " + text);
  const auto json = nlohmann::json::parse(error.json(), nullptr, false);
  require(json.is_object() && json.contains("message"), "a refusal's JSON can be read");
  if (error.position)
    require(error.position->offset <= error.position->text.size(), "a position lies in its text");
}

}  // namespace discreet::fuzz
