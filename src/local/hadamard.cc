#include "discreet/local/hadamard.h"

#include <fmt/compile.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/hadamard_likelihood.h"
#include "discreet/local/hadamard_transform.h"
#include "discreet/local/hitters_find.h"
#include "discreet/local/pure.h"
#include "discreet/local/state.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;

}  // namespace

Result<std::unique_ptr<Hadamard>> Hadamard::create(const Parameters& parameters) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  TRY(check_domain(parameters));
  const std::size_t domain = parameters.domain, blocks = parameters.blocks;
  if (!std::has_single_bit(blocks) || blocks > domain)
    return bad_parameter("blocks", fmt::format("found {}; accepted is a power of two, 1 to the {} "
                                               "values there are",
                                               blocks, domain));
  const std::size_t outputs = std::bit_ceil((domain + blocks - 1) / blocks + 1);
  const auto b = static_cast<long>(blocks);
  const Ball less = expm1(Ball(epsilon, kBits), kBits), z = add(less, Ball(2 * b), kBits);
  const Ball ratio = div(z, less, kBits);
  Constants constants{.name = "hadamard",
                      .epsilon = epsilon,
                      .domain = domain,
                      .p = div(add(less, Ball(1), kBits), z, kBits).middle(),
                      .q = 1 / (2 * static_cast<double>(blocks)),
                      .variance = div(mul(ratio, ratio, kBits), Ball(b), kBits).middle(),
                      .bits = std::log2(static_cast<double>(blocks * outputs)),
                      .counters = blocks * outputs,
                      .own = {{"outputs", static_cast<double>(blocks * outputs)},
                              {"blocks", static_cast<double>(blocks)}}};
  const Real heads = [epsilon, b](long bits) {
    const Ball more = expm1(Ball(epsilon, bits), bits);
    return div(more, add(more, Ball(2 * b), bits), bits);
  };
  auto coin = TRY(random::Bernoulli::create(heads));
  return std::unique_ptr<Hadamard>(
      new Hadamard(std::move(constants), blocks, outputs, heads, std::move(coin)));
}

bool Hadamard::supports_value(Value value, Word report) const {
  const std::size_t row = value / blocks_ + 1, block = report / outputs_;
  return block == value % blocks_ && std::popcount(row & (report % outputs_)) % 2 == 0;
}

// Any output at all, or, on heads (h = (e^ε − 1)/Z), one of C_x: then the block becomes x's, and
// where the parity is odd the place of the row's lowest 1 is flipped, which pairs the halves.
Status Hadamard::perturb(std::span<const Value> values, random::Source& source,
                         std::span<Word> reports) const {
  TRY(check_values(values, constants_.domain));
  std::array<std::int64_t, 512> heads;
  std::array<std::uint64_t, 256> words;
  const auto all = static_cast<Word>(blocks_ * outputs_ - 1);
  const auto column = static_cast<Word>(outputs_ - 1);
  const int block_bits = std::countr_zero(blocks_), column_bits = std::countr_zero(outputs_);
  for (std::size_t start = 0; start < values.size(); start += heads.size()) {
    const std::size_t count = std::min(heads.size(), values.size() - start);
    TRY(coin_.fill(source, std::span(heads).first(count)));
    TRY(source.fill(std::span(words).first((count + 1) / 2)));
    for (std::size_t i = 0; i < count; ++i) {
      const Word y = static_cast<Word>(words[i / 2] >> (i % 2 * 32)) & all;
      const Value value = values[start + i];
      const Word row = (value >> block_bits) + 1;
      const Word block = value & static_cast<Word>(blocks_ - 1);
      const Word odd = parity(row & y);
      const Word in = ((y & column) ^ ((row & (0 - row)) * odd)) |
                      static_cast<Word>(std::uint64_t{block} << column_bits);
      const Word told = 0 - static_cast<Word>(heads[i]);  // all ones on heads
      reports[start + i] = (in & told) | (y & ~told);
    }
  }
  return {};
}

void Hadamard::write(std::span<const Word> report, std::string& line) const {
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), report[0]);
}

