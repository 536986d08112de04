#include "discreet/engine/duckdb/wide.h"

#include <gtest/gtest.h>

namespace discreet::engine::duckdb {
namespace {

TEST(Wide, TextsHaveAllDigits) {
  EXPECT_EQ((Wide{false, 0, 0}.text()), "0");
  EXPECT_EQ((Wide{true, 5, 2}.text()), "-0.05");
  EXPECT_EQ((Wide{false, 12345, 3}.text()), "12.345");
  EXPECT_EQ((Wide{false, 0, 3}.text()), "0.000");
  EXPECT_EQ((Wide{true, bound::UnsignedWide{1} << 127, 0}.text()),
            "-170141183460469231731687303715884105728");
  EXPECT_EQ((Wide{false, ~bound::UnsignedWide{0}, 38}.text()),
            "3.40282366920938463463374607431768211455");
}

TEST(Wide, WholesAreExactOrNothing) {
  EXPECT_EQ((Wide{false, 149, 2}.whole()), 1);
  EXPECT_EQ((Wide{false, 150, 2}.whole()), 2);
  EXPECT_EQ((Wide{true, 150, 2}.whole()), -2);
  EXPECT_EQ((Wide{true, 149, 2}.whole()), -1);
  const bound::UnsignedWide most = bound::UnsignedWide{1} << 63;
  EXPECT_EQ((Wide{false, most - 1, 0}.whole()), INT64_MAX);
  EXPECT_EQ((Wide{false, most, 0}.whole()), std::nullopt);
  EXPECT_EQ((Wide{true, most, 0}.whole()), INT64_MIN);
  EXPECT_EQ((Wide{true, most + 1, 0}.whole()), std::nullopt);
  EXPECT_EQ((Wide{false, most * 10 - 1, 1}.whole()), std::nullopt);
}

}  // namespace
}  // namespace discreet::engine::duckdb
