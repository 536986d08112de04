#include "discreet/learn/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace discreet::learn {
namespace {

TEST(EncodeTest, EveryNumberHasAPlace) {
  const Column age{"age", 0, 100};
  EXPECT_EQ(scaled(age, 50), 0);
  EXPECT_EQ(scaled(age, 0), -1);
  EXPECT_EQ(scaled(age, 1e300), 1);
  EXPECT_EQ(scaled(age, -INFINITY), -1);
  EXPECT_EQ(scaled(age, NAN), 0);
  EXPECT_EQ(scaled({"none", 3, 3}, 3), 0);  // bounds that leave no room
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(scaled({"wide", -most, most}, 1), 0);
}

TEST(EncodeTest, RowsBecomeExamplesEachByItself) {
  Encoding encoding;
  encoding.features = {{"age", 0, 100}, {"ward", 0, 1, {"A", "B"}}};
  encoding.label = {"ill", 0, 1, {"no", "yes"}};
  const std::vector<double> age = {50, 200, 0, 10}, ward = {1, NAN, 5, 0}, ill = {0, 1, NAN, 2};
  const Examples two = encode(encoding, {&age, &ward}, &ill);
  EXPECT_EQ(two.count, 2U);  // the others have no label that is a class
  EXPECT_EQ(two.shape, (Shape{1, 1, 3}));
  EXPECT_EQ(two.x, (std::vector<float>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(two.y, (std::vector<float>{0, 1}));
  EXPECT_EQ(two.classes, 2U);
  EXPECT_EQ(encode(encoding, {&age, &ward}, nullptr).count, 4U);
  encoding.label = {"cost", 0, 10};
  const Examples numbers = encode(encoding, {&age, &ward}, &ill);
  EXPECT_EQ(numbers.count, 3U);
  EXPECT_EQ(numbers.y[1], -0.8F);
}

}  // namespace
}  // namespace discreet::learn
