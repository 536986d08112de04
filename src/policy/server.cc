#include "discreet/policy/server.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "discreet/base/try.h"
#include "discreet/policy/elsewhere.h"
#include "discreet/policy/names.h"

namespace discreet::policy {
namespace {

using std::string;

using Settings = std::map<string, string>;

// What an address says; nothing where libpq can't read it.
std::optional<Settings> settings_of(const string& address) {
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(address.c_str(), &complaint), PQconninfoFree);
  PQfreemem(complaint);  // it quotes what it doesn't understand, which may be a password
  if (!options) return std::nullopt;
  Settings out;
  for (const PQconninfoOption* one = options.get(); one->keyword; ++one)
    if (one->val && *one->val) out[one->keyword] = one->val;
  return out;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether `key =` stands there, behind a blank or at the start unless `anywhere`.
bool sets(const string& text, std::string_view key, bool anywhere = false) {
  for (auto at = text.find(key); at != string::npos; at = text.find(key, at + 1)) {
    auto behind = at + key.size();
    while (behind < text.size() && is_blank(text[behind])) ++behind;
    if (behind < text.size() && text[behind] == '=' &&
        (anywhere || at == 0 || is_blank(text[at - 1])))
      return true;
  }
  return false;
}

}  // namespace

bool is_server_address(const string& text) {
  const string small = lower(text);
  for (const char* scheme : {"postgresql://", "postgres://", "http://", "https://"})
    if (small.starts_with(scheme)) return true;
  for (const char* key : {"host", "hostaddr", "dbname", "password"})
    if (sets(small, key)) return true;
  return false;
}

Status holds_no_password(const string& address) {
  // Also where libpq would take it for a part of something else: "host=db;password=…".
  bool found = sets(lower(address), "password", true);
  // A ledger's name stands behind the '#', or a password has one in it.
  for (const string& one : {address, address.substr(0, address.find('#'))})
    if (const auto said = settings_of(one))
      found = found || said->contains("password") || said->contains("sslpassword");
  if (!found) return {};
  return fail(Code::kUsage, "there is a password in the policy, which others read",
              fmt::format("leave it out: it is found in {}", kPasswordPlaces));
}

Result<Server> server_of(const string& written, const string& directory) {
  Server out;
  const auto elsewhere =
      TRY(found_elsewhere(written, directory, "the address of the server", kAddressForm));
  if (!elsewhere)
    if (auto ok = holds_no_password(written); !ok) {
      ok.error().hint += "; or write \"env:NAME\" or \"file:PATH\" for the whole address";
      return forward_error(ok);
    }
  out.dsn = elsewhere.value_or(written);
  auto read = settings_of(out.dsn);
  if (!read || read->empty())
    return fail(Code::kUsage, "accepted is an address as libpq reads it",
                fmt::format("such as \"{}\" or \"service=clinic\"", kAddressForm));
  Settings& said = *read;
  const auto or_else = [&](const char* key, const char* variable, const char* otherwise) {
    if (const auto found = said.find(key); found != said.end()) return found->second;
    const char* value = std::getenv(variable);
    return string(value && *value ? value : otherwise);
  };
  const string host = said.contains("hostaddr") && !said.contains("host")
                          ? said["hostaddr"]
                          : or_else("host", "PGHOST", "localhost");
  const string service = or_else("service", "PGSERVICE", "");
  const string there = service.empty()
                           ? fmt::format("{}:{}", host, or_else("port", "PGPORT", "5432"))
                           : fmt::format("service={}", service);
  out.identity = "postgres://" + there;
  if (service.empty()) out.identity += "/" + or_else("dbname", "PGDATABASE", said["user"].c_str());
  if (!elsewhere) out.shown = there;
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
