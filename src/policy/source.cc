#include "discreet/policy/source.h"

#include <fmt/format.h>

#include <filesystem>

namespace discreet::policy {

std::vector<std::string> identities(const Source& source) {
  if (const auto* files = std::get_if<Files>(&source)) return files->paths;
  return {std::get<DuckdbTable>(source).file};
}

std::string stamp(const Source& source) {
  std::string out;
  std::error_code ignored;
  for (const std::string& file : identities(source))
    out += fmt::format("{} {} {};", file, std::filesystem::file_size(file, ignored),
                       std::filesystem::last_write_time(file, ignored).time_since_epoch().count());
  return out;
}

}  // namespace discreet::policy
