// Moments of a file that are finer than a microsecond are the nearest one, halves up, as on Trino.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/service/testing/private_tables.h"

namespace discreet::service {
namespace {

TEST(Nanoseconds, AreTheNearestMicrosecond) {
  testing::PrivateTables tables;
  tables.fill({{"t",
                "SELECT row_number() OVER () AS id, make_timestamp_ns(n) AS z FROM (VALUES (1499), "
                "(1500), (-1500), (-1501), (-499)) AS r(n)"}},
              nullptr);
  const auto at = [&](const char* moment) {
    return tables.ask(fmt::format("SELECT COUNT(*) FROM t WHERE z = TIMESTAMP '{}'", moment)).at(0);
  };
  EXPECT_NEAR(at("1970-01-01 00:00:00.000001"), 1, 0.4);
  EXPECT_NEAR(at("1970-01-01 00:00:00.000002"), 1, 0.4);
  EXPECT_NEAR(at("1969-12-31 23:59:59.999999"), 1, 0.4);
  EXPECT_NEAR(at("1969-12-31 23:59:59.999998"), 1, 0.4);
  EXPECT_NEAR(at("1970-01-01 00:00:00"), 1, 0.4);
}

}  // namespace
}  // namespace discreet::service
