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
  EXPECT_EQ(more(100, 30), 3150u);
  EXPECT_FALSE(more(4096, 1));
  EXPECT_FALSE(more(1, 1e300));
}

// Rows of people 0 … units − 1, each in one group, as an engine would feed them: as often as asked.
struct Fed {
  std::vector<std::int64_t> units, groups;
  bound::Bounder& bounder;
  int reads = 0;
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

// 400,000 rows of 16 bytes in 2 MB: at least four passes. Where it is told how far a reading is, a
// tenth of it is enough to see that.
TEST(Passes, AreFewWhereItIsToldHowFarAReadingIs) {
  random::testing::Seeded source(1);
  const auto secret = *bound::Secret::draw(source);
  for (const bool tells : {true, false}) {
    bound::Bounder bounder(counts(), secret, std::size_t{2} << 20);
    Fed fed(bounder, 400'000);
    std::vector<std::uint32_t> tried;
    Watch watch;
    watch.pass = [&](std::uint32_t pass, std::uint32_t passes) {
      if (pass == 0) tried.push_back(passes);
    };
    const auto found =
        in_passes(bounder, 2, watch, [&](const Watch& pass) { return fed.read(pass, tells); });
    ASSERT_TRUE(found && *found);
    EXPECT_EQ(tried.front(), 1u);
    EXPECT_GE(tried.back(), 4u);
    EXPECT_LE(tried.size(), tells ? 2u : 4u);
    EXPECT_GE(static_cast<std::uint32_t>(fed.reads), tried.back() + 1);
  }
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
