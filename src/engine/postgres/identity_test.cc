// Who a server is decides which budget its tables have: only a server that says it won't tell has
// no name; whatever else goes wrong is an error, never a second budget.
#include "discreet/engine/postgres/identity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/ledger/testing/places.h"

namespace discreet::engine::postgres {
namespace {

using std::string;

class Identity : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new ledger::testing::Postgres();
    server_->run("CREATE ROLE plain LOGIN");
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }

  // The name, "(won't tell)", or the error's text.
  static string told_to(const string& user) {
    string address = server_->address();
    address.replace(address.find("discreet@"), string("discreet@").size(), user + "@");
    const auto name = identity(address);
    return !name ? name.error().text() : name->server.value_or("(won't tell)");
  }
  static void instead(const string& body) {
    server_->run(
        "SET allow_system_table_mods = on; CREATE OR REPLACE FUNCTION pg_catalog.pg_control_system("
        "OUT pg_control_version integer, OUT catalog_version_no integer, OUT system_identifier "
        "bigint, OUT pg_control_last_modified timestamptz) LANGUAGE plpgsql AS $$ BEGIN " +
        body + " END $$");
  }

  static constexpr const char* kNoAnswer = "the server doesn't answer";
  static ledger::testing::Postgres* server_;
};
ledger::testing::Postgres* Identity::server_ = nullptr;

TEST_F(Identity, IsTheClustersNumberAndTheDatabases) {
  const string expected = server_->run(
      "SELECT 'postgres://system=' || system_identifier || '/' || oid FROM pg_control_system(), "
      "pg_database WHERE datname = 'postgres'");
  EXPECT_EQ(told_to("plain"), expected);
  EXPECT_EQ(told_to("discreet"), expected);
}

TEST_F(Identity, IsNotToldToWhoMayNotAsk) {
  server_->run("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
  EXPECT_EQ(told_to("plain"), "(won't tell)");
  EXPECT_TRUE(told_to("discreet").starts_with("postgres://system="));
  server_->run("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC");
  EXPECT_TRUE(told_to("plain").starts_with("postgres://system="));
}

TEST_F(Identity, IsNotToldByAServerWithoutTheFunction) {
  server_->run("ALTER FUNCTION pg_control_system() RENAME TO pg_control_elsewhere");
  EXPECT_EQ(told_to("plain"), "(won't tell)");
  server_->run("ALTER FUNCTION pg_control_elsewhere() RENAME TO pg_control_system");
  EXPECT_TRUE(told_to("plain").starts_with("postgres://system="));
}

TEST_F(Identity, OfAQuestionThatFailsOtherwiseIsAnError) {
  // By another function of its name: the server's own is known by its number, whatever is made of
  // it.
  server_->run("ALTER FUNCTION pg_control_system() RENAME TO pg_control_elsewhere");
  // Cancelled, no memory, a conflict on a replica, no disk, a broken file, no such table, a type.
  for (const char* state :
       {"57014", "53200", "40001", "53100", "XX001", "42P01", "22003", "42P13", "42000"}) {
    instead(fmt::format("RAISE EXCEPTION USING ERRCODE = '{}';", state));
    const string told = told_to("plain");
    EXPECT_NE(told.find(kNoAnswer), string::npos) << state << ": " << told;
  }
  // The backend itself is lost.
  instead("PERFORM pg_terminate_backend(pg_backend_pid());");
  EXPECT_NE(told_to("discreet").find(kNoAnswer), string::npos);
  // A number that is none would be every such server's name.
  instead("system_identifier := NULL;");
  EXPECT_NE(told_to("plain").find(kNoAnswer), string::npos);
  // The check can fail: the two that count are heard from such a function too, and so is a number.
  for (const char* state : {"42501", "42883"}) {
    instead(fmt::format("RAISE EXCEPTION USING ERRCODE = '{}';", state));
    EXPECT_EQ(told_to("plain"), "(won't tell)") << state;
  }
  for (const char* number : {"7", "-7"}) {
    instead(fmt::format("system_identifier := {};", number));
    EXPECT_TRUE(told_to("plain").starts_with(fmt::format("postgres://system={}/", number)));
  }
  server_->run(
      "DROP FUNCTION pg_control_system(); ALTER FUNCTION pg_control_elsewhere() RENAME TO "
      "pg_control_system");
}

}  // namespace
}  // namespace discreet::engine::postgres
