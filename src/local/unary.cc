#include "discreet/local/unary.h"

#include <algorithm>
#include <array>
#include <bit>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/local/support_likelihood.h"
#include "discreet/local/unary_count.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;
constexpr std::size_t kBatch = 512;  // coins of values drawn at a time

}  // namespace

Result<std::unique_ptr<Unary>> Unary::make(std::string_view name, const Parameters& parameters,
                                           Real p, Real q) {
  TRY(check_domain(parameters, 2, kMostBits));
  const std::size_t domain = parameters.domain;
  Constants constants{.name = name,
                      .epsilon = *parameters.epsilon,
                      .domain = domain,
                      .p = p(kBits).middle(),
                      .q = q(kBits).middle(),
                      .variance = pure_variance(p(kBits), q(kBits)),
                      .bits = static_cast<double>(domain),
                      .words = (domain + 31) / 32,
                      .counters = domain};
  auto own = TRY(random::Bernoulli::create(p));
  auto others = TRY(random::CoinWords::create(q));
  return std::unique_ptr<Unary>(new Unary(std::move(constants), std::move(p), std::move(q),
                                          std::move(own), std::move(others)));
}

Result<std::unique_ptr<Unary>> Unary::symmetric(const Parameters& parameters) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  const auto root = [epsilon](long bits) { return exp(Ball(epsilon / 2, bits), bits); };
  const Real q = [root](long bits) { return div(Ball(1), add(root(bits), Ball(1), bits), bits); };
  const Real p = [q](long bits) { return sub(Ball(1), q(bits), bits); };
  return make("symmetric-unary", parameters, p, q);
}

Result<std::unique_ptr<Unary>> Unary::optimised(const Parameters& parameters) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  return make(
      "optimised-unary", parameters, [](long bits) { return Ball(Rational(1, 2), bits); },
      [epsilon](long bits) {
        return div(Ball(1), add(exp(Ball(epsilon, bits), bits), Ball(1), bits), bits);
      });
}

// Every bit is drawn as if it were another value's, the true value's once more by itself; it is put
// in its place by masks over all words, so that neither time nor memory's paths tell the place.
Status Unary::perturb(std::span<const Value> values, random::Source& source,
                      std::span<Word> reports) const {
  TRY(check_values(values, constants_.domain));
  const std::size_t words = constants_.words, pairs = (words + 1) / 2;
  const std::size_t padding = words * 32 - constants_.domain;
  std::vector<std::uint64_t> drawn(pairs * std::max<std::size_t>(1, kBatch / pairs));
  std::array<std::int64_t, kBatch> own;
  const std::size_t batch = std::min(drawn.size() / pairs, kBatch);
  for (std::size_t start = 0; start < values.size(); start += batch) {
    const std::size_t count = std::min(batch, values.size() - start);
    TRY(own_.fill(source, std::span(own).first(count)));
    TRY(others_.fill(source, std::span(drawn).first(count * pairs)));
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<Word> report = reports.subspan((start + i) * words, words);
      const std::uint64_t* bits = &drawn[i * pairs];
      for (std::size_t w = 0; w < words; ++w)
        report[w] = static_cast<Word>(bits[w / 2] >> (w % 2 * 32));
      report[words - 1] &= ~Word{0} >> padding;
      const Value value = values[start + i];
      const Word place = Word{1} << (value % 32), bit = place & (0 - static_cast<Word>(own[i]));
      for (std::size_t w = 0; w < words; ++w) {
        const Word here = 0 - static_cast<Word>(w == value / 32);
        report[w] = (report[w] & ~(place & here)) | (bit & here);
      }
    }
  }
  return {};
}

void Unary::write(std::span<const Word> report, std::string& line) const {
  const std::size_t start = line.size();
  line.resize(start + constants_.domain);
  for (std::size_t v = 0; v < constants_.domain; ++v)
    line[start + v] = static_cast<char>('0' + (report[v / 32] >> (v % 32) & 1));
}

Fault Unary::read(std::string_view line, std::span<Word> report) const {
  if (line.size() != constants_.domain)
    return line.find_first_not_of("01") != std::string_view::npos ? Fault::kMalformed
                                                                  : Fault::kWrongLength;
  for (std::size_t w = 0; w < report.size(); ++w) {
    const std::string_view part = line.substr(w * 32, 32);
    Word word = 0, wrong = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Word bit = static_cast<unsigned char>(part[i]) ^ Word { '0' };
      wrong |= bit;
      word |= (bit & 1) << i;
    }
    if (wrong > 1) return Fault::kMalformed;
    report[w] = word;
  }
  return Fault::kNone;
}

void Unary::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  count_bits(reports, constants_.words, counters);
}

bool Unary::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return none_above(counters, users);
}

// The true value's bit by p, k ones of the other d − 1 bits by q: q^k·(1 − q)^(d−1−k).
Ball Unary::probability(Value value, std::span<const Word> report, long bits) const {
  unsigned long ones = 0;
  for (const Word word : report) ones += static_cast<unsigned long>(std::popcount(word));
  const bool own = (report[value / 32] >> (value % 32) & 1) != 0;
  if (own) --ones;
  const Ball p = p_(bits), q = q_(bits), one(1);
  const Ball others =
      mul(pow(q, ones, bits), pow(sub(one, q, bits), constants_.domain - 1 - ones, bits), bits);
  return mul(own ? p : sub(one, p, bits), others, bits);
}

Result<std::vector<Word>> Unary::outcomes() const {
  return first_numbers(std::size_t{1} << std::min<std::size_t>(constants_.domain, 31));
}

std::vector<double> Unary::supports(std::span<const std::uint64_t> counters) const {
  return {counters.begin(), counters.end()};
}

Result<std::unique_ptr<Likelihood>> Unary::likelihood(const State& state) const {
  // with k ones, (1 − p)·q^k·(1 − q)^(d−1−k): of all reports together it takes how many ones
  double ones = 0;
  for (const std::uint64_t count : state.counters) ones += static_cast<double>(count);
  if (state.users > 0) ones /= static_cast<double>(state.users);
  const auto log_of = [](const Ball& chance) { return log(chance, kBits).middle(); };
  const Ball one(1), q = q_(kBits);
  const double constant =
      log_of(sub(one, p_(kBits), kBits)) + ones * log_of(q) +
      (static_cast<double>(constants_.domain) - 1 - ones) * log_of(sub(one, q, kBits));
  return support_likelihood(*this, state, constant, [this](std::vector<Word> reports) {
    return bit_rows(std::move(reports), constants_.words);
  });
}

}  // namespace discreet::local
