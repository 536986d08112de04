#include "discreet/engine/duckdb/wide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "discreet/base/number.h"

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

// Digit by digit, around every power of ten and of two.
TEST(Wide, TextsAreThoseOfPlainDivision) {
  const auto plain = [](const Wide& value) {
    std::string out;  // from the back
    bound::UnsignedWide rest = value.digits;
    for (int place = 0; rest > 0 || place <= value.scale; ++place, rest /= 10) {
      if (value.scale > 0 && place == value.scale) out += '.';
      out += static_cast<char>('0' + static_cast<int>(rest % 10));
    }
    if (value.negative) out += '-';
    return std::string(out.rbegin(), out.rend());
  };
  for (const unsigned base : {2U, 10U})
    for (bound::UnsignedWide power = 1; power <= ~bound::UnsignedWide{0} / base; power *= base)
      for (const bound::UnsignedWide digits : {power - 1, power, power + 1, power * 2 + 7})
        for (const int scale : {0, 1, 2, 18, 19, 37, 38})
          for (const bool negative : {false, true}) {
            const Wide value{negative, digits, scale};
            ASSERT_EQ(value.text(), plain(value));
          }
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

TEST(Wide, RealsAreTheNearest) {
  EXPECT_EQ((Wide{true, 0, 3}.real()), 0);
  EXPECT_FALSE(std::signbit(Wide{true, 0, 3}.real()));
  std::mt19937_64 draw(7);
  int twice = 0;
  for (int i = 0; i < 2000; ++i) {
    bound::UnsignedWide digits = (bound::UnsignedWide{draw()} << 64) | draw();
    digits >>= draw() % 128;
    const Wide value{draw() % 2 == 0, digits, static_cast<int>(draw() % 39)};
    const double nearest = to_double(*parse_number(value.text(), Rounding::kDown));
    EXPECT_EQ(value.real(), nearest) << value.text();
    // The broken twin divides what was rounded already.
    const double size = static_cast<double>(digits) / std::pow(10, value.scale);
    twice += (value.negative ? -size : size) != nearest;
  }
  EXPECT_GT(twice, 100);
}

}  // namespace
}  // namespace discreet::engine::duckdb
