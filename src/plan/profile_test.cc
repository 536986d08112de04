// A profile as the ledger keeps it: what was written is read, and what is damaged is an error.
#include "discreet/plan/profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "discreet/bound/scale.h"
#include "discreet/plan/estimate.h"

namespace discreet::plan {
namespace {

Profile some_profile() {
  Profile out;
  out.add({"ROWS OF (visits \"quoted\\\" and é\n)", 0, {0, 812, 95, 3, -2}, Rational(1, 20)});
  Histogram values{"VALUES cost OF visits", -20, {}, Rational(123'456'789, 1'000'000'007)};
  for (std::size_t i = 0; i < bound::ValueScale(-20).bins(); ++i)
    values.bins.push_back(static_cast<std::int64_t>(i % 7) - 3);
  values.bins[3] = INT64_MAX;
  values.bins[4] = INT64_MIN;
  out.add(values);
  out.add({"GROUPS OF visits", 0, {}, 7});
  return out;
}

TEST(Profile, IsReadAsItWasWritten) {
  const Profile profile = some_profile();
  const auto back = Profile::read(profile.json());
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->histograms(), profile.histograms());
  EXPECT_EQ(back->json(), profile.json());
  const auto none = Profile::read(Profile().json());
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(Profile, FindsTheLatest) {
  Profile profile;
  profile.add({"a", 0, {1}, 1});
  profile.add({"b", 0, {2}, 1});
  Profile later;
  later.add({"a", 0, {3}, 1});
  profile.add(later);
  EXPECT_EQ(profile.find("a")->bins[0], 3);
  EXPECT_EQ(profile.find("b")->bins[0], 2);
  EXPECT_EQ(profile.find("c"), nullptr);
}

TEST(Profile, DamageIsAnError) {
  const char* const kDamaged[] = {
      "",
      "{}",
      "null",
      "[1]",
      "[[]]",
      "[{}]",
      "[",
      R"([{"key":1,"smallest":0,"epsilon":"1","bins":[]}])",
      R"([{"smallest":0,"epsilon":"1","bins":[]}])",
      R"([{"key":"a","epsilon":"1","bins":[]}])",
      R"([{"key":"a","smallest":0,"bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"1"}])",
      R"([{"key":"a","smallest":0.5,"epsilon":"1","bins":[]}])",
      R"([{"key":"a","smallest":"0","epsilon":"1","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":1,"bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"1/0","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"0/0","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"0","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"-1/2","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"nan","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"0.5","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"1","bins":{}}])",
      R"([{"key":"a","smallest":0,"epsilon":"1","bins":[0.5]}])",
      R"([{"key":"a","smallest":0,"epsilon":"1","bins":[null]}])",
      R"([{"key":"a","smallest":0,"epsilon":"1","bins":["1"]}])",
      // Numbers that no scale and no count is: cut to 32 or 64 bits they would be others.
      R"([{"key":"a","smallest":4294967296,"epsilon":"1","bins":[]}])",
      R"([{"key":"a","smallest":-2147483648,"epsilon":"1","bins":[]}])",
      R"([{"key":"a","smallest":2000,"epsilon":"1","bins":[]}])",
      R"([{"key":"a","smallest":0,"epsilon":"1","bins":[18446744073709551615]}])",
      R"([{"key":"a","smallest":0,"epsilon":"1","bins":[]},7])",
  };
  for (const char* text : kDamaged) {
    const auto read = Profile::read(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::kFailure);
  }
  std::string many = R"([{"key":"a","smallest":0,"epsilon":"1","bins":[0)";
  for (int i = 0; i < 20'000; ++i) many += ",0";
  EXPECT_FALSE(Profile::read(many + "]}]"));
  EXPECT_FALSE(Profile::read(std::string(100'000, '[')));
}

// Whatever is read can be used: no estimate of it fails, or is no number.
TEST(Profile, DamageIsNeverACrash) {
  const auto use = [](const std::string& text) {
    const auto read = Profile::read(text);
    if (!read) return false;
    for (const Histogram& one : read->histograms()) {
      const Estimate counts = estimate_counts(one);
      EXPECT_FALSE(std::isnan(counts.sum()) || std::isnan(counts.beyond(5))) << text;
      EXPECT_GE(counts.units(), 0) << text;
      const ValueEstimate values = estimate_values(one);
      EXPECT_FALSE(std::isnan(values.mean_size())) << text;
    }
    return true;
  };
  Profile profile = some_profile();
  const std::string honest = profile.json();
  EXPECT_TRUE(use(honest));
  for (std::size_t length = 0; length < honest.size(); ++length)
    EXPECT_FALSE(use(honest.substr(0, length))) << length;
  std::mt19937_64 draw(11);
  int refused = 0;
  constexpr int kTries = 20'000;
  for (int i = 0; i < kTries; ++i) {
    std::string damaged = honest;
    for (std::uint64_t changes = 1 + draw() % 3; changes > 0; --changes) {
      const std::size_t at = draw() % damaged.size();
      switch (draw() % 4) {
        case 0:
          damaged[at] = static_cast<char>(draw());
          break;
        case 1:
          damaged.erase(at, 1 + draw() % 3);
          break;
        case 2:
          damaged.insert(at, 1, "0123456789-[]{},\"/eE."[draw() % 21]);
          break;
        default:
          damaged.insert(at, damaged.substr(at, draw() % 20));
      }
    }
    refused += !use(damaged);
  }
  EXPECT_GT(refused, kTries / 10);  // the damage does reach what is read
}

}  // namespace
}  // namespace discreet::plan
