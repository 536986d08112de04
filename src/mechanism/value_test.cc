#include "discreet/mechanism/value.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace discreet::mechanism {
namespace {

TEST(Values, AreEqualAndOrderedByWhatTheyHold) {
  const std::vector<Value> ordered = {Rational(-1),
                                      Rational(1, 3),
                                      Rational(2, 5),
                                      Numbers{},
                                      Numbers{1, 2},
                                      Numbers{1, 3},
                                      Label{0, {}},
                                      Label{0, "a"},
                                      Label{1, "a"},
                                      Labels{{0, "a"}},
                                      Labels{{0, "a"}, {2, "b"}},
                                      Flags{false, true},
                                      Flags{true},
                                      Gaps{std::nullopt, 1},
                                      Gaps{0},
                                      Rows{{1, 2}, {3, 4}},
                                      Rows{{1, 2}, {3, 5}}};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(ordered[i] == ordered[j], i == j) << i << " " << j;
      EXPECT_EQ(ordered[i] < ordered[j], i < j) << i << " " << j;
    }
  }
  EXPECT_EQ(Value(Rational(1, 2)), Value(*parse_number("0.5", Rounding::kDown)));
}

TEST(Values, KnowTheirKind) {
  EXPECT_EQ(kind_of(Rational(1)), Kind::kNumber);
  EXPECT_EQ(kind_of(Rows{}), Kind::kRows);
  EXPECT_EQ(name_of(kind_of(Flags{true})), "flags");
  EXPECT_EQ(*value_as<Rational>("value", Rational(7)), 7);
  const auto wrong = value_as<Numbers>("scores", Rational(7));
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().text(), "scores: found number; accepted is numbers");
}

}  // namespace
}  // namespace discreet::mechanism
