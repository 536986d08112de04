// What a server says is checked before it is added up: rows that no statement of ours gives are a
// fault, and no number of any size gets past the ends.
#include <gtest/gtest.h>

#include <map>

#include "discreet/engine/pushdown/contributions.h"
#include "discreet/mechanism/door.h"
#include "discreet/sql/relation.h"

namespace discreet::engine::pushdown {
namespace {

using bound::Wide;
using Cells = std::map<std::size_t, Wide>;

struct Opened : mechanism::Door {
  template <class T>
  static const T& look(const mechanism::Exact<T>& exact) {
    return open(exact);
  }
};

// What isn't said is NULL before the numbers (`which`, keys, a bin or value), and 0 among them.
class Said final : public Row {
 public:
  Said(Cells cells, std::size_t numbers_from)
      : cells_(std::move(cells)), numbers_from_(numbers_from) {}
  bool is_null(std::size_t column) const override {
    return column < numbers_from_ && !cells_.contains(column);
  }
  std::int64_t whole(std::size_t column) const override {
    return static_cast<std::int64_t>(wide(column));
  }
  double real(std::size_t column) const override { return static_cast<double>(wide(column)); }
  std::string_view text(std::size_t /*column*/) const override { return ""; }
  Wide wide(std::size_t column) const override {
    const auto found = cells_.find(column);
    return found == cells_.end() ? 0 : found->second;
  }

 private:
  const Cells cells_;
  const std::size_t numbers_from_;
};

// The groups 1 and 2 of a whole number; each unit's sum; units by their rows, and by a value.
class Collected : public ::testing::Test {
 protected:
  Collected() {
    part_.select.input = std::make_shared<sql::Relation>();
    part_.select.keys = {sql::column(0, policy::Type::kInt)};
    part_.select.domains = {std::vector{policy::Value::integer(1), policy::Value::integer(2)}};
    part_.slots.emplace_back();
    part_.statistics.emplace_back();
    part_.statistics[0].kind = bound::Total::Kind::kGroupSum;
    part_.statistics[0].slot = 0;
    for (const auto kind : {bound::Tally::Kind::kRows, bound::Tally::Kind::kValue}) {
      part_.left_out.emplace_back();
      part_.left_out.back().kind = kind;
      part_.left_out.back().slot = 0;
      part_.left_out.back().bins = 10;
    }
    statement_.keys = 1;
    statement_.specials = {0};
  }

  static constexpr std::int64_t kValues = Statement::kTally + 1;
  std::size_t bin() const { return statement_.whole_at(); }
  std::size_t units() const { return statement_.units_at(); }
  std::size_t firsts() const { return statement_.firsts_at(); }
  std::size_t sum() const { return statement_.specials_at(); }

  Collector collector() const { return {part_, statement_, bound::Secret{{1, 2, 3, 4}}}; }
  void add(Collector& to, const Cells& cells) const {
    to.add(Said(cells, statement_.text_at() + 1));
  }
  bool believed(const Cells& cells) const {
    Collector one = collector();
    EXPECT_TRUE(one.good());
    add(one, cells);
    return one.good();
  }

