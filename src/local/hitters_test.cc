#include "discreet/local/hitters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

using random::testing::kFalseAlarm;
using random::testing::Seeded;

constexpr long kBits = 128;

std::unique_ptr<Hitters> make(const Rational& epsilon, std::size_t bytes) {
  auto made = Hitters::create({.epsilon = epsilon, .bytes = bytes});
  EXPECT_TRUE(made) << made.error().text();
  return *std::move(made);
}

// The largest ln of a ratio over words, buckets and some levels and hashes. A client that cheats
// says the bucket with the noise of another ε.
double largest_loss(const Hitters& hitters, const Hitters& client) {
  Seeded source(2);
  double most = 0;
  for (std::size_t level = 0; level < hitters.bytes(); ++level)
    for (int i = 0; i < 20; ++i) {
      HitterReport report{.level = level};
      report.hash = {*random::uniform_below(source, kField),
                     *random::uniform_below(source, kField)};
      for (report.bucket = 0; report.bucket < hitters.buckets(); ++report.bucket) {
        double low = INFINITY, high = 0, sum = 0;
        for (const char* word : {"", "a", "ab", "b", "abcdefg", "zebra", "日本", "\xFF\xFE", "q"}) {
          const double p =
              client.probability(*padded(word, hitters.bytes()), report, kBits).middle();
          low = std::min(low, p), high = std::max(high, p), sum += p;
        }
        most = std::max(most, std::log(high / low));
      }
    }
  return most;
}

TEST(Hitters, AReportCostsEpsilon) {
  // ε = 1: four buckets either way, so that a client with 6/5 can stand for a wrong one
  const auto hitters = make(1, 3);
  ASSERT_EQ(hitters->buckets(), 4);
  EXPECT_EQ(hitters->constants().epsilon, 1);
  EXPECT_NEAR(largest_loss(*hitters, *hitters), 1, 1e-12);
  const auto twin = make(Rational(6, 5), 3);
  ASSERT_EQ(twin->buckets(), 4);
  EXPECT_GT(largest_loss(*hitters, *twin), 1.1);
}

TEST(Hitters, TheNumberOfBucketsHasTheLeastVariance) {
  for (const double epsilon : {0.1, 0.5, 0.7, 1.0, 1.3, 2.0, 3.0, 5.0}) {
    const Rational exact(static_cast<long>(std::lround(epsilon * 10)), 10);
    const double e = std::exp(epsilon);
    const auto variance = [&](double g) { return (e + g - 1) * (e + g - 1) / (g - 1); };
    const auto g = static_cast<double>(best_buckets(exact));
    EXPECT_LE(variance(g), variance(g + 1)) << epsilon;
    EXPECT_LE(variance(g), g > 2 ? variance(g - 1) : INFINITY) << epsilon;
    const auto hitters = make(exact, 1);
    EXPECT_NEAR(hitters->constants().variance * (e - 1) * (e - 1) / variance(g), 1, 1e-12);
  }
  EXPECT_EQ(best_buckets(500), std::size_t{1} << 30);
}

// Level, and whether the bucket is the word's own, as a client draws them; `first` is a client that
// always takes the first level.
std::vector<double> drawn(const Hitters& hitters, bool first) {
  constexpr std::size_t kPeople = 40'000;
  Seeded source(5);
  const std::vector<std::string_view> words(kPeople, "abc");
  std::vector<Word> reports(kPeople * hitters.constants().words);
  EXPECT_TRUE(hitters.perturb(words, source, reports));
  std::vector<double> out(2 * hitters.bytes());
  const PaddedWord word = *padded("abc", hitters.bytes());
  for (std::size_t at = 0; at < reports.size(); at += hitters.constants().words) {
    const HitterReport r = Hitters::unpack({&reports[at], hitters.constants().words});
    EXPECT_LT(r.hash.a, kField);
    EXPECT_LT(r.hash.b, kField);
    const bool own = r.hash.bucket(fingerprint(word, r.level + 1), hitters.buckets()) == r.bucket;
    ++out[2 * (first ? 0 : r.level) + own];
  }
  return out;
}

TEST(Hitters, ClientsDrawLevelsAlikeAndBucketsAsPromised) {
  const auto hitters = make(1, 5);
  const auto expected = [&](double p) {
    std::vector<double> out;
    for (std::size_t level = 0; level < 5; ++level) {
      out.push_back((1 - p) / 5);
      out.push_back(p / 5);
    }
    return out;
  };
  const double p = std::exp(1.0) / (std::exp(1.0) + 3);
  using random::testing::goodness_of_fit;
  EXPECT_GT(goodness_of_fit(drawn(*hitters, false), expected(p)), kFalseAlarm);
  EXPECT_LT(goodness_of_fit(drawn(*hitters, true), expected(p)), kFalseAlarm);
  EXPECT_LT(goodness_of_fit(drawn(*hitters, false), expected(p + 0.03)), kFalseAlarm);
}

TEST(Hitters, LinesReadBackAndOthersAreRefused) {
  const auto hitters = make(2, 8);  // g = 8
  const std::size_t words = hitters->constants().words;
  const HitterReport sent{.level = 7, .hash = {kField - 1, 1ULL << 33}, .bucket = 7};
  std::vector<Word> report(words), again(words);
  Hitters::pack(sent, report);
  std::string line;
  hitters->write(report, line);
  EXPECT_EQ(line, "7 2305843009213693950 8589934592 7");
  ASSERT_EQ(hitters->read(line, again), Fault::kNone);
  EXPECT_EQ(report, again);
  struct Case {
    std::string_view line;
    Fault fault;
  };
  for (const Case& each :
       std::initializer_list<Case>{{"", Fault::kMalformed},
                                   {"junk", Fault::kMalformed},
                                   {"1", Fault::kWrongLength},
                                   {"1 2 3", Fault::kWrongLength},
                                   {"1 2 3 4 5", Fault::kWrongLength},
                                   {"1 2 3 4 ", Fault::kWrongLength},
                                   {" 1 2 3 4", Fault::kMalformed},
                                   {"1  2 3 4", Fault::kMalformed},
                                   {"1 2 3 -4", Fault::kMalformed},
                                   {"1 02 3 4", Fault::kMalformed},
                                   {"8 2 3 4", Fault::kOutOfRange},
                                   {"1 2 3 8", Fault::kOutOfRange},
                                   {"1 2305843009213693951 3 4", Fault::kOutOfRange},
                                   {"1 2 2305843009213693951 4", Fault::kOutOfRange},
                                   {"1 99999999999999999999999999 3 4", Fault::kOutOfRange},
                                   {"7 0 0 0", Fault::kNone}})
    EXPECT_EQ(hitters->read(each.line, again), each.fault) << each.line;
}

TEST(Hitters, MistakesAreNamed) {
  const auto hitters = make(1, 2);
  EXPECT_FALSE(Hitters::create({.epsilon = 1, .bytes = 0}));
  EXPECT_FALSE(Hitters::create({.epsilon = 1, .bytes = 33}));
  EXPECT_FALSE(Hitters::create({.bytes = 3}));
  std::vector<Word> report(hitters->constants().words);
  random::testing::Failing source(0);  // words are looked at before anything is drawn
  const std::vector<std::string_view> bad = {std::string_view("a\0b", 3)};
  EXPECT_EQ(hitters->perturb(bad, source, report).error().parameter, "word");
}

}  // namespace
}  // namespace discreet::local
