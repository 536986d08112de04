#include "discreet/channel/structured.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/channel/quantise.h"

namespace discreet::channel {
namespace {

Rational power(const Rational& base, std::size_t exponent) {
  Rational out;
  mpz_pow_ui(out.get_num_mpz_t(), base.get_num_mpz_t(), exponent);
  mpz_pow_ui(out.get_den_mpz_t(), base.get_den_mpz_t(), exponent);
  return out;
}

std::size_t apart(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

std::size_t bits_of(const Rational& value) {
  return mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2);
}

// About how many bits the longest entry has.
std::size_t longest(const TruncatedGeometric& channel) {
  return bits_of(channel.ratio.lower) * channel.size;
}
std::size_t longest(const Flat& channel) { return 2 * bits_of(channel.ratio.lower) + 64; }

constexpr std::size_t kShort = 512;  // bits: no more than some eighty digits over eighty

// Powers of α to 2^-256, one below another.
std::vector<Rational> rounded_powers(const Rational& alpha, std::size_t count) {
  constexpr mp_bitcnt_t kBits = 256;
  std::vector<Rational> out;
  Integer power = Integer(1) << kBits;
  while (out.size() < count) {
    Rational next(power);
    mpq_div_2exp(next.get_mpq_t(), next.get_mpq_t(), kBits);
    out.push_back(std::move(next));
    power = power * alpha.get_num() / alpha.get_den();
  }
  return out;
}

template <class Structured>
Result<Channel> filled(const Structured& channel, const std::vector<Rational>& by_distance) {
  const std::size_t n = channel.size;
  std::vector<Rational> entries;
  entries.reserve(n * n);
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t z = 0; z < n; ++z) {
      if constexpr (std::is_same_v<Structured, TruncatedGeometric>) {
        entries.push_back(channel.weight(z) * by_distance[apart(y, z)]);
      } else {
        entries.push_back(by_distance[y == z ? 0 : 1]);
      }
    }
  return Channel::create(n, n, std::move(entries));
}

}  // namespace

Status check_size(std::size_t size) {
  if (size >= 1 && size <= Graph::kLargest) return {};
  return fail(Code::kUsage,
              fmt::format("size: found {}; accepted is 1 to {}", size, Graph::kLargest));
}

Rational TruncatedGeometric::weight(std::size_t z) const {
  if (size == 1) return 1;
  const Rational a = alpha();
  return z == 0 || z + 1 == size ? Rational(1 / (1 + a)) : Rational((1 - a) / (1 + a));
}

Rational TruncatedGeometric::at(std::size_t y, std::size_t z) const {
  return weight(z) * power(alpha(), apart(y, z));
}

Rational Flat::at(std::size_t y, std::size_t z) const {
  const Rational total = ratio.lower + Rational(size - 1);
  return (y == z ? ratio.lower : Rational(1)) / total;
}

Result<Channel> dense(const TruncatedGeometric& channel) {
  TRY(check_extent(channel.size, channel.size));
  if (longest(channel) > 50'000'000 / channel.size / channel.size * 64 + kShort) {
    return fail(Code::kUsage, "the exact entries have too many digits", "take fewer inputs");
  }
  std::vector<Rational> powers{1};
  for (std::size_t k = 1; k < channel.size; ++k) powers.push_back(powers.back() * channel.alpha());
  return filled(channel, powers);
}

Result<Channel> dense(const Flat& channel) {
  TRY(check_extent(channel.size, channel.size));
  if (channel.size == 1) return Channel::create(1, 1, {1});
  return filled(channel, {channel.at(0, 0), channel.at(0, 1)});
}

Result<Channel> writable(const TruncatedGeometric& channel) {
  if (channel.size == 1 || longest(channel) <= kShort) return dense(channel);
  TRY(check_extent(channel.size, channel.size));
  auto path = TRY(Graph::path(channel.size));
  const std::size_t n = channel.size;
  const auto powers = rounded_powers(channel.alpha(), n);
  std::vector<Rational> entries;
  entries.reserve(n * n);
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t z = 0; z < n; ++z) entries.push_back(channel.weight(z) * powers[apart(y, z)]);
  return quantise(n, n, std::move(entries), path, channel.ratio.lower, kDecimals);
}

Result<Channel> writable(const Flat& channel) {
  if (channel.size == 1 || longest(channel) <= kShort) return dense(channel);
  auto exact = TRY(dense(channel));
  auto graph = TRY(Graph::complete(channel.size));
  std::vector<Rational> entries;
  entries.reserve(channel.size * channel.size);
  for (std::size_t y = 0; y < channel.size; ++y)
    entries.insert(entries.end(), exact.row(y).begin(), exact.row(y).end());
  return quantise(channel.size, channel.size, std::move(entries), graph, channel.ratio.lower,
                  kDecimals);
}

Loss epsilon_of(const TruncatedGeometric& channel, const Graph& graph) {
  std::size_t most = 0;
  switch (graph.kind()) {
    case Graph::Kind::kPath:
      most = channel.size > 1 ? 1 : 0;
      break;
    case Graph::Kind::kCycle:
    case Graph::Kind::kComplete:  // 0 and size−1 are neighbours
      most = channel.size - 1;
      break;
    case Graph::Kind::kEdges:
      graph.for_each_edge([&](Node a, Node b) { most = std::max<std::size_t>(most, apart(a, b)); });
      break;
  }
  return {.ratio = channel.ratio.lower, .power = most};
}

Loss epsilon_of(const Flat& channel, const Graph&) {
  return {.ratio = channel.ratio.lower, .power = channel.size > 1 ? 1UL : 0UL};
}

}  // namespace discreet::channel
