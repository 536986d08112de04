#include "discreet/mechanism/named.h"

#include <fmt/format.h>

namespace discreet::mechanism {

Status check_names(const std::vector<std::string>& names, std::size_t count,
                   std::string_view things) {
  if (names.empty() || names.size() == count) return {};
  return bad_parameter("labels", fmt::format("found {} for {} {}; accepted is one for each",
                                             names.size(), count, things));
}

Label label_at(const std::vector<std::string>& names, std::size_t index) {
  if (index < names.size()) return {index, names[index]};
  return {index, std::nullopt};
}

}  // namespace discreet::mechanism
