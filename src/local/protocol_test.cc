// What every protocol of the registry promises, on domains so small that all reports can be listed.
#include "discreet/local/protocol.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "discreet/local/likelihood.h"
#include "discreet/local/local_hashing.h"
#include "discreet/local/registry.h"
#include "discreet/local/state.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

using random::testing::goodness_of_fit;
using random::testing::kFalseAlarm;
using random::testing::Seeded;

constexpr long kBits = 256;

struct Case {
  std::string what;
  ProtocolPointer protocol;
  std::vector<Value> values;  // to try: all of a small domain, or some places of numbers

  const Constants& constants() const { return protocol->constants(); }
  // What every report there is looks like; none where there are too many.
  std::vector<std::vector<Word>> outcomes() const {
    std::vector<std::vector<Word>> out;
    const auto all = protocol->outcomes();
    const auto words = static_cast<std::ptrdiff_t>(constants().words);
    if (!all) return out;
    for (auto at = all->begin(); at != all->end(); at += words) out.emplace_back(at, at + words);
    return out;
  }
  const FrequencyProtocol* frequencies() const {
    return dynamic_cast<const FrequencyProtocol*>(protocol.get());
  }
};

Case make_case(const Entry& entry, const Parameters& parameters) {
  auto made = entry.make(parameters);
  EXPECT_TRUE(made.has_value()) << entry.name << ": " << made.error().text();
  Case out{fmt::format("{} ε={} d={} B={}", entry.name, to_decimal(*parameters.epsilon),
                       parameters.domain, parameters.blocks),
           std::move(*made),
           {}};
  const std::size_t domain = out.constants().domain;
  const bool numbers = domain == 0 || out.frequencies() == nullptr;
  for (Value v = 0; !numbers && v < domain; ++v) out.values.push_back(v);
  if (numbers || entry.task != Task::kFrequencies)
    out.values = {0, kScale / 5, kScale / 2, kScale / 3 * 2, kScale};
  return out;
}

// Every protocol with several ε and domains, hashing over a field of 13 elements beside the real
// one, and Hadamard with blocks.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> out;
    for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)})
      for (const std::size_t domain : {2U, 3U, 6U}) {
        for (const Entry& entry : registry())
          out.push_back(make_case(entry, {.epsilon = epsilon, .domain = domain}));
        out.push_back(
            make_case(*find("hadamard"), {.epsilon = epsilon, .domain = domain, .blocks = 2}));
        out.push_back({fmt::format("local-hashing over 13, ε={} d={}", to_decimal(epsilon), domain),
                       ProtocolPointer(std::move(
                           *LocalHashing::over({.epsilon = epsilon, .domain = domain}, 13))),
                       out.back().values});
      }
    return out;
  }();
  return all;
}

bool near(const Ball& a, const Ball& b, int bits) {
  const Ball apart = sub(a, b, kBits);
  const Rational room(1, Integer(1) << static_cast<unsigned long>(bits));
  return surely_at_most(apart, Ball(room, kBits)) && surely_at_most(-apart, Ball(room, kBits));
}

// Protocols whose reports can't all be listed; everything else must be.
bool too_many(const Case& each) {
  return each.constants().name == "local-hashing" && each.what.find("over") == std::string::npos;
}

TEST(Protocol, EveryFrequencyProtocolCanBeListedOnASmallDomain) {
  for (const Case& each : cases())
    if (each.constants().task == Task::kFrequencies) {
      EXPECT_EQ(each.outcomes().empty(), too_many(each)) << each.what;
    }
}

TEST(Protocol, ProbabilitiesSumToOne) {
  for (const Case& each : cases()) {
    const auto outcomes = each.outcomes();
    if (outcomes.empty()) continue;
    for (const Value value : each.values) {
      Ball sum;
      for (const auto& report : outcomes)
        sum = add(sum, each.protocol->probability(value, report, kBits), kBits);
      EXPECT_TRUE(near(sum, Ball(1), 100)) << each.what << " of " << value;
    }
  }
}

