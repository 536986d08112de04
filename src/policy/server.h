// A server that has the tables: its address as libpq reads it, and the name by which budgets know
// it.
//
//   auto server = *server_of("postgresql://ana@db.example/clinic", "/policies");
//   std::string name = server.identity;  // postgres://db.example:5432/clinic
//
// A policy is read by analysts and its text stands in receipts, so no secret belongs there: a
// password comes from ~/.pgpass, a service file or PGPASSWORD, as libpq finds them, or the whole
// address from somewhere else: "env:CLINIC_DSN", "file:clinic.dsn".
#pragma once

#include <string>

#include "discreet/base/error.h"
#include "discreet/policy/source.h"

namespace discreet::policy {

// What an address looks like, and where libpq looks for the password that isn't in it.
inline constexpr const char* kAddressForm = "postgresql://user@host/database";
inline constexpr const char* kPasswordPlaces = "~/.pgpass, a service file or PGPASSWORD";

struct Server {
  enum class Kind { kPostgres, kTrino };
  Kind kind = Kind::kPostgres;
  std::string dsn;                // may hold a secret: never shown
  std::string identity;           // holds none
  std::string shown = {};         // what messages call it, where the policy itself says where it is
  std::string schema = "public";  // of a table that names none
  // Trino's: policy/trino_server.h.
  std::string url = {}, catalog = {}, user = {}, certificate = {};
  std::string password = {}, token = {};  // secrets: never shown
};

// Whether a text begins as addresses of servers do (postgresql://…, https://…, host=… dbname=…). It
// may hold a password, and isn't shown where it stands for something else.
bool is_server_address(const std::string& text);
// Refuses an address with a password in it, which stands in a policy.
Status holds_no_password(const std::string& address);

// `directory` is what a relative file starts from. No error shows what the address holds.
Result<Server> server_of(const std::string& written, const std::string& directory);
// One of its tables: "visits" (in the server's schema) or "schema.visits".
Result<ServerTable> table_of(const Server& server, const std::string& written);

}  // namespace discreet::policy
