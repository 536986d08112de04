#include "discreet/engine/sample/function.h"

#include "discreet/base/utf8.h"

namespace discreet::engine::sample {

std::optional<std::string> answer_in(std::string_view output) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  std::string_view line = output.substr(0, output.find('\n'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  line = line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
  if (line.size() > kLongestAnswer || !is_utf8(line)) return {};
  return std::string(line);
}

}  // namespace discreet::engine::sample