// The greatest ratio of two values' probabilities of one report.
Ball worst_ratio(const Case& each) {
  Ball worst(1);
  for (const auto& report : each.outcomes())
    for (const Value v : each.values)
      for (const Value w : each.values)
        worst = max(worst,
                    div(each.protocol->probability(v, report, kBits),
                        each.protocol->probability(w, report, kBits), kBits),
                    kBits);
  return worst;
}

// Coins say what ε is, rounded up: e^ε ≥ 1 + k·h/(1−h), to the last digit, and hardly more.
TEST(Protocol, TheEpsilonOfCoinsIsRoundedUp) {
  for (const Rational& heads :
       {Rational(1, 2), Rational(1, 3), Rational(1, 1000), Rational(99, 100)})
    for (const std::size_t domain : {2U, 3U, 1000U}) {
      const auto made = find("coins")->make({.domain = domain, .heads = heads});
      ASSERT_TRUE(made) << made.error().text();
      const Rational ratio = 1 + Rational(static_cast<unsigned long>(domain)) * heads / (1 - heads);
      const Ball exact = log(Ball(ratio, 512), 512);
      const Rational promised = (*made)->constants().epsilon;
      EXPECT_TRUE(surely_at_most(exact, Ball(promised, 512))) << heads << ' ' << domain;
      EXPECT_TRUE(surely_less(Ball(promised, 512),
                              mul(exact, Ball(Rational(1'000'001, 1'000'000), 512), 512)));
    }
}

TEST(Protocol, TheGreatestRatioIsTheEpsilonPromised) {
  for (const Case& each : cases()) {
    if (each.outcomes().empty()) continue;
    const Ball worst = log(worst_ratio(each), kBits);
    const Ball promised(each.constants().epsilon, kBits);
    // equal up to the width of intervals, or below
    const Ball room(Rational(1, Integer(1) << 100), kBits);
    EXPECT_TRUE(surely_at_most(worst, add(promised, room, kBits))) << each.what;
    // reached; and the twin, a promise that is smaller by a thousandth, isn't kept
    if (each.constants().task == Task::kFrequencies) {
      EXPECT_TRUE(near(worst, promised, 60)) << each.what;
      const Ball less(each.constants().epsilon * Rational(999, 1000), kBits);
      EXPECT_FALSE(surely_at_most(worst, add(less, room, kBits))) << each.what;
    }
  }
}

// How well samples of `each` for a value fit the probabilities that `law` gives.
double fit(const Case& each, const Protocol& law, Value value, std::size_t samples,
           std::uint64_t seed) {
  const auto outcomes = each.outcomes();
  std::map<std::vector<Word>, std::size_t> places;
  for (const auto& report : outcomes) places.emplace(report, places.size());
  const std::size_t words = each.constants().words;
  std::vector<Word> reports(samples * words);
  Seeded source(seed);
  EXPECT_TRUE(
      each.protocol->perturb(std::vector<Value>(samples, value), source, reports).has_value());
  std::vector<double> counts(outcomes.size()), chances;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto at = reports.begin() + static_cast<std::ptrdiff_t>(i * words);
    const auto found = places.find({at, at + static_cast<std::ptrdiff_t>(words)});
    if (found == places.end()) return 0;  // a report that there isn't
    ++counts[found->second];
  }
  for (const auto& report : outcomes)
    chances.push_back(law.probability(value, report, 64).middle());
  return goodness_of_fit(counts, chances);
}

// False alarm: 1e-6 for each case and value, some hundreds in all.
TEST(Protocol, SamplesFollowTheProbabilities) {
  for (const Case& each : cases()) {
    if (each.outcomes().empty()) continue;
    for (const Value value : each.values)
      EXPECT_GT(fit(each, *each.protocol, value, 20000, 5 + value), kFalseAlarm)
          << each.what << " of " << value;
  }
}

