#include "discreet/engine/postgres/protection.h"

#include <libpq-fe.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

#include "discreet/base/try.h"
#include "discreet/policy/address.h"

namespace discreet::engine::postgres {

using std::string;

namespace {

std::map<string, string> options_of(const string& dsn) {
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(dsn.c_str(), &complaint), PQconninfoFree);
  PQfreemem(complaint);
  std::map<string, string> out;
  for (const PQconninfoOption* one = options.get(); one && one->keyword; ++one)
    if (one->val && *one->val) out[one->keyword] = one->val;
  return out;
}

string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A socket, or this machine.
bool is_here(const string& host) {
  return host.empty() || host.front() == '/' || host.front() == '@' || policy::is_here(host);
}

}  // namespace

bool says_a_mode(const string& dsn) {
  return options_of(dsn).contains("sslmode") || !from_environment("PGSSLMODE").empty();
}

Status protected_way(const string& host, const string& mode, bool said) {
  // "prefer" and "allow" do without TLS where the other side says so.
  if (said || is_here(host) || (mode != "prefer" && mode != "allow")) return {};
  return fail(
      Code::kUsage,
      "the address of the server doesn't say how what comes from it is protected on its way",
      "add sslmode=verify-full; another sslmode is accepted where it is written down");
}

Status protected_on_its_way(const string& dsn) {
  const auto said = options_of(dsn);
  const auto value = [&](const char* key, const char* variable) {
    const auto found = said.find(key);
    return found == said.end() ? from_environment(variable) : found->second;
  };
  if (!value("service", "PGSERVICE").empty()) return {};
  const string address = value("hostaddr", "PGHOSTADDR");
  std::istringstream hosts(address.empty() ? value("host", "PGHOST") : address);
  for (string host; std::getline(hosts, host, ',');)
    TRY(protected_way(host, "prefer", says_a_mode(dsn)));
  return {};
}

}  // namespace discreet::engine::postgres
