#include "discreet/policy/server.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"

namespace discreet::policy {
namespace {

using std::string;

constexpr std::string_view kEnvironment = "env:", kFile = "file:";

// What env: and file: lead to.
Result<string> found_address(const string& written, const string& directory) {
  if (written.starts_with(kEnvironment)) {
    const string name = written.substr(kEnvironment.size());
    const char* value = std::getenv(name.c_str());
    if (!value || !*value)
      return fail(Code::kUsage, fmt::format("the environment has no {}", name),
                  fmt::format("set it: export {}=postgresql://user@host/database", name));
    return string(value);
  }
  if (!written.starts_with(kFile)) return written;
  std::filesystem::path path(written.substr(kFile.size()));
  if (!path.is_absolute()) path = std::filesystem::path(directory) / path;
  std::ifstream file(path, std::ios::binary);
  string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (!file || text.empty())
    return fail(Code::kFailure, fmt::format("the file '{}' can't be read", path.string()),
                "its one line is the address of the server");
  return text;
}

}  // namespace

Result<Server> server_of(const string& written, const string& directory) {
  Server out;
  out.dsn = TRY(found_address(written, directory));
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(out.dsn.c_str(), &complaint), PQconninfoFree);
  PQfreemem(complaint);  // it quotes what it doesn't understand, which may be a password
  std::map<string, string> said;
  for (const PQconninfoOption* one = options.get(); one && one->keyword; ++one)
    if (one->val && *one->val) said[one->keyword] = one->val;
  if (!options || said.empty())
    return fail(Code::kUsage, "accepted is an address as libpq reads it",
                "such as \"postgresql://user@host/database\" or \"service=clinic\"");
  if (out.dsn == written && (said.contains("password") || said.contains("sslpassword")))
    return fail(Code::kUsage, "there is a password in the policy, which others read",
                "leave it out: it is found in ~/.pgpass, a service file or PGPASSWORD; or write "
                "\"env:NAME\" or \"file:PATH\" for the whole address");
  const auto or_else = [&](const char* key, const char* variable, const char* otherwise) {
    if (const auto found = said.find(key); found != said.end()) return found->second;
    const char* value = std::getenv(variable);
    return string(value && *value ? value : otherwise);
  };
  const string host = said.contains("hostaddr") && !said.contains("host")
                          ? said["hostaddr"]
                          : or_else("host", "PGHOST", "localhost");
  const string service = or_else("service", "PGSERVICE", "");
  out.identity = service.empty()
                     ? fmt::format("postgres://{}:{}/{}", host, or_else("port", "PGPORT", "5432"),
                                   or_else("dbname", "PGDATABASE", said["user"].c_str()))
                     : fmt::format("postgres://service={}", service);
  return out;
}

Result<ServerTable> table_of(const Server& server, const string& written) {
  const auto dot = written.find('.');
  ServerTable out{server.identity, dot == string::npos ? server.schema : written.substr(0, dot),
                  dot == string::npos ? written : written.substr(dot + 1)};
  if (out.schema.empty() || out.table.empty() || out.table.find('.') != string::npos)
    return fail(Code::kUsage, fmt::format("'{}' is no table of a server", written),
                "accepted is TABLE or SCHEMA.TABLE");
  // Trino knows no capital letters in names: two policies about one table share its budget.
  if (server.kind == Server::Kind::kTrino) {
    out.schema = lower(out.schema);
    out.table = lower(out.table);
  }
  return out;
}

}  // namespace discreet::policy
