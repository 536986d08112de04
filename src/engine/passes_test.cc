// How many passes are tried where rows don't fit into memory at once.
#include "discreet/engine/passes.h"

#include <gtest/gtest.h>

#include "discreet/random/testing/sources.h"

namespace discreet::engine {
namespace {

TEST(Passes, FollowFromHowMuchWouldNotFit) {
  const auto more = [](std::uint32_t passes, double times) {
    return more_passes(passes, {Pass::End::kFull, times});
  };
  EXPECT_EQ(more(1, 1.86), 2u);  // 1.95 with a little more
  EXPECT_EQ(more(1, 1.95), 3u);
  EXPECT_EQ(more(2, 2), 5u);
  EXPECT_EQ(more(3, 1), 4u);    // what was thought to fit didn't
  EXPECT_EQ(more(3, 0.1), 4u);  // … however wrong that was
  // A guess doesn't run away, and never decides that nothing will do.
  EXPECT_EQ(more(100, 30), 840u);
  EXPECT_EQ(more(1, 1e300), 9u);
  EXPECT_EQ(more(1000, 7), 4096u);
  EXPECT_FALSE(more(4096, 1));
}

// Rows of people 0 … units − 1, each in one group, as an engine would feed them: as often as asked.
struct Fed {
  std::vector<std::int64_t> units, groups;
  bound::Bounder& bounder;
  int reads = 0;
  std::size_t first = 0;  // rows that the first reading gave
  Fed(bound::Bounder& to, int rows) : bounder(to) {
    for (int i = 0; i < rows; ++i) {
      units.push_back(i);
      groups.push_back(i % 5);
    }
  }
  // Tells how far it is after each tenth.
  Result<bool> read(const Watch& watch, bool tells) {
    ++reads;
    const std::size_t step = units.size() / 10;
    for (std::size_t at = 0; at < units.size() && bounder.fits(); at += step) {
      bound::Batch batch;
      batch.rows = step;
      batch.unit.whole = units.data() + at;
      batch.keys = {{.whole = groups.data() + at}};
      bounder.add(batch);
      if (reads == 1) first = at + step;
      if (tells && watch.progress)
        watch.progress(100.0 * static_cast<double>(at + step) / static_cast<double>(units.size()));
    }
    return bounder.fits();
  }
};

bound::Shape counts() {
  bound::Shape shape;
  shape.keys = 1;
  shape.totals = {{.kind = bound::Total::Kind::kUnits}};
  return shape;
}

// 1.6 million rows of 16 bytes in 12 MB, of which a feeder has 4 open: at least four passes. Where
// it is told how far a reading is, a part of it is enough to see that, once it is known that no
// rows are equal.
TEST(Passes, AreFewWhereItIsToldHowFarAReadingIs) {
  random::testing::Seeded source(1);
  const auto secret = *bound::Secret::draw(source);
  for (const bool tells : {true, false}) {
    bound::Bounder bounder(counts(), secret, std::size_t{12} << 20);
    Fed fed(bounder, 1'600'000);
    std::vector<std::uint32_t> tried;
    Watch watch;
    watch.pass = [&](std::uint32_t pass, std::uint32_t passes) {
      if (pass == 0) tried.push_back(passes);
    };
    const auto read = [&](const Watch& pass) { return fed.read(pass, tells); };
    const auto found = in_passes(bounder, 2, watch, read);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ(tried.front(), 1u);
    EXPECT_LE(tried.size(), tells ? 2u : 4u);
    EXPECT_GE(tried.back(), 3u);
    EXPECT_LE(tried.back(), tells ? 5u : 8u);
  }
}

// One person with more equal rows than fit into memory, after others without any: they are held
// once, whatever the others' rows were like. No number of passes would take them apart.
TEST(Passes, ManyEqualRowsOfOnePersonFit) {
  random::testing::Seeded source(1);
  bound::Bounder bounder(counts(), *bound::Secret::draw(source), std::size_t{16} << 20);
  Fed fed(bounder, 400'000);
  for (int i = 0; i < 3'600'000; ++i) {
    fed.units.push_back(-1);
    fed.groups.push_back(0);
  }
  const auto read = [&](const Watch& pass) { return fed.read(pass, true); };
  const auto found = in_passes(bounder, 2, {}, read);
  ASSERT_TRUE(found && *found);
  EXPECT_LE(fed.reads, 4);
}

// What fits is read to its end, however much of the memory is open at first.
TEST(Passes, AreNotGivenUpWhereRowsFit) {
  random::testing::Seeded source(1);
  bound::Bounder bounder(counts(), *bound::Secret::draw(source), std::size_t{12} << 20);
  Fed fed(bounder, 350'000);
  const auto read = [&](const Watch& pass) { return fed.read(pass, true); };
  const auto found = in_passes(bounder, 1, {}, read);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(fed.reads, 1);
}

TEST(Passes, EndWhereTheEngineEndsForAnotherReason) {
  random::testing::Seeded source(1);
  bound::Bounder bounder(counts(), *bound::Secret::draw(source), std::size_t{2} << 20);
  const auto found = in_passes(bounder, 1, {}, [](const Watch&) -> Result<bool> { return false; });
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

}  // namespace
}  // namespace discreet::engine
