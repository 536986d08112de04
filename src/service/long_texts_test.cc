// Texts that are longer than a group's name: groups are known by their beginnings, different ones
// are still told apart, and what one person's rows are made into fits into a small server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/service/testing/private_tables.h"

namespace discreet::service {
namespace {

using std::string;

class LongTexts : public ::testing::Test, protected testing::PrivateTables {
 protected:
  // Texts of 1001 characters whose last one differs.
  void are_cut(const testing::Elsewhere* elsewhere) {
    fill({{"t",
           "SELECT i AS id, repeat('é', 1000) || chr(CAST(97 + i % 2 AS INTEGER)) AS g FROM "
           "range(100) AS r(i)"}},
         elsewhere);
    string name;
    for (int i = 0; i < 1000; ++i) name += "é";
    const auto groups = rows("SELECT g, COUNT(*) FROM t GROUP BY g");
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0][0].string, name);
    EXPECT_NEAR(groups[0][1].as_number(), 100, 0.4);
    EXPECT_EQ(rows("SELECT MODE(g) FROM t").at(0)[0].string, name);
    EXPECT_NEAR(ask("SELECT COUNT(DISTINCT g) FROM t").at(0), 2, 0.4);
    // Of a person's own groups too; by the whole text there would be two.
    EXPECT_NEAR(ask("SELECT COUNT(DISTINCT k) FROM (SELECT id, g AS k, COUNT(*) AS n FROM t GROUP "
                    "BY id, g) AS s")
                    .at(0),
                1, 0.4);
    // A public value is another group than its beginning is.
    const auto listed =
        ask(fmt::format("SELECT g, COUNT(*) FROM t WHERE g IN ('{0}', '{0}a') GROUP BY g", name));
    ASSERT_EQ(listed.size(), 2u) << refusal();
    EXPECT_NEAR(listed[0], 0, 0.4);
    EXPECT_NEAR(listed[1], 50, 0.4);
  }

  // One person's rows as the largest texts that a question can make, in every place that carries
  // texts. The answer is what it is: that there is one is what counts.
  void fit(const testing::Elsewhere& elsewhere) {
    fill({{"t", "SELECT 1 AS id, CAST(i AS VARCHAR) AS g FROM range(20000) AS r(i)"}}, &elsewhere);
    const string large = "(LPAD(g, 1000, '𝐀') || RPAD(g, 1000, '𝐀'))";
    EXPECT_EQ(ask(fmt::format("SELECT COUNT(DISTINCT {}) FROM t", large)).size(), 1u);
    EXPECT_EQ(
        ask(fmt::format("SELECT COUNT(*) FROM (SELECT id, {} AS k FROM t GROUP BY id, k)", large))
            .size(),
        1u);
    rows(fmt::format("SELECT {} AS k, COUNT(*) FROM t GROUP BY k", large));
    rows(fmt::format("SELECT MODE({}) FROM t", large));
  }
};

TEST_F(LongTexts, OfFilesAreCut) { are_cut(nullptr); }
TEST_F(LongTexts, OfPostgresAreCut) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  are_cut(&elsewhere);
}

class LongTextsTrinoSlow : public LongTexts {};
TEST_F(LongTextsTrinoSlow, AreCut) {
  if (const auto& server = engine::testing::PrivateTrino::one(); !server.running())
    GTEST_SKIP() << server.why_not();
  const testing::InTrino elsewhere;
  are_cut(&elsewhere);
}
TEST_F(LongTextsTrinoSlow, FitIntoIt) {
  if (const auto& server = engine::testing::PrivateTrino::one(); !server.running())
    GTEST_SKIP() << server.why_not();
  const testing::InTrino elsewhere;
  fit(elsewhere);
}

}  // namespace
}  // namespace discreet::service
