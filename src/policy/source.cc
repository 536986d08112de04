#include "discreet/policy/source.h"

#include <fmt/format.h>

#include <filesystem>

namespace discreet::policy {

std::vector<std::string> identities(const Source& source) {
  if (const auto* files = std::get_if<Files>(&source)) return files->paths;
  if (const auto* table = std::get_if<ServerTable>(&source))
    return {fmt::format("{}#{}.{}", table->server, table->schema, table->table)};
  return {std::get<DuckdbTable>(source).file};
}

bool is_local(const Source& source) { return !std::holds_alternative<ServerTable>(source); }

std::string stamp(const Source& source) {
  std::string out;
  if (!is_local(source)) return identities(source).front() + ";";
  std::error_code ignored;
  for (const std::string& file : identities(source))
    out += fmt::format("{} {} {};", file, std::filesystem::file_size(file, ignored),
                       std::filesystem::last_write_time(file, ignored).time_since_epoch().count());
  return out;
}

}  // namespace discreet::policy