// The same check catches a client whose ε is half as large again.
TEST(Protocol, SamplesOfAnotherEpsilonAreCaught) {
  for (const Entry& entry : registry()) {
    if (entry.task != Task::kFrequencies || entry.name == "local-hashing") continue;
    const Case honest = make_case(entry, {.epsilon = 1, .domain = 3});
    const Case broken = make_case(entry, {.epsilon = Rational(3, 2), .domain = 3});
    if (honest.constants().words != broken.constants().words) continue;
    EXPECT_LT(fit(broken, *honest.protocol, 1, 20000, 8), kFalseAlarm) << entry.name;
  }
  const Parameters parameters{.epsilon = 1, .domain = 3, .range = 3};
  const Case broken{"hashing",
                    ProtocolPointer(std::move(*LocalHashing::over(
                        {.epsilon = Rational(3, 2), .domain = 3, .range = 3}, 13))),
                    {1}};
  EXPECT_LT(fit(broken, **LocalHashing::over(parameters, 13), 1, 200000, 8), kFalseAlarm);
}

TEST(Protocol, EveryReportIsReadAsItWasWritten) {
  for (const Case& each : cases()) {
    const std::size_t words = each.constants().words;
    auto reports = each.outcomes();
    if (reports.empty()) {
      Seeded source(3);
      reports.assign(500, std::vector<Word>(words));
      for (auto& report : reports)
        ASSERT_TRUE(each.protocol->perturb({&each.values[1], 1}, source, report).has_value());
    }
    std::map<std::string, std::vector<Word>> lines;
    for (const auto& report : reports) {
      std::string line = "before ";
      each.protocol->write(report, line);
      ASSERT_TRUE(line.starts_with("before ")) << each.what;
      line.erase(0, 7);
      std::vector<Word> back(words);
      EXPECT_EQ(each.protocol->read(line, back), Fault::kNone) << each.what << " " << line;
      EXPECT_EQ(back, report) << each.what << " " << line;
      // no two reports look alike
      EXPECT_EQ(lines.emplace(line, report).first->second, report) << each.what;
    }
  }
}

TEST(Protocol, NothingElseIsRead) {
  for (const Case& each : cases()) {
    Seeded source(4);
    std::vector<Word> report(each.constants().words), back(report.size());
    ASSERT_TRUE(each.protocol->perturb({&each.values[0], 1}, source, report).has_value());
    std::string good;
    each.protocol->write(report, good);
    const std::string digits(1'000'000, '1'), commas(1'000'000, ','), spaces(1'000'000, ' ');
    std::vector<std::string> lines{"",  " ",    "nan",  "inf",  std::string("\0", 1),
                                   "é", digits, commas, spaces, "999999999999999999999999"};
    for (const char* before : {"-", "+", " ", "0", ","}) lines.push_back(before + good);
    for (const std::string& after : std::vector<std::string>{
             " ", "\t", "\n", "\r", ",", "x", std::string("\0x", 2), digits, "," + good})
      lines.push_back(good + after);
    for (const std::string& line : lines)
      EXPECT_NE(each.protocol->read(line, back), Fault::kNone)
          << each.what << " read " << line.substr(0, 60);
  }
}

TEST(Protocol, AValueOutsideIsAnErrorBeforeAnythingIsDrawn) {
  for (const Case& each : cases()) {
    Seeded seeded(4);
    random::testing::Counting source(seeded);
    const Value past = each.constants().task == Task::kFrequencies
                           ? static_cast<Value>(each.constants().domain)
                           : kScale + 1;
    const std::vector<Value> values{each.values[0], past};
    std::vector<Word> reports(2 * each.constants().words);
    EXPECT_FALSE(each.protocol->perturb(values, source, reports).has_value()) << each.what;
    EXPECT_EQ(source.count(), 0u) << each.what;
  }
}

TEST(Protocol, AFailingSourceIsAnError) {
  for (const Case& each : cases()) {
    random::testing::Failing source(50);
    const std::vector<Value> values(1000, each.values[0]);
    std::vector<Word> reports(values.size() * each.constants().words);
    EXPECT_FALSE(each.protocol->perturb(values, source, reports).has_value()) << each.what;
  }
}

// Summed over all reports: E[supports of x | v] − (x = v ? p : q), the greatest.
double bias(const Case& each, double p, double q) {
  double worst = 0;
  const auto outcomes = each.outcomes();
  const std::size_t domain = each.constants().domain;
  for (const Value v : each.values) {
    std::vector<double> mean(domain);
    for (const auto& report : outcomes) {
      std::vector<std::uint64_t> counters(each.constants().counters);
      each.protocol->count(report, counters);
      const auto supports = each.frequencies()->supports(counters);
      const double chance = each.protocol->probability(v, report, 64).middle();
      for (std::size_t x = 0; x < domain; ++x) mean[x] += chance * supports[x];
    }
    for (std::size_t x = 0; x < domain; ++x)
      worst = std::max(worst, std::fabs(mean[x] - (x == v ? p : q)));
  }
  return worst;
}

