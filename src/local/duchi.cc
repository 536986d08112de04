#include "discreet/local/duchi.h"

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/state.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;

// q = 1/(e^ε + 1)
Ball lie(const Rational& epsilon, long bits) {
  return div(Ball(1), add(exp(Ball(epsilon, bits), bits), Ball(1), bits), bits);
}

}  // namespace

Result<std::unique_ptr<Duchi>> Duchi::create(const Parameters& parameters) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  const Ball q = lie(epsilon, kBits), more = expm1(Ball(epsilon, kBits), kBits);
  const Ball c = div(add(more, Ball(2), kBits), more, kBits);
  Constants constants{.name = "duchi",
                      .task = Task::kMean,
                      .epsilon = epsilon,
                      .domain = 0,
                      .p = sub(Ball(1), q, kBits).middle(),
                      .q = q.middle(),
                      .variance = mul(c, c, kBits).middle(),
                      .bits = 1,
                      .counters = 2,
                      .own = {{"C", c.middle()}}};
  auto coin = TRY(random::Bernoulli::create([epsilon](long bits) { return lie(epsilon, bits); }));
  return std::unique_ptr<Duchi>(new Duchi(std::move(constants), std::move(coin)));
}

Status Duchi::perturb(std::span<const Value> values, random::Source& source,
                      std::span<Word> reports) const {
  TRY(check_places(values));
  std::array<std::int64_t, 512> lies;
  std::array<std::uint64_t, 512> rounding;
  for (std::size_t start = 0; start < values.size(); start += lies.size()) {
    const std::size_t count = std::min(lies.size(), values.size() - start);
    TRY(coin_.fill(source, std::span(lies).first(count)));
    TRY(random::fill_uniform_below(source, kScale, std::span(rounding).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const Word up = rounding[i] < values[start + i];
      reports[start + i] = up ^ static_cast<Word>(lies[i]);
    }
  }
  return {};
}

void Duchi::write(std::span<const Word> report, std::string& line) const {
  line += report[0] == 1 ? "+1" : "-1";
}

Fault Duchi::read(std::string_view line, std::span<Word> report) const {
  report[0] = line == "+1";
  return line == "+1" || line == "-1" ? Fault::kNone : Fault::kMalformed;
}

void Duchi::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (const Word report : reports) ++counters[report];
}

bool Duchi::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return sum_to(counters, users);
}

// q + x·(1 − 2q) that it is +1, with x = (1 + t)/2 the place of the number
Ball Duchi::probability(Value value, std::span<const Word> report, long bits) const {
  Rational place(report[0] == 1 ? value : kScale - value, kScale);
  place.canonicalize();
  const Ball q = lie(constants_.epsilon, bits);
  const Ball apart = sub(Ball(1), mul(Ball(2), q, bits), bits);
  return add(q, mul(Ball(place, bits), apart, bits), bits);
}

// A report stands for the place 1/2 ± C/2.
Deviations Duchi::deviations(std::uint64_t minus, std::uint64_t plus) const {
  const double half = constants_.own[0].second / 2;
  return {(static_cast<double>(plus) - static_cast<double>(minus)) * half,
          (static_cast<double>(plus) + static_cast<double>(minus)) * half * half};
}

// Of a number d from the middle a report's variance is C²/4 − d². Two answers say what the mean of
// d is, but nothing of how people differ: the bar is that of people who all hold the mean, C²·s(1 −
// s) for the shares s and 1 − s of the answers, and never too short. A few that agree by chance
// don't mean that all would: two more count on each side (records_sample.h).
Number Duchi::mean(std::uint64_t minus, std::uint64_t plus) const {
  const auto users = static_cast<double>(minus + plus);
  const double share = (static_cast<double>(plus) + 2) / (users + 4);
  return mean_place(deviations(minus, plus), minus + plus,
                    std::max(least_variance(), constants_.variance * share * (1 - share)));
}

Number Duchi::mean(const State& state) const {
  const std::uint64_t minus = state.counters[0], plus = state.counters[1];
  return mean(minus, plus);
}

}  // namespace discreet::local
