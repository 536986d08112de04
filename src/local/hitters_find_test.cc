#include "discreet/local/hitters_find.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "discreet/local/hitters_supports.h"
#include "discreet/local/records_sample.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

using random::testing::kFalseAlarm;
using random::testing::Seeded;

std::unique_ptr<Hitters> make(const Rational& epsilon, std::size_t bytes) {
  auto made = Hitters::create({.epsilon = epsilon, .bytes = bytes});
  EXPECT_TRUE(made) << made.error().text();
  return *std::move(made);
}

TEST(FindHitters, SupportsAreThoseOfTheHash) {
  const auto hitters = make(Rational(3, 2), 9);
  Seeded source(6);
  constexpr std::size_t kReports = 150, kPrefixes = 11, kLevel = 8;  // of two coefficients
  std::vector<LevelReport> reports;
  std::vector<HitterReport> plain;
  for (std::size_t i = 0; i < kReports; ++i) {
    HitterReport r{.level = kLevel};
    r.hash = {*random::uniform_below(source, kField), *random::uniform_below(source, kField)};
    if (i == 0) r.hash.a = 0;
    r.bucket = static_cast<Word>(i % hitters->buckets());
    plain.push_back(r);
    reports.push_back(level_report(r, hitters->buckets()));
  }
  std::vector<PaddedWord> words;
  std::vector<std::uint64_t> prefixes;
  for (std::size_t u = 0; u < kPrefixes; ++u) {
    words.push_back(*padded("prefix-" + std::to_string(u), 9));
    prefixes.push_back(fingerprint(words.back(), kLevel));
  }
  std::vector<std::uint64_t> counters(kPrefixes * kExtensions), threaded(counters.size());
  add_supports(reports, prefixes, byte_weight(kLevel), counters);
  EXPECT_TRUE(add_supports(reports, prefixes, byte_weight(kLevel), threaded, 3,
                           [](std::size_t) { return true; }));
  EXPECT_EQ(counters, threaded);
  for (std::size_t u = 0; u < kPrefixes; ++u)
    for (std::size_t e = 0; e < kExtensions; ++e) {
      words[u][kLevel] = static_cast<std::uint8_t>(e);
      const std::uint64_t x = fingerprint(words[u], kLevel + 1);
      const auto count = std::count_if(plain.begin(), plain.end(), [&](const HitterReport& r) {
        return r.hash.bucket(x, hitters->buckets()) == r.bucket;
      });
      ASSERT_EQ(counters[u * kExtensions + e], static_cast<std::uint64_t>(count));
    }
}

TEST(FindHitters, TheThresholdIsTheBinomialTail) {
  const auto least = [](std::uint64_t n, const Rational& p, double times, double chance) {
    return least_surprising(n, Ball(p, 128), times, chance);
  };
  const Rational half(1, 2);
  // P[Bin(10, 1/2) ≥ 9] = 11/1024
  EXPECT_EQ(least(10, half, 1, 11.01 / 1024), 9);
  EXPECT_EQ(least(10, half, 1, 10.99 / 1024), 10);
  EXPECT_EQ(least(10, half, 2, 11.01 / 1024), 10);
  EXPECT_EQ(least(10, half, 100, 1.0 / 1024), 11);  // not even all of them
  EXPECT_EQ(least(0, half, 1, 0.05), 1);
  // of many, the normal distribution's: 4.7534 standard deviations are one in a million; bounding
  // the rest by a geometric series may move that by a hundredth of one, and never down
  for (const double n : {1e8, 1e12, 1e15, 0x1p53}) {
    const double found = static_cast<double>(least(static_cast<std::uint64_t>(n), half, 1, 1e-6));
    const double deviations = (found - n / 2) / (std::sqrt(n) / 2);
    EXPECT_GT(deviations, 4.7533) << n;
    EXPECT_LT(deviations, 4.7634) << n;
  }
}

// What is planted: some words with their share; the rest of the people have words of eight letters,
// nearly all different.
struct Planted {
  std::map<std::string, double> shares;
  std::size_t people = 60'000;
};