  plan::PlanPart part_;
  Statement statement_;
};

TEST_F(Collected, RowsOfGroupsThatNobodyAskedForAreAFault) {
  EXPECT_TRUE(believed({{0, Statement::kGroups}, {1, 1}, {units(), 1}}));
  EXPECT_TRUE(believed({{0, Statement::kGroups}, {1, 2}, {units(), 1}}));
  EXPECT_FALSE(believed({{0, Statement::kGroups}, {1, 3}, {units(), 1}}));
  EXPECT_FALSE(believed({{0, Statement::kGroups}, {units(), 1}}));  // the group of NULL
}

TEST_F(Collected, BinsThatNoUnitIsInAreAFault) {
  const auto in_bin = [&](std::int64_t which, Wide at) {
    return believed({{0, which}, {1, 1}, {bin(), at}, {units(), 1}, {firsts(), 1}});
  };
  for (const std::int64_t which : {Statement::kGroups, kValues}) {
    EXPECT_TRUE(in_bin(which, 0)) << which;
    EXPECT_TRUE(in_bin(which, 9)) << which;
    for (const Wide wrong : {Wide{-1}, Wide{10}, Wide{INT64_MAX}, Wide{INT64_MIN}})
      EXPECT_FALSE(in_bin(which, wrong)) << which << ' ' << static_cast<std::int64_t>(wrong);
  }
}

// A code has as many digits as there are tallies, none below 0.
TEST_F(Collected, DigitsOfNoTallyAreAFault) {
  constexpr Wide kDigit = Statement::kDigit;
  const auto coded = [&](Wide code) {
    return believed({{0, Statement::kGroups}, {1, 1}, {bin(), code}, {units(), 1}, {firsts(), 1}});
  };
  for (const Wide code : {kDigit, kDigit * kDigit, -kDigit, -kDigit * kDigit})
    EXPECT_FALSE(coded(code)) << static_cast<std::int64_t>(code);
  part_.left_out.emplace_back();
  part_.left_out.back().kind = bound::Tally::Kind::kLost;
  part_.left_out.back().bins = 10;
  EXPECT_TRUE(coded(3));
  EXPECT_TRUE(coded(9 * kDigit + 9));
  for (const Wide code : {10 * kDigit, kDigit * kDigit, -kDigit, kDigit - 1, -kDigit * kDigit})
    EXPECT_FALSE(coded(code)) << static_cast<std::int64_t>(code);
  part_.left_out.clear();
  EXPECT_TRUE(coded(0));
  EXPECT_FALSE(coded(1));
  EXPECT_FALSE(coded(-1));
}

// Of whole groups a unit may have any number of clamped rows: in process it is in no bin then.
TEST_F(Collected, MoreClampedRowsThanThereAreBinsForAreInNone) {
  constexpr Wide kDigit = Statement::kDigit;
  part_.left_out.emplace_back();
  part_.left_out.back().kind = bound::Tally::Kind::kClamped;
  part_.left_out.back().bins = 3;
  const auto coded = [&](Wide code) {
    return Cells{{0, Statement::kGroups}, {1, 1}, {bin(), code}, {units(), 1}, {firsts(), 1}};
  };
  Collector one = collector();
  for (const Wide clamped : {0, 2, 2, 3, 127}) add(one, coded(clamped * kDigit + 1));
  ASSERT_TRUE(one.good());
  const bound::Contributions found = one.finish();
  EXPECT_EQ(Opened::look(*found.tally(2)), (std::vector<std::int64_t>{1, 0, 2}));
  EXPECT_EQ(Opened::look(*found.tally(0))[1], 5);
  EXPECT_FALSE(believed(coded(-kDigit)));
  EXPECT_FALSE(believed(coded(kDigit * kDigit)));
}

// Only values have rows of their own: a unit's other bins are digits.
TEST_F(Collected, RowsOfATallyOfCountsAreAFault) {
  EXPECT_TRUE(believed({{0, kValues}, {bin(), 1}, {units(), 1}}));
  for (const auto kind :
       {bound::Tally::Kind::kRows, bound::Tally::Kind::kGroups, bound::Tally::Kind::kMost,
        bound::Tally::Kind::kCut, bound::Tally::Kind::kLost, bound::Tally::Kind::kClamped,
        bound::Tally::Kind::kKept}) {
    part_.left_out[1].kind = kind;
    EXPECT_FALSE(believed({{0, kValues}, {bin(), 1}, {units(), 1}})) << static_cast<int>(kind);
  }
}

TEST_F(Collected, RowsOfNoKnownKindAreAFault) {
  for (const std::int64_t which : {Statement::kGroups, kValues})
    EXPECT_TRUE(believed({{0, which}, {1, 1}, {bin(), 0}, {units(), 1}})) << which;
  for (const std::int64_t which :
       {std::int64_t{-1}, std::int64_t{1}, Statement::kTally - 1, kValues + 1,
        Statement::kPairs - 1, Statement::kPairs + 1, INT64_MAX, INT64_MIN})
    EXPECT_FALSE(believed({{0, which}, {1, 1}, {bin(), 0}, {units(), 1}})) << which;
  EXPECT_FALSE(believed({{1, 1}, {bin(), 0}, {units(), 1}}));  // NULL is none
}

// A group comes in as many rows as there are shares and bins.
TEST_F(Collected, SumsThatComeOneByOneStayAtTheirEnds) {
  for (const int sign : {1, -1}) {
    Collector one = collector();
    // As wide as a number of 38 digits; three of them don't fit into 128 bits.
    for (int again = 0; again < 3; ++again)
      add(one, {{0, Statement::kGroups}, {1, 1}, {units(), 1}, {sum(), sign * (Wide{1} << 126)}});
    ASSERT_TRUE(one.good());
    const bound::Contributions found = one.finish();
    EXPECT_EQ(Opened::look(*found.total(0, {0, 1})),
              (std::vector<std::int64_t>{sign * (std::int64_t{1} << 62), 0}));
  }
}

}  // namespace
}  // namespace discreet::engine::pushdown