TEST(Protocol, SupportsAreUnbiasedExactly) {
  int checked = 0;
  for (const Case& each : cases()) {
    if (each.constants().task != Task::kFrequencies || each.outcomes().empty()) continue;
    EXPECT_LT(bias(each, each.constants().p, each.constants().q), 1e-12) << each.what;
    EXPECT_GT(bias(each, each.constants().p, each.constants().q + 1e-6), 1e-7) << each.what;
    ++checked;
  }
  EXPECT_GE(checked, 9 * 8);
}

// The variance of one report's estimate of x where all hold v.
double exact_variance(const Case& each, Value x, Value v) {
  double mean = 0, square = 0;
  const Constants& c = each.constants();
  for (const auto& report : each.outcomes()) {
    std::vector<std::uint64_t> counters(c.counters);
    each.protocol->count(report, counters);
    const double f = (each.frequencies()->supports(counters)[x] - c.q) / (c.p - c.q);
    const double chance = each.protocol->probability(v, report, 64).middle();
    mean += chance * f;
    square += chance * f * f;
  }
  return square - mean * mean;
}

TEST(Protocol, TheVarianceIsTheExactOne) {
  for (const Case& each : cases()) {
    const Constants& c = each.constants();
    if (c.task != Task::kFrequencies || each.outcomes().empty()) continue;
    if (each.what.find("B=2") != std::string::npos) continue;  // hadamard_test.cc has blocks
    for (const Value x : each.values)
      for (const Value v : each.values) {
        if (x == v) continue;
        EXPECT_NEAR(exact_variance(each, x, v) / c.variance, 1, 1e-9) << each.what;
      }
    // of a frequency of 1: all hold x
    const std::vector<std::uint64_t> none(c.counters);
    std::vector<double> ones(c.domain);
    ones[0] = 1;
    const auto variances = each.frequencies()->variances(none, ones);
    EXPECT_NEAR(variances[0], exact_variance(each, 0, 0), 1e-9 * c.variance) << each.what;
    EXPECT_NEAR(variances[1], c.variance, 1e-9 * c.variance) << each.what;
  }
}

