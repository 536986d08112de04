#include "discreet/local/flat.h"

#include <fmt/compile.h>

#include <array>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/flat_likelihood.h"
#include "discreet/local/pure.h"
#include "discreet/local/state.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

// 1 − p is e^−ε or so, down to 2^−722 at ε = 500: it must survive the subtraction.
constexpr long kBits = 1024;

// h = (e^ε − 1)/(e^ε + k − 1)
Real heads_for(const Rational& epsilon, std::size_t domain) {
  return [epsilon, k = static_cast<long>(domain)](long bits) {
    const Ball more = expm1(Ball(epsilon, bits), bits);
    return div(more, add(more, Ball(k), bits), bits);
  };
}

}  // namespace

Result<std::unique_ptr<Flat>> Flat::make(std::string_view name, const Rational& epsilon,
                                         std::size_t domain, Real heads) {
  const Ball values(static_cast<long>(domain));
  const Ball q = div(sub(Ball(1), heads(kBits), kBits), values, kBits);
  const Ball p = add(heads(kBits), q, kBits);
  Constants constants{.name = name,
                      .epsilon = epsilon,
                      .domain = domain,
                      .p = p.middle(),
                      .q = q.middle(),
                      .variance = pure_variance(p, q),
                      .bits = std::log2(static_cast<double>(domain)),
                      .counters = domain};
  if (name == "coins") constants.own = {{"heads", heads(kBits).middle()}};
  auto coin = TRY(random::Bernoulli::create(heads));
  return std::unique_ptr<Flat>(new Flat(std::move(constants), std::move(heads), std::move(coin)));
}

Result<std::unique_ptr<Flat>> Flat::create(const Parameters& parameters) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  TRY(check_domain(parameters));
  return make("flat", epsilon, parameters.domain, heads_for(epsilon, parameters.domain));
}

// ε = ln(1 + k·h/(1−h))
Result<std::unique_ptr<Flat>> Flat::from_coins(const Parameters& parameters) {
  TRY(check_domain(parameters));
  if (parameters.epsilon && parameters.heads)
    return bad_parameter("heads", "found together with an ε; accepted is one of them",
                         "the coin decides what ε is");
  if (parameters.epsilon) {
    const Rational epsilon = TRY(checked_epsilon(parameters));
    return make("coins", epsilon, parameters.domain, heads_for(epsilon, parameters.domain));
  }
  const Rational heads = parameters.heads.value_or(Rational(1, 2));
  if (heads <= 0 || heads >= 1)
    return bad_parameter("heads", fmt::format("found {}; accepted is a number above 0 and below 1",
                                              to_decimal(heads)));
  const Rational ratio =
      1 + Rational(Integer(static_cast<unsigned long>(parameters.domain))) * heads / (1 - heads);
  const Rational epsilon = TRY(parse_number(fmt::format("ln({})", ratio.get_str()), Rounding::kUp));
  return make("coins", epsilon, parameters.domain,
              [heads](long bits) { return Ball(heads, bits); });
}

// The coin and the die are both always thrown, so that a lie takes as long as the truth.
Status Flat::perturb(std::span<const Value> values, random::Source& source,
                     std::span<Word> reports) const {
  TRY(check_values(values, constants_.domain));
  std::array<std::int64_t, 512> heads;
  std::array<std::uint64_t, 512> die;
  for (std::size_t start = 0; start < values.size(); start += heads.size()) {
    const std::size_t count = std::min(heads.size(), values.size() - start);
    TRY(coin_.fill(source, std::span(heads).first(count)));
    TRY(random::fill_uniform_below(source, constants_.domain, std::span(die).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const Word truth = 0 - static_cast<Word>(heads[i]);  // all ones on heads
      reports[start + i] = (values[start + i] & truth) | (static_cast<Word>(die[i]) & ~truth);
    }
  }
  return {};
}

void Flat::write(std::span<const Word> report, std::string& line) const {
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), report[0]);
}

Fault Flat::read(std::string_view line, std::span<Word> report) const {
  return read_index(line, constants_.domain, report[0]);
}

void Flat::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (const Word report : reports) ++counters[report];
}

bool Flat::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return sum_to(counters, users);
}

Ball Flat::probability(Value value, std::span<const Word> report, long bits) const {
  const Ball heads = heads_(bits);
  const Ball q = div(sub(Ball(1), heads, bits), Ball(static_cast<long>(constants_.domain)), bits);
  return report[0] == value ? add(heads, q, bits) : q;
}

Result<std::vector<Word>> Flat::outcomes() const { return first_numbers(constants_.domain); }

std::vector<double> Flat::supports(std::span<const std::uint64_t> counters) const {
  return {counters.begin(), counters.end()};
}

Result<std::unique_ptr<Likelihood>> Flat::likelihood(const State& state) const {
  return std::make_unique<FlatLikelihood>(state.counters, constants_.p, constants_.q);
}

}  // namespace discreet::local