std::vector<std::string> words_of(const Planted& planted) {
  std::vector<std::string> out;
  for (const auto& [word, share] : planted.shares) {
    const double people = share * static_cast<double>(planted.people);
    out.insert(out.end(), static_cast<std::size_t>(std::llround(people)), word);
  }
  for (std::uint64_t i = 0; out.size() < planted.people; ++i) {
    std::uint64_t letters = (i + 1) * 0x9E3779B97F4A7C15;
    std::string word;
    for (int j = 0; j < 8; ++j, letters /= 26) word += static_cast<char>('a' + letters % 26);
    out.push_back(word);
  }
  return out;
}

State collect(const Hitters& hitters, const Planted& planted, std::uint64_t seed) {
  const std::vector<std::string> words = words_of(planted);
  const std::vector<std::string_view> views(words.begin(), words.end());
  State state(hitters);
  state.keeps = true;
  state.reports.resize(planted.people * hitters.constants().words);
  Seeded source(seed);
  EXPECT_TRUE(hitters.perturb(views, source, state.reports));
  hitters.count(state.reports, state.counters);
  state.users = planted.people;
  return state;
}

// How many of the planted words were found within five standard errors; of a binomial estimate 5e-7
// are further off.
std::size_t right(const Found& found, const Planted& planted) {
  std::size_t out = 0;
  for (const Hitter& hitter : found.hitters) {
    const auto it = planted.shares.find(hitter.word);
    out +=
        it != planted.shares.end() && std::abs(it->second - hitter.frequency) < 5 * hitter.stderr_;
  }
  return out;
}

TEST(FindHitters, PlantedWordsAreFoundAndNoOthers) {
  struct Case {
    const char* what;
    std::size_t bytes;
    Planted planted;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"prefixes of each other, and the empty word",
            4,
            {{{"", 0.2}, {"a", 0.2}, {"ab", 0.2}, {"abc", 0.2}}}},
           {"not ASCII", 6, {{{"日本", 0.25}, {"é", 0.25}, {"\xFF\xFE", 0.25}}}},
           {"several coefficients", 16, {{{"sixteen bytes or", 0.35}, {"sixteen bytes of", 0.35}}}},
           {"one byte", 1, {{{"x", 0.2}, {"y", 0.3}, {"o", 0.5}}}}}) {
    const auto hitters = make(3, each.bytes);
    const State state = collect(*hitters, each.planted, 11);
    const Found found = *find_hitters(*hitters, state, {.top = 5});
    EXPECT_EQ(found.hitters.size(), each.planted.shares.size()) << each.what;
    EXPECT_EQ(right(found, each.planted), each.planted.shares.size()) << each.what;
    ASSERT_EQ(found.levels.size(), each.bytes);
    EXPECT_EQ(found.levels.back().bits, 8 * each.bytes);
    std::uint64_t users = 0;
    for (const HitterLevel& level : found.levels) users += level.users;
    EXPECT_EQ(users, state.users);
  }
}

TEST(FindHitters, LongWordsAreOneWhereTheirBeginningsAre) {
  const auto hitters = make(3, 4);
  const Planted planted{{{"longer than four", 0.3}, {"longest", 0.3}}};
  const Found found = *find_hitters(*hitters, collect(*hitters, planted, 1), {.top = 5});
  ASSERT_GE(found.hitters.size(), 1);
  EXPECT_EQ(found.hitters[0].word, "long");
  EXPECT_NEAR(found.hitters[0].frequency, 0.6, 5 * found.hitters[0].stderr_);
}