// ℓ and its gradient from the probabilities themselves.
double by_definition(const Case& each, std::span<const Word> reports, std::span<const double> theta,
                     std::vector<double>& g) {
  const std::size_t words = each.constants().words, n = reports.size() / words;
  double sum = 0;
  g.assign(theta.size(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> chances;
    double marginal = 0;
    const auto report = reports.subspan(i * words, words);
    // as shares of the first: of many bits the chances themselves are no doubles
    const Ball first = each.protocol->probability(0, report, 64);
    for (Value v = 0; v < theta.size(); ++v) {
      chances.push_back(div(each.protocol->probability(v, report, 64), first, 64).middle());
      marginal += theta[v] * chances[v];
    }
    for (std::size_t v = 0; v < theta.size(); ++v)
      g[v] += chances[v] / marginal / static_cast<double>(n);
    sum += (log(first, 64).middle() + std::log(marginal)) / static_cast<double>(n);
  }
  return sum;
}

State sampled(const Case& each, std::size_t n) {
  State state(*each.protocol);
  state.keeps = true;
  state.users = n;
  state.reports.resize(n * each.constants().words);
  std::vector<Value> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(each.values[i % 3 == 0 ? i % each.values.size() : 0]);
  Seeded source(17);
  EXPECT_TRUE(each.protocol->perturb(values, source, state.reports).has_value());
  each.protocol->count(state.reports, state.counters);
  return state;
}

std::vector<double> slope(std::size_t values, double tilt) {
  std::vector<double> out;
  double sum = 0;
  for (std::size_t v = 0; v < values; ++v)
    sum += out.emplace_back(1 + tilt * static_cast<double>(v % 7));
  for (double& each : out) each /= sum;
  return out;
}

// The greatest error of the gradient, of ℓ as a share of it, and of the difference of ℓ between two
// distributions.
double likelihood_error(const Case& each, const FrequencyProtocol& by, const State& state) {
  const auto likelihood = by.likelihood(state);
  EXPECT_TRUE(likelihood.has_value()) << each.what;
  const std::size_t d = each.constants().domain;
  EXPECT_EQ((*likelihood)->values(), d);
  EXPECT_EQ((*likelihood)->users(), static_cast<double>(state.users));
  double worst = 0, apart = 0;
  for (const double tilt : {0.0, 2.0}) {
    const std::vector<double> theta = slope(d, tilt);
    std::vector<double> g(d), expected;
    const double ell = (*likelihood)->gradient(theta, g);
    const double off =
        ell + (*likelihood)->constant() - by_definition(each, state.reports, theta, expected);
    apart += (tilt == 0 ? 1 : -1) * off;
    worst = std::max(worst, std::fabs(off) / (1 + std::fabs((*likelihood)->constant())));
    for (std::size_t v = 0; v < d; ++v) worst = std::max(worst, std::fabs(g[v] - expected[v]));
  }
  return std::max(worst, std::fabs(apart));
}

TEST(Protocol, TheLikelihoodIsTheRightOne) {
  for (const Case& each : cases()) {
    if (each.constants().task != Task::kFrequencies) continue;
    const State state = sampled(each, 60);
    EXPECT_LT(likelihood_error(each, *each.frequencies(), state), 1e-12) << each.what;
  }
}

TEST(Protocol, TheLikelihoodOfAnotherEpsilonIsCaught) {
  for (const Entry& entry : registry()) {
    if (entry.task != Task::kFrequencies) continue;
    const Case each = make_case(entry, {.epsilon = 1, .domain = 6, .range = 4});
    const Case other = make_case(entry, {.epsilon = Rational(11, 10), .domain = 6, .range = 4});
    if (each.constants().words != other.constants().words) continue;
    EXPECT_GT(likelihood_error(each, *other.frequencies(), sampled(each, 60)), 1e-3) << entry.name;
  }
}

// Domains past a word, past a tile of the tables (1024 values), and not a multiple of either; and
// finite differences along a direction that keeps the sum.
TEST(Protocol, TheLikelihoodOnLargerDomains) {
  for (const Entry& entry : registry()) {
    if (entry.task != Task::kFrequencies) continue;
    for (const std::size_t domain : {33U, 1500U}) {
      const Case each = make_case(entry, {.epsilon = 2, .domain = domain});
      const State state = sampled(each, domain == 33 ? 40 : 5);
      EXPECT_LT(likelihood_error(each, *each.frequencies(), state), 1e-11) << each.what;
      const auto likelihood = *each.frequencies()->likelihood(state);
      const auto theta = slope(domain, 0), target = slope(domain, 2);
      std::vector<double> g(domain), unused(domain), up(theta), down(theta);
      likelihood->gradient(theta, g);
      const double h = 1e-4;
      double along = 0;
      for (std::size_t v = 0; v < domain; ++v) {
        const double direction = target[v] - theta[v];
        along += g[v] * direction;
        up[v] += h * direction;
        down[v] -= h * direction;
      }
      const double difference =
          (likelihood->gradient(up, unused) - likelihood->gradient(down, unused)) / (2 * h);
      EXPECT_NEAR(difference, along, 1e-7) << each.what;
    }
  }
}

TEST(Protocol, ALikelihoodThatNeedsReportsSaysSo) {
  for (const Case& each : cases()) {
    if (each.constants().task != Task::kFrequencies) continue;
    State state = sampled(each, 10);
    state.keeps = false;
    state.reports.clear();
    const auto likelihood = each.frequencies()->likelihood(state);
    EXPECT_EQ(likelihood.has_value(), !each.frequencies()->likelihood_needs_reports()) << each.what;
    if (!likelihood) {
      EXPECT_EQ(likelihood.error().parameter, "keep-reports");
    }
  }
}

}  // namespace
}  // namespace discreet::local
