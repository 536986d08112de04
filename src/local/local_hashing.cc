#include "discreet/local/local_hashing.h"

#include <fmt/compile.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/local_hashing_count.h"
#include "discreet/local/pure.h"
#include "discreet/local/support_likelihood.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr long kBits = 192;  // q differs from 1/g by 2^-60 or so
constexpr std::size_t kMostRange = std::size_t{1} << 30;

// (e^ε − 1)/(e^ε + g − 1)
Ball heads_of(const Rational& epsilon, std::uint32_t range, long bits) {
  const Ball more = expm1(Ball(epsilon, bits), bits);
  return div(more, add(more, Ball(static_cast<long>(range)), bits), bits);
}

struct Chances {
  Ball p, q;
};

// Of the g buckets, P mod g have ⌊P/g⌋ + 1 places, the others ⌊P/g⌋.
Chances chances_of(const Rational& epsilon, const HashFamily& family) {
  const Ball heads = heads_of(epsilon, family.range, kBits);
  const Ball any = div(sub(Ball(1), heads, kBits), Ball(static_cast<long>(family.range)), kBits);
  const Integer prime = family.prime, small = family.prime / family.range;
  const Integer larger = family.prime % family.range, smaller = family.range - larger;
  Rational meet(larger * (small + 1) * (small + 1) + smaller * small * small, prime * prime);
  meet.canonicalize();
  return {.p = add(heads, any, kBits), .q = add(mul(heads, Ball(meet, kBits), kBits), any, kBits)};
}

double variance_of(const Rational& epsilon, const HashFamily& family) {
  const Chances chances = chances_of(epsilon, family);
  return pure_variance(chances.p, chances.q);
}

// With q = 1/g the variance is (e^ε − 1 + g)²/((g − 1)(e^ε − 1)²), least at g = e^ε + 1 and
// convex: the best whole number is next to it.
std::uint32_t best_range(const Rational& epsilon, std::uint32_t prime) {
  const Integer most = std::min<unsigned long>(kMostRange, prime);
  const Integer ideal = add(exp(Ball(epsilon, kBits), kBits), Ball(1), kBits).floor_shifted(0);
  const auto below = static_cast<std::uint32_t>(Integer(std::min(ideal, most)).get_ui());
  const auto above =
      static_cast<std::uint32_t>(Integer(std::min<Integer>(ideal + 1, most)).get_ui());
  return variance_of(epsilon, {prime, above}) < variance_of(epsilon, {prime, below}) ? above
                                                                                     : below;
}

}  // namespace

Result<std::unique_ptr<LocalHashing>> LocalHashing::create(const Parameters& parameters) {
  return over(parameters, kHashPrime);
}

Result<std::unique_ptr<LocalHashing>> LocalHashing::over(const Parameters& parameters,
                                                         std::uint32_t prime) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  TRY(check_domain(parameters, 2, std::min<std::size_t>(prime, kMostValues)));
  const std::size_t most = std::min<std::size_t>(kMostRange, prime);
  if (parameters.range && (*parameters.range < 2 || *parameters.range > most))
    return bad_parameter("range", fmt::format("found {}; accepted is a whole number from 2 to {}",
                                              *parameters.range, most));
  const HashFamily family{.prime = prime,
                          .range = parameters.range ? static_cast<std::uint32_t>(*parameters.range)
                                                    : best_range(epsilon, prime)};
  const Chances chances = chances_of(epsilon, family);
  const auto g = static_cast<double>(family.range);
  Constants constants{.name = "local-hashing",
                      .epsilon = epsilon,
                      .domain = parameters.domain,
                      .p = chances.p.middle(),
                      .q = chances.q.middle(),
                      .variance = pure_variance(chances.p, chances.q),
                      .bits = 2 * std::log2(static_cast<double>(prime)) + std::log2(g),
                      .words = 3,
                      .counters = parameters.domain,
                      .own = {{"g", g}}};
  const Real heads = [epsilon, range = family.range](long bits) {
    return heads_of(epsilon, range, bits);
  };
  auto coin = TRY(random::Bernoulli::create(heads));
  return std::unique_ptr<LocalHashing>(
      new LocalHashing(std::move(constants), family, heads, std::move(coin)));
}

