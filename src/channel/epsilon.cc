#include "discreet/channel/epsilon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/ball.h"

namespace discreet::channel {
namespace {

// Takes note of p/q if it is the largest ratio so far.
void consider(Loss& worst, const Rational& p, const Rational& q, std::size_t from, std::size_t to,
              std::size_t output) {
  if (worst.infinite || sgn(p) == 0) return;
  if (sgn(q) == 0) {
    worst = {.infinite = true, .from = from, .to = to, .output = output};
  } else if (p > worst.ratio * q) {
    worst = {.ratio = p / q, .from = from, .to = to, .output = output};
  }
}

// Every two rows are neighbours: the largest entry of a column against its smallest.
Loss over_all_pairs(const Channel& channel) {
  Loss worst;
  for (std::size_t z = 0; z < channel.columns(); ++z) {
    std::size_t most = 0, least = 0;
    for (std::size_t y = 1; y < channel.rows(); ++y) {
      if (channel.at(y, z) > channel.at(most, z)) most = y;
      if (channel.at(y, z) < channel.at(least, z)) least = y;
    }
    consider(worst, channel.at(most, z), channel.at(least, z), most, least, z);
  }
  return worst;
}

}  // namespace

double Loss::epsilon() const {
  return infinite ? std::numeric_limits<double>::infinity() : log_of(ratio, power);
}

std::optional<bool> Loss::within(const Ratio& bound) const {
  if (infinite) return false;
  if (power == 0 || ratio == 1) return true;
  const auto at_most = [&](const Rational& limit) -> std::optional<bool> {
    if (power == 1) return ratio <= limit;
    // ratio^power has too many digits to write down: logarithms, as tight as it takes.
    for (long bits = 256; bits <= 4096; bits *= 2) {
      const Ball mine = mul(Ball(Rational(power), bits), log(Ball(ratio, bits), bits), bits);
      const Ball theirs = log(Ball(limit, bits), bits);
      if (surely_at_most(mine, theirs)) return true;
      if (surely_less(theirs, mine)) return false;
    }
    return std::nullopt;
  };
  const auto below = at_most(bound.lower), above = at_most(bound.upper);
  if (below == true) return true;
  if (above == false) return false;
  return std::nullopt;
}

Loss epsilon_of(const Channel& channel, const Graph& graph) {
  if (graph.size() != channel.rows()) return {.infinite = true};
  if (graph.kind() == Graph::Kind::kComplete) return over_all_pairs(channel);
  Loss worst;
  graph.for_each_edge([&](Node a, Node b) {
    for (std::size_t z = 0; z < channel.columns(); ++z) {
      consider(worst, channel.at(a, z), channel.at(b, z), a, b, z);
      consider(worst, channel.at(b, z), channel.at(a, z), b, a, z);
    }
  });
  return worst;
}

bool is_within(const Channel& channel, const Graph& graph, const Rational& ratio) {
  const Loss loss = epsilon_of(channel, graph);
  return !loss.infinite && loss.ratio <= ratio;
}

Result<double> metric_epsilon(const Channel& channel, const std::vector<Rational>& metric) {
  constexpr long kBits = 192;
  const std::size_t n = channel.rows();
  if (metric.size() != n * n) {
    return fail(Code::kUsage, fmt::format("the metric has {} entries; accepted are {} × {}",
                                          metric.size(), n, n));
  }
  constexpr std::size_t kMostWork = 50'000'000;  // ratios, half a minute
  if (n * channel.columns() > kMostWork / n) {
    return fail(Code::kUsage, fmt::format("a metric over {} inputs with {} outputs; accepted is a "
                                          "smaller channel",
                                          n, channel.columns()));
  }
  double most = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const Rational& apart = metric[a * n + b];
      if (sgn(apart) <= 0) {
        return fail(Code::kUsage, fmt::format("the metric, row {}, column {}: found {}; accepted "
                                              "is a distance above 0",
                                              a + 1, b + 1, to_text(to_double(apart))));
      }
      Loss worst;
      for (std::size_t z = 0; z < channel.columns(); ++z)
        consider(worst, channel.at(a, z), channel.at(b, z), a, b, z);
      if (worst.infinite) return std::numeric_limits<double>::infinity();
      if (worst.ratio == 1) continue;
      const auto bits = kBits + static_cast<long>(mpz_sizeinbase(worst.ratio.get_den_mpz_t(), 2));
      const Ball rate = div(log(Ball(worst.ratio, bits), bits), Ball(apart, bits), bits);
      most = std::max(most, rate.middle());
    }
  }
  return most;
}

}  // namespace discreet::channel
