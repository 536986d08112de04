// Addresses of servers, and the secrets that don't belong into a policy.
#include "discreet/policy/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/policy/policy.h"

namespace discreet::policy {
namespace {

using std::string;

Result<Policy> parsed(const string& lines) {
  return Policy::parse(
      fmt::format("[policy]\nname = \"p\"\nunit = \"u\"\nbudget = {{ epsilon = 1 }}\n{}\n"
                  "[tables.t]\nsource = \"t\"\nkey = \"k\"\n",
                  lines),
      "p.toml", "/nowhere");
}

string refusal(const string& lines) {
  const auto policy = parsed(lines);
  return policy ? "" : policy.error().text();
}

constexpr const char* kWithPassword[] = {
    "postgresql://u:hunter2@h/db",          "postgres://u:hunter2@h/db#x",
    "postgresql://u@h/db?password=hunter2", "postgresql://u@h/db?password=hunter2#x",
    "postgresql://u:hunter%322@h/db",       "postgresql://u@h/db?sslpassword=hunter2",
    "postgresql://u:#hunter2@h/db",
    "postgresql://u:hunter2@h/db#%zz",  // libpq reads what stands before the '#' only
    "host=h dbname=d password=hunter2",     "host=h;PASSWORD = hunter2",
};

TEST(Server, APasswordInAPolicyIsRefusedInOneWayAndNotShown) {
  for (const string address : kWithPassword)
    for (const string& lines :
         {fmt::format("engine = \"postgres\"\ndsn = \"{}\"", address),
          fmt::format("engine = \"postgres\"\ndsn = \"postgresql://h/d\"\nledger = \"{}\"",
                      address)}) {
      const string said = refusal(lines);
      const bool ledger = lines.find("ledger") != string::npos;
      EXPECT_NE(said.find(ledger ? "p.toml: policy.ledger: there is a password in the policy"
                                 : "p.toml: policy.dsn: there is a password in the policy"),
                string::npos)
          << address << ": " << said;
      EXPECT_NE(said.find(kPasswordPlaces), string::npos) << said;
      EXPECT_EQ(said.find("hunter2"), string::npos) << said;
      // What only a dsn can be is no advice for a ledger.
      EXPECT_EQ(said.find("env:NAME") == string::npos, ledger) << said;
    }
}

TEST(Server, ALedgerIsAFileOrAnAddressOfPostgres) {
  const string server = "engine = \"postgres\"\ndsn = \"postgresql://h/d\"\n";
  for (const char* good : {"clinic.ledger", "/var/lib/x.ledger", "postgresql://u@h/db#x",
                           "postgres:///db?host=/run/postgresql", "my host.ledger"})
    EXPECT_EQ(refusal(server + fmt::format("ledger = \"{}\"", good)), "") << good;
  for (const char* bad : {"https://h/x", "POSTGRESQL://h/x", "host=h dbname=x", "dbname = x"})
    EXPECT_NE(
        refusal(server + fmt::format("ledger = \"{}\"", bad)).find("accepted is a file's path"),
        string::npos)
        << bad;
}

TEST(Server, MessagesNameItOnlyWhereThePolicyDoes) {
  EXPECT_EQ(server_of("postgresql://ana@db.example:5433/clinic", "/")->shown, "db.example:5433");
  EXPECT_EQ(server_of("service=clinic", "/")->shown, "service=clinic");
  setenv("DISCREET_TEST_DSN", "postgresql://ana:hunter2@db.example/clinic", 1);
  const auto server = server_of("env:DISCREET_TEST_DSN", "/");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->shown, "");
  EXPECT_EQ(server->identity, "postgres://db.example:5432/clinic");
}

TEST(Server, AdviceFitsTheEngine) {
  const string postgres = "engine = \"postgres\"\n", dsn = "dsn = \"postgresql://h/d\"\n";
  for (const auto& [lines, words] :
       {std::pair{postgres + dsn + "password = \"env:X\"", "PGPASSWORD"},
        {postgres + dsn + "token = \"env:X\"", "PGPASSWORD"},
        {postgres + dsn + "schema = \"s\"", "SCHEMA.TABLE"},
        {postgres + dsn + "user = \"ana\"", "postgresql://user@host/database"},
        {postgres + "url = \"https://h\"", "dsn = \"postgresql://"},
        {postgres + "dsn = \"\"", "such as \"postgresql://user@host/database\""},
        {string("password = \"env:X\""), "engine = \"trino\""},
        {string("engine = \"trino\"\n") + dsn, "p.toml: policy.dsn: the engine trino has none"},
        {string("engine = \"nosuchone\""), "unknown engine 'nosuchone' (one of duckdb"}})
    EXPECT_NE(refusal(lines).find(words), string::npos) << lines << ": " << refusal(lines);
}

}  // namespace
}  // namespace discreet::policy
