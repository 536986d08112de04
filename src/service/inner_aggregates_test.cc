// A unit's own rows added up first, on numbers at the ends of their types: no row makes a question
// fail, and every engine has the same answer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/service/testing/private_tables.h"

namespace discreet::service {
namespace {

using std::string;

// Each odd number alone, and beside others of the same person.
constexpr const char* kNumbers = R"(
SELECT i AS id,
       (['-9223372036854775808', '9223372036854775807', '0', '-1', '9007199254740993',
         '-9007199254740993', '4', NULL])[1 + i % 8]::BIGINT AS j,
       ([-32768, 32767, 0, NULL, 3])[1 + i % 5]::SMALLINT AS i,
       (['-99999999999999.9999', '99999999999999.9999', '0.0001', '5', NULL])[1 + i % 5]
           ::DECIMAL(18,4) AS m,
       (['nan', 'inf', '-inf', '-0.0', '1.7976931348623157e308', '-1.7976931348623157e308', '5e-324',
         '7', NULL])[1 + i % 9]::DOUBLE AS x
FROM (SELECT i FROM range(72) AS r(i) UNION ALL SELECT 100 + k FROM range(72) AS r(i), range(3) AS s(k)
      WHERE i % 3 = k) AS t)";

class InnerAggregates : public ::testing::Test {
 protected:
  void are_the_same(const testing::Elsewhere& elsewhere) {
    testing::PrivateTables here, there;
    here.fill({{"t", kNumbers}}, nullptr);
    there.fill({{"t", kNumbers}}, &elsewhere);
    int compared = 0;
    for (const char* column : {"j", "i", "m", "x", "-j", "j * 2", "ABS(j)"})
      for (const char* fold : {"MIN({})", "MAX({})", "SUM({})", "AVG({})", "MEDIAN({})",
                               "QUANTILE({}, 0.9)", "COUNT({})", "COUNT(DISTINCT {})"}) {
        const string inner = fmt::format(fmt::runtime(fold), column);
        const string question = fmt::format(
            "SELECT SUM(q, contribution_bounds_per_row => (-9, 10)) FROM (SELECT id, {} AS q FROM "
            "t "
            "GROUP BY id) AS s",
            inner);
        const auto expected = here.ask(question), found = there.ask(question);
        if (expected.empty() || found.empty()) continue;  // refused, whatever the rows
        ++compared;
        EXPECT_NEAR(found[0], expected[0], 0.5) << elsewhere.name() << ": " << question;
      }
    EXPECT_GE(compared, 40);
  }
};

TEST_F(InnerAggregates, OfPostgresAreTheSame) {
  const ledger::testing::Postgres server;
  are_the_same(testing::InPostgres(server));
}

class InnerAggregatesTrinoSlow : public InnerAggregates {};
TEST_F(InnerAggregatesTrinoSlow, AreTheSame) {
  if (const auto& server = engine::testing::PrivateTrino::one(); !server.running())
    GTEST_SKIP() << server.why_not();
  are_the_same(testing::InTrino());
}

}  // namespace
}  // namespace discreet::service