Fault Hadamard::read(std::string_view line, std::span<Word> report) const {
  return read_index(line, blocks_ * outputs_, report[0]);
}

void Hadamard::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (const Word report : reports) ++counters[report];
}

bool Hadamard::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return sum_to(counters, users);
}

// (1 − h)/(B·K) everywhere, and 2h/K more in C_x
Ball Hadamard::probability(Value value, std::span<const Word> report, long bits) const {
  const Ball heads = heads_(bits), outputs(static_cast<long>(outputs_));
  Ball base =
      div(sub(Ball(1), heads, bits), mul(outputs, Ball(static_cast<long>(blocks_)), bits), bits);
  if (!supports_value(value, report[0])) return base;
  return add(base, div(mul(Ball(2), heads, bits), outputs, bits), bits);
}

Result<std::vector<Word>> Hadamard::outcomes() const { return first_numbers(blocks_ * outputs_); }

// 2A − D is the sum of the block's counters, each with its sign in the row: an entry of the
// transform. Entry 0 is D.
std::vector<double> Hadamard::supports(std::span<const std::uint64_t> counters) const {
  std::vector<double> sums(counters.begin(), counters.end());
  double users = 0;
  for (std::size_t b = 0; b < blocks_; ++b) {
    const std::span<double> block = std::span(sums).subspan(b * outputs_, outputs_);
    hadamard_transform(block);
    users += block[0];
  }
  const auto blocks = static_cast<double>(blocks_);
  std::vector<double> out(constants_.domain);
  for (std::size_t x = 0; x < out.size(); ++x)
    out[x] = (1 - 1 / (2 * blocks)) * sums[x % blocks_ * outputs_ + x / blocks_ + 1] +
             users / (2 * blocks);
  return out;
}

// A report adds T = ±1 from x's block and 0 from others, so Var = P[D] − E[T]², of which the users
// with x take e^ε + 1 of Z for P[D] and (e^ε − 1)/Z for E[T]; D is what was seen.
//     Var[f] = (Z/(e^ε − 1))²·(D/n) − f
std::vector<double> Hadamard::variances(std::span<const std::uint64_t> counters,
                                        std::span<const double> frequencies) const {
  std::vector<double> shares(blocks_);
  double users = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    shares[i / outputs_] += static_cast<double>(counters[i]);
    users += static_cast<double>(counters[i]);
  }
  const double scale = constants_.variance * static_cast<double>(blocks_);
  std::vector<double> out;
  out.reserve(frequencies.size());
  for (std::size_t x = 0; x < frequencies.size(); ++x) {
    const double f = std::clamp(frequencies[x], 0.0, 1.0);
    const double share = users > 0 ? shares[x % blocks_] / users : 1;
    out.push_back(std::max(scale * share - f, 0.0));
  }
  return out;
}

// Of a value that nobody holds, the D reports of its block are fair coins of ±1: of the largest
// block the sum reaches furthest.
Reach Hadamard::reach(std::span<const std::uint64_t> counters, std::uint64_t users,
                      double chance) const {
  std::vector<std::uint64_t> blocks(blocks_);
  for (std::size_t i = 0; i < counters.size(); ++i) blocks[i / outputs_] += counters[i];
  const std::uint64_t most = *std::max_element(blocks.begin(), blocks.end());
  const std::uint64_t many = least_surprising(most, Ball(Rational(1, 2), 128), 1, chance);
  if (users == 0 || many > most) return {};
  const double ratio = std::sqrt(constants_.variance * static_cast<double>(blocks_));
  const double far = ratio * static_cast<double>(2 * many - most) / static_cast<double>(users);
  return {-far, far};
}

Result<std::unique_ptr<Likelihood>> Hadamard::likelihood(const State& state) const {
  const double extra = expm1(Ball(constants_.epsilon, kBits), kBits).middle();
  const Ball base =
      div(sub(Ball(1), heads_(kBits), kBits), Ball(static_cast<long>(outputs_ * blocks_)), kBits);
  return std::make_unique<HadamardLikelihood>(state.counters, constants_.domain, blocks_, extra,
                                              log(base, kBits).middle());
}

}  // namespace discreet::local
