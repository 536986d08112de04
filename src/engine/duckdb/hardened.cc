#include "discreet/engine/duckdb/hardened.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/result.h"

namespace discreet::engine::duckdb {

using std::string;

Hardened Hardened::open(const std::vector<std::pair<const char*, string>>& more) {
  std::vector<std::pair<const char*, string>> settings = {{"threads", "1"},
                                                          {"autoload_known_extensions", "false"},
                                                          {"autoinstall_known_extensions", "false"},
                                                          {"allow_community_extensions", "false"},
                                                          {"allow_unsigned_extensions", "false"},
                                                          {"enable_object_cache", "false"}};
  settings.insert(settings.end(), more.begin(), more.end());
  Hardened out;
  duckdb_config config = nullptr;
  bool ok = duckdb_create_config(&config) == DuckDBSuccess;
  for (const auto& [name, value] : settings)
    ok = ok && duckdb_set_config(config, name, value.c_str()) == DuckDBSuccess;
  ok = ok && duckdb_open_ext(nullptr, &out.database_, config, nullptr) == DuckDBSuccess &&
       duckdb_connect(out.database_, &out.connection_) == DuckDBSuccess;
  duckdb_destroy_config(&config);
  if (!ok) out.close();
  return out;
}

Hardened Hardened::empty(std::size_t memory) {
  std::vector<std::pair<const char*, string>> more = {
      {"temp_directory", ""}, {"enable_external_access", "false"}, {"lock_configuration", "true"}};
  if (memory > 0)
    more.emplace_back("memory_limit", fmt::format("{}MiB", std::max<std::size_t>(1, memory >> 20)));
  return open(more);
}

Hardened Hardened::unsealed() { return open({}); }

bool Hardened::execute(const string& sql) const {
  ResultHolder holder;
  return connection_ != nullptr &&
         duckdb_query(connection_, sql.c_str(), &holder.result) == DuckDBSuccess;
}

std::optional<string> Hardened::first(const string& sql) const {
  ResultHolder holder;
  if (connection_ == nullptr ||
      duckdb_query(connection_, sql.c_str(), &holder.result) != DuckDBSuccess)
    return {};
  char* const value = duckdb_value_varchar(&holder.result, 0, 0);
  if (value == nullptr) return {};
  string out(value);
  duckdb_free(value);
  return out;
}

bool Hardened::seal(const std::vector<string>& paths) {
  string allowed;
  for (const string& path : paths) allowed += (allowed.empty() ? "" : ", ") + quote_text(path);
  const bool ok = execute(fmt::format("SET GLOBAL allowed_paths = [{}]", allowed)) &&
                  execute("SET GLOBAL enable_external_access = false") &&
                  execute("SET GLOBAL lock_configuration = true");
  if (!ok) close();
  return ok;
}

void Hardened::close() {
  if (connection_ != nullptr) duckdb_disconnect(&connection_);
  if (database_ != nullptr) duckdb_close(&database_);
}

}  // namespace discreet::engine::duckdb
