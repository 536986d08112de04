#include "discreet/channel/prior.h"

#include <fmt/format.h>

#include "discreet/base/ball.h"
#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

constexpr std::size_t kLargestBinomial = 2000;

Status check_chance(const Rational& chance) {
  if (sgn(chance) >= 0 && chance <= 1) return {};
  return fail(Code::kUsage, fmt::format("the binomial prior's chance: found {}; accepted is a "
                                        "probability from 0 to 1",
                                        to_decimal(chance)));
}

}  // namespace

Result<Prior> uniform_prior(std::size_t size) {
  if (size == 0) return fail(Code::kUsage, "a prior over nothing; accepted is one input or more");
  return Prior(size, Rational(1, size));
}

Result<Prior> binomial_prior(std::size_t size, const Rational& chance) {
  TRY(check_chance(chance));
  if (size == 0 || size > kLargestBinomial) {
    return fail(Code::kUsage, fmt::format("a binomial prior over {} inputs; accepted are 1 to {}",
                                          size, kLargestBinomial));
  }
  const std::size_t n = size - 1;
  std::vector<Rational> heads{1}, tails{1};
  for (std::size_t k = 0; k < n; ++k) {
    heads.push_back(heads.back() * chance);
    tails.push_back(tails.back() * (1 - chance));
  }
  Prior out;
  Integer ways;
  for (std::size_t k = 0; k <= n; ++k) {
    mpz_bin_uiui(ways.get_mpz_t(), n, k);
    out.push_back(Rational(ways) * heads[k] * tails[n - k]);
  }
  return out;
}

Status check_prior(const Prior& prior, std::size_t size) {
  if (prior.size() != size) {
    return fail(Code::kUsage, fmt::format("the prior has {} entries; accepted are {}, one for each "
                                          "input",
                                          prior.size(), size));
  }
  Rational sum;
  for (const Rational& p : prior) {
    if (sgn(p) < 0) return fail(Code::kUsage, "the prior has a negative entry");
    sum += p;
  }
  if (sum != 1) {
    return fail(Code::kUsage, fmt::format("the prior sums to {}; accepted is exactly 1",
                                          to_text(to_double(sum))));
  }
  return {};
}

std::vector<double> in_doubles(const Prior& prior) {
  std::vector<double> out;
  out.reserve(prior.size());
  for (const Rational& p : prior) out.push_back(to_double(p));
  return out;
}

std::vector<double> uniform_doubles(std::size_t size) {
  return std::vector<double>(size, 1.0 / static_cast<double>(size));
}

// P(k+1) = P(k)·(n−k)/(k+1)·p/(1−p), in balls: a million steps lose twenty bits of 128, and Arb's
// exponents have no end.
std::vector<double> binomial_doubles(std::size_t size, const Rational& chance) {
  constexpr long kBits = 128;
  std::vector<double> out(size, 0);
  const std::size_t n = size - 1;
  if (sgn(chance) == 0 || chance == 1) {
    out[sgn(chance) == 0 ? 0 : n] = 1;
    return out;
  }
  const Ball odds(Rational(chance / (1 - chance)), kBits);
  Ball p = pow(Ball(Rational(1 - chance), kBits), n, kBits);
  for (std::size_t k = 0;; ++k) {
    out[k] = p.middle();
    if (k == n) return out;
    p = mul(p, mul(odds, Ball(Rational(n - k, k + 1), kBits), kBits), kBits);
  }
}

}  // namespace discreet::channel