TEST(FindHitters, BrokenClientsAndEstimatorsAreCaught) {
  const auto hitters = make(3, 4);
  const Planted planted{{{"tea", 0.3}, {"milk", 0.2}}};
  const State state = collect(*hitters, planted, 3);
  ASSERT_EQ(right(*find_hitters(*hitters, state, {}), planted), 2);
  // clients that always take the first level
  State first = state;
  for (std::size_t at = 0; at < first.reports.size(); at += hitters->constants().words)
    first.reports[at] = 0;
  EXPECT_EQ(right(*find_hitters(*hitters, first, {}), planted), 0);
  // an estimator that takes all people for those of the last level
  Found found = *find_hitters(*hitters, state, {});
  for (Hitter& each : found.hitters) {
    const Constants& c = hitters->constants();
    const auto part = static_cast<double>(found.levels.back().users);
    const double supports = (each.frequency * (c.p - c.q) + c.q) * part;
    each.frequency = (supports / static_cast<double>(state.users) - c.q) / (c.p - c.q);
  }
  EXPECT_EQ(right(found, planted), 0);
}

// Words that are shown though nobody has them come in at most 1 % of collections. A twin takes
// whatever is above the noise's mean.
TEST(FindHitters, WordsThatNobodyHasAreNotShown) {
  constexpr std::size_t kTimes = 40;
  const auto hitters = make(1, 8);
  const Planted planted{{{"popular", 0.5}}, 3000};
  const std::vector<std::string> all = words_of(planted);
  const std::set<std::string> words(all.begin(), all.end());
  const auto times_shown = [&](double chance) {
    std::size_t out = 0;
    for (std::uint64_t seed = 0; seed < kTimes; ++seed) {
      const State state = collect(*hitters, planted, seed);
      const Found found =
          *find_hitters(*hitters, state, {.top = 5, .false_words = chance, .threads = 1});
      out += std::any_of(found.hitters.begin(), found.hitters.end(),
                         [&](const Hitter& hitter) { return !words.contains(hitter.word); });
    }
    return out;
  };
  EXPECT_LE(times_shown(kFalseWords), 5);  // of Bin(40, 0.01) more come with probability 3e-6
  EXPECT_GE(times_shown(1e9), 30);
}

// As of records (records_test.cc): Σ (error/stderr)² is χ². The twin forgets that people were
// drawn.
TEST(FindHitters, ErrorBarsKnowThatPeopleWereDrawn) {
  constexpr std::size_t kTimes = 300;
  constexpr double kTruth = 0.2;
  const auto hitters = make(6, 8);
  const Planted planted{{{"a", kTruth}}, 2000};
  double sum = 0, twin = 0;
  for (std::uint64_t seed = 0; seed < kTimes; ++seed) {
    const State state = collect(*hitters, planted, seed);
    const Found found = *find_hitters(*hitters, state, {.top = 1, .threads = 1});
    ASSERT_EQ(found.hitters.size(), 1);
    const Hitter& a = found.hitters[0];
    ASSERT_EQ(a.word, "a");
    const double error = std::pow(a.frequency - kTruth, 2), variance = a.stderr_ * a.stderr_;
    sum += error / variance;
    twin += error / (variance - sample_variance(a.frequency, found.levels.back().users, 2000));
  }
  const double above = random::testing::chi_square_tail(sum, kTimes);
  EXPECT_GT(2 * std::min(above, 1 - above), kFalseAlarm);
  EXPECT_LT(random::testing::chi_square_tail(twin, kTimes), kFalseAlarm);
}

TEST(FindHitters, CollectionsOfNobodyAndMistakes) {
  const auto hitters = make(1, 2);
  State state(*hitters);
  EXPECT_FALSE(find_hitters(*hitters, state, {}));  // the reports weren't kept
  state.keeps = true;
  const Found found = *find_hitters(*hitters, state, {});
  EXPECT_TRUE(found.hitters.empty());
  EXPECT_EQ(found.threshold, INFINITY);
  EXPECT_FALSE(find_hitters(*hitters, state, {.top = 0}));
  EXPECT_FALSE(find_hitters(*hitters, state, {.candidates = 255}));
  const Status stopped = [&]() -> Status {
    auto done = find_hitters(*hitters, collect(*hitters, {{{"a", 1.0}}, 100}, 1),
                             {.progress = [](double) { return false; }});
    if (!done) return forward_error(done);
    return {};
  }();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kInterrupted);
}

}  // namespace
}  // namespace discreet::local
