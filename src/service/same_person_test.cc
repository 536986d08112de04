// One person in two tables is one unit, however each of them writes a key; and many persons choose
// what counts of them one by one, however long their numbers are. On every engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/service/testing/private_tables.h"

namespace discreet::service {
namespace {

using std::string;

class SamePerson : public ::testing::Test, protected testing::PrivateTables {
 protected:
  double together(const char* one, const char* other) {
    const auto found = ask(fmt::format(
        "SELECT COUNT(*) FROM (SELECT 1 AS one FROM {} UNION ALL SELECT 1 AS one FROM {}) AS t",
        one, other));
    return found.size() == 1 ? found[0] : -1;
  }

  void one_person_is_one(const testing::Elsewhere* elsewhere) {
    fill({{"a", "SELECT CAST(7 AS DECIMAL(10,0)) AS id"},
          {"b", "SELECT CAST(7 AS DECIMAL(10,2)) AS id"},
          {"tens", "SELECT CAST(70 AS DECIMAL(10,0)) AS id"},
          {"r", "SELECT CAST(7 AS DOUBLE) AS id"},
          {"d", "SELECT DATE '2020-01-01' AS id"},
          {"m", "SELECT TIMESTAMP '2020-01-01 00:00:00' AS id"}},
         elsewhere);
    EXPECT_NEAR(together("a", "b"), 1, 0.4);
    EXPECT_NEAR(ask("SELECT COUNT(*) FROM a JOIN b ON a.id = b.id").at(0), 1, 0.4);
    EXPECT_NEAR(together("a", "tens"), 2, 0.4);  // 70 is not 7
    for (const auto& [one, other] : {std::pair{"b", "r"}, {"d", "m"}, {"a", "d"}}) {
      EXPECT_EQ(together(one, other), -1) << one << other;
      EXPECT_NE(refusal().find("keys are of different types"), string::npos) << refusal();
    }
  }

  // Rows that a link leads to somebody by.
  void a_link_finds(const testing::Elsewhere* elsewhere) {
    fill({{"people", "SELECT CAST(i AS DECIMAL(10,0)) AS id FROM range(0, 41, 10) AS r(i)"},
          {"v", "SELECT CAST(i AS DECIMAL(10,2)) AS person FROM range(0, 41, 10) AS r(i)",
           "link = { column = \"person\", to = \"people.id\" }"}},
         elsewhere);
    EXPECT_NEAR(ask("SELECT COUNT(*) FROM v").at(0), 5, 0.4);
  }

  // Neighbours beyond 2^53, where a double no longer tells them apart.
  void each_chooses(const testing::Elsewhere* elsewhere) {
    fill({{"v",
           "SELECT 1152921504606846976 + i AS id, CAST(k AS VARCHAR) AS g FROM range(100) AS p(i), "
           "range(5) AS q(k)",
           "key = \"id\"\ncolumns.g = { values = [\"0\", \"1\", \"2\", \"3\", \"4\"] }"}},
         elsewhere);
    const auto counts = ask("SELECT g, COUNT(*) FROM v GROUP BY g");
    ASSERT_EQ(counts.size(), 5u);
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 3);   // of 20, give or take 4
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 45);  // … and not all
  }
};

TEST_F(SamePerson, InFilesIsOne) { one_person_is_one(nullptr); }
TEST_F(SamePerson, InPostgresIsOne) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  one_person_is_one(&elsewhere);
}
TEST_F(SamePerson, InFilesIsFoundByALink) { a_link_finds(nullptr); }
TEST_F(SamePerson, InPostgresIsFoundByALink) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  a_link_finds(&elsewhere);
}
TEST_F(SamePerson, OthersInFilesChooseOtherwise) { each_chooses(nullptr); }
TEST_F(SamePerson, OthersInPostgresChooseOtherwise) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  each_chooses(&elsewhere);
}

class SamePersonTrinoSlow : public SamePerson {};
TEST_F(SamePersonTrinoSlow, IsOne) {
  const auto& server = engine::testing::PrivateTrino::one();
  if (!server.running()) GTEST_SKIP() << server.why_not();
  const testing::InTrino elsewhere;
  fill({{"a", "SELECT CAST(7 AS DECIMAL(10,0)) AS id"},
        {"b", "SELECT CAST(7 AS DECIMAL(10,2)) AS id"},
        {"tens", "SELECT CAST(70 AS DECIMAL(10,0)) AS id"}},
       &elsewhere);
  EXPECT_NEAR(together("a", "b"), 1, 0.4);
  EXPECT_NEAR(together("a", "tens"), 2, 0.4);
}

}  // namespace
}  // namespace discreet::service
