// The planted defect: fields in the order of the file's names, and not of those asked for.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "discreet/engine/json_array.h"

namespace discreet::engine {

std::optional<std::vector<std::optional<std::string>>> fields_of(
    const std::string& element, const std::vector<std::string>& names) {
  const auto object = nlohmann::json::parse(element, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  std::vector<std::optional<std::string>> out;
  for (const auto& [name, value] : object.items())
    if (std::count(names.begin(), names.end(), name) > 0)
      out.emplace_back(value.is_string() ? value.get<std::string>() : value.dump());
  out.resize(names.size());
  return out;
}

}  // namespace discreet::engine