// The coin and the die are both always thrown, so that a lie takes as long as the truth.
Status LocalHashing::perturb(std::span<const Value> values, random::Source& source,
                             std::span<Word> reports) const {
  TRY(check_values(values, constants_.domain));
  std::array<std::int64_t, 256> heads;
  std::array<std::uint64_t, 512> function;
  std::array<std::uint64_t, 256> die;
  for (std::size_t start = 0; start < values.size(); start += heads.size()) {
    const std::size_t count = std::min(heads.size(), values.size() - start);
    TRY(coin_.fill(source, std::span(heads).first(count)));
    TRY(random::fill_uniform_below(source, family_.prime, std::span(function).first(2 * count)));
    TRY(random::fill_uniform_below(source, family_.range, std::span(die).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t a = function[2 * i], b = function[2 * i + 1];
      const Word bucket = family_.bucket(family_.place(a, b, values[start + i]));
      const Word truth = 0 - static_cast<Word>(heads[i]);  // all ones on heads
      Word* report = &reports[3 * (start + i)];
      report[0] = static_cast<Word>(a);
      report[1] = static_cast<Word>(b);
      report[2] = (bucket & truth) | (static_cast<Word>(die[i]) & ~truth);
    }
  }
  return {};
}

void LocalHashing::write(std::span<const Word> report, std::string& line) const {
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{} {} {}"), report[0], report[1],
                 report[2]);
}

Fault LocalHashing::read(std::string_view line, std::span<Word> report) const {
  const std::size_t first = line.find(' ');
  if (first == std::string_view::npos) return Fault::kMalformed;
  const std::size_t second = line.find(' ', first + 1);
  if (second == std::string_view::npos) return Fault::kMalformed;
  Fault fault = read_index(line.substr(0, first), family_.prime, report[0]);
  if (fault == Fault::kNone)
    fault = read_index(line.substr(first + 1, second - first - 1), family_.prime, report[1]);
  if (fault == Fault::kNone) fault = read_index(line.substr(second + 1), family_.range, report[2]);
  return fault;
}

void LocalHashing::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  count_hash_supports(family_, reports, counters);
}

bool LocalHashing::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return none_above(counters, users);
}

Ball LocalHashing::probability(Value value, std::span<const Word> report, long bits) const {
  const Ball heads = heads_(bits), prime(static_cast<long>(family_.prime));
  const Ball any = div(sub(Ball(1), heads, bits), Ball(static_cast<long>(family_.range)), bits);
  const bool supported = family_.bucket(family_.place(report[0], report[1], value)) == report[2];
  return div(supported ? add(heads, any, bits) : any, mul(prime, prime, bits), bits);
}

Result<std::vector<Word>> LocalHashing::outcomes() const {
  const double count = std::pow(family_.prime, 2) * family_.range;
  if (count > static_cast<double>(kMostOutcomes))
    return first_numbers(static_cast<std::size_t>(std::min(count, 0x1p62)));
  std::vector<Word> out;
  for (Word a = 0; a < family_.prime; ++a)
    for (Word b = 0; b < family_.prime; ++b)
      for (Word y = 0; y < family_.range; ++y) out.insert(out.end(), {a, b, y});
  return out;
}

std::vector<double> LocalHashing::supports(std::span<const std::uint64_t> counters) const {
  return {counters.begin(), counters.end()};
}

namespace {

class HashRows final : public SupportRows {
 public:
  HashRows(HashFamily family, std::vector<Word> reports)
      : family_(family), reports_(std::move(reports)) {}
  std::size_t member(std::size_t byte, std::size_t bit) const override {
    return byte / 16 * 128 + 16 * bit + byte % 16;
  }
  void fill(std::size_t report, std::size_t tile,
            std::span<std::uint8_t, kRowBytes> row) const override {
    hash_support_row(family_, std::span(reports_).subspan(3 * report).first<3>(), tile * kRowValues,
                     row);
  }

 private:
  HashFamily family_;
  std::vector<Word> reports_;
};

}  // namespace

Result<std::unique_ptr<Likelihood>> LocalHashing::likelihood(const State& state) const {
  const Ball any =
      div(sub(Ball(1), heads_(kBits), kBits), Ball(static_cast<long>(family_.range)), kBits);
  const double constant = log(any, kBits).middle() - 2 * std::log(family_.prime);
  return support_likelihood(*this, state, constant, [this](std::vector<Word> reports) {
    return std::make_unique<HashRows>(family_, std::move(reports));
  });
}

}  // namespace discreet::local
