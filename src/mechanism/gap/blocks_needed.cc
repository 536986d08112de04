#include "discreet/mechanism/gap/blocks_needed.h"

#include <fmt/format.h>

#include <map>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/mechanism/gap/assignment.h"

namespace discreet::mechanism::gap {
namespace {

constexpr long kBits = 96;
constexpr std::int64_t kOneByOne = 2048;

Status check_probability(const char* name, const Rational& value) {
  if (value > 0 && value < 1) return {};
  return bad_parameter(name, fmt::format("found {}; accepted is a probability above 0 and below 1, "
                                         "such as 0.95",
                                         quote(to_decimal(value))));
}

}  // namespace

Ball chance_of_right_mode(const Passes& passes, std::int64_t blocks, const Rational& accuracy,
                          long bits) {
  const Ball right(accuracy, bits);
  const Ball odds = div(Ball(Rational(1 - accuracy), bits), right, bits);
  // From k = m downward, each term from the one before.
  Ball term = pow(right, static_cast<unsigned long>(blocks), bits), sum;
  for (std::int64_t k = blocks; 2 * k > blocks; --k) {
    sum = add(sum, mul(term, passes((2 * k - blocks + 1) / 2, bits), bits), bits);
    const Ball step = Ball(
        Rational(Integer(static_cast<long>(k)), Integer(static_cast<long>(blocks - k + 1))), bits);
    term = mul(mul(term, odds, bits), step, bits);
  }
  return sum;
}

Result<std::int64_t> blocks_needed(const Passes& passes, const Rational& accuracy,
                                   const Rational& wanted) {
  if (accuracy != 1) TRY(check_probability("block-accuracy", accuracy));
  TRY(check_probability("wanted", wanted));
  if (accuracy <= Rational(1, 2))
    return bad_parameter(
        "block-accuracy",
        fmt::format("found {}; accepted is a probability above 1/2", quote(to_decimal(accuracy))),
        "where wrong blocks can outnumber right ones, no number of blocks helps");
  std::map<std::int64_t, Ball> known;  // the same distances come again for every number of blocks
  const Passes remembered = [&](std::int64_t distance, long bits) {
    const auto [at, added] = known.try_emplace(distance);
    if (added) at->second = passes(distance, bits);
    return at->second;
  };
  const Ball least(wanted, kBits);
  const auto enough = [&](std::int64_t blocks) {
    return surely_at_most(least, chance_of_right_mode(remembered, blocks, accuracy, kBits));
  };
  const auto most = static_cast<std::int64_t>(kMostBlocks);
  std::int64_t high = 1;
  while (!enough(high)) {
    if (high == most)
      return fail(Code::kUsage, fmt::format("more than {} blocks would be needed", kMostBlocks),
                  "take a larger epsilon or delta, or a function that is right more often");
    high = std::min(2 * high, most);
  }
  if (high <= kOneByOne) {
    std::int64_t blocks = 1;
    while (!enough(blocks)) ++blocks;
    return blocks;
  }
  std::int64_t low = high / 2;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace discreet::mechanism::gap
