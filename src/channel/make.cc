#include "discreet/channel/make.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/channel/quantise.h"
#include "discreet/mechanism/exponential.h"

namespace discreet::channel {

Result<Channel> geometric_window(std::size_t size, std::int64_t low, std::int64_t high,
                                 const Ratio& ratio) {
  if (high < low)
    return fail(Code::kUsage, fmt::format("a window from {} to {}; accepted is one that starts "
                                          "before it ends",
                                          low, high));
  const auto columns = static_cast<std::size_t>(high - low) + 1;
  TRY(check_extent(size, columns));
  constexpr std::size_t kMostBits = std::size_t{1} << 33;
  const std::size_t step = mpz_sizeinbase(ratio.lower.get_num_mpz_t(), 2) +
                           mpz_sizeinbase(ratio.lower.get_den_mpz_t(), 2);
  const auto farthest = static_cast<std::size_t>(
      std::max<std::int64_t>(static_cast<std::int64_t>(size), std::max(high, -low)) + 1);
  if (size * columns > kMostBits / (step * 2 * farthest)) {
    return fail(Code::kUsage,
                "a window whose exact entries have too many digits; accepted is a "
                "smaller one");
  }
  const Rational alpha = 1 / ratio.lower, inside = (1 - alpha) / (1 + alpha), end = 1 / (1 + alpha);
  const auto power = [&](std::int64_t k) {
    Rational out;
    mpz_pow_ui(out.get_num_mpz_t(), alpha.get_num_mpz_t(), static_cast<unsigned long>(k));
    mpz_pow_ui(out.get_den_mpz_t(), alpha.get_den_mpz_t(), static_cast<unsigned long>(k));
    return out;
  };
  // P[noise ≥ k], which for k < 0 is all but P[noise ≤ k − 1] = P[noise ≥ 1 − k].
  const auto tail = [&](std::int64_t k) -> Rational {
    return k >= 0 ? Rational(power(k) * end) : Rational(1 - power(1 - k) * end);
  };
  std::vector<Rational> entries;
  entries.reserve(size * columns);
  for (std::size_t y = 0; y < size; ++y) {
    const auto at = static_cast<std::int64_t>(y);
    for (std::int64_t z = low; z <= high; ++z) {
      if (low == high) {
        entries.emplace_back(1);
      } else if (z == low) {
        entries.push_back(tail(at - low));
      } else if (z == high) {
        entries.push_back(tail(high - at));
      } else {
        entries.push_back(inside * power(z < at ? at - z : z - at));
      }
    }
  }
  return Channel::create(size, columns, std::move(entries));
}

Result<Channel> from_coins(const Rational& truth, const Rational& yes) {
  for (const Rational& chance : {truth, yes})
    if (sgn(chance) < 0 || chance > 1)
      return fail(Code::kUsage, fmt::format("a coin's chance: found {}; accepted is a probability "
                                            "from 0 to 1",
                                            to_decimal(chance)));
  const Rational lie = 1 - truth, no = 1 - yes;
  return Channel::create(2, 2, {truth + lie * yes, lie * no, lie * yes, truth + lie * no});
}

namespace {

struct Moves {
  Rational most;       // the largest change of a score between neighbours
  bool mixed = false;  // some two neighbours have scores that rise and scores that fall
};

Moves moves_of(const ExponentialParameters& p, const Graph& graph) {
  Moves out;
  Rational change;
  graph.for_each_edge([&](Node a, Node b) {
    bool up = false, down = false;
    for (std::size_t z = 0; z < p.outputs; ++z) {
      change = p.scores[b * p.outputs + z] - p.scores[a * p.outputs + z];
      up |= sgn(change) > 0, down |= sgn(change) < 0;
      if (abs(change) > out.most) out.most = abs(change);
    }
    out.mixed |= up && down;
  });
  return out;
}

// Scores and their sensitivity as whole numbers of a common step.
Result<std::vector<std::int64_t>> in_steps(const std::vector<Rational>& scores,
                                           const Integer& step) {
  std::vector<std::int64_t> out;
  out.reserve(scores.size());
  for (const Rational& score : scores) {
    const Integer whole = score.get_num() * (step / score.get_den());
    if (abs(whole) > Integer(static_cast<long>(mechanism::kLargestScore)))
      return fail(Code::kUsage, "the scores have more digits than 62 bits hold; round them");
    out.push_back(whole.get_si());
  }
  return out;
}

}  // namespace

Result<Channel> exponential(const ExponentialParameters& p, const Graph& graph) {
  TRY(check_extent(p.inputs, p.outputs));
  if (p.scores.size() != p.inputs * p.outputs || graph.size() != p.inputs)
    return fail(Code::kUsage, "the exponential mechanism needs a score for every input and output");
  const Moves moves = moves_of(p, graph);
  Rational sensitivity = p.sensitivity.value_or(sgn(moves.most) == 0 ? Rational(1) : moves.most);
  if (sensitivity < moves.most) {
    return fail(Code::kUsage,
                fmt::format("the sensitivity: found {}, but a score changes by {} between two "
                            "neighbours; accepted is that or more",
                            to_decimal(sensitivity), to_decimal(moves.most)));
  }
  if (p.monotone && moves.mixed) {
    return bad_parameter("monotone",
                         "two neighbours have scores that rise and scores that fall; accepted are "
                         "scores that all move the same way",
                         "leave " + named("monotone") + " out");
  }
  Integer step = sensitivity.get_den();
  for (const Rational& score : p.scores) step = lcm(step, Integer(score.get_den()));
  auto scores = TRY(in_steps(p.scores, step));
  auto mechanism =
      mechanism::Exponential::create({.epsilon = p.epsilon,
                                      .sensitivity = sensitivity * Rational(step),
                                      .candidates = mechanism::Candidates::numbered(p.outputs),
                                      .monotone = p.monotone});
  if (!mechanism) return forward_error(mechanism);
  constexpr long kBits = 256;
  std::vector<Rational> entries;
  entries.reserve(p.scores.size());
  for (std::size_t y = 0; y < p.inputs; ++y) {
    for (const Ball& chance :
         mechanism->pmf(std::span(scores).subspan(y * p.outputs, p.outputs), kBits))
      entries.push_back(Rational(chance.floor_shifted(kBits)) / Rational(Integer(1) << kBits));
  }
  return quantise(p.inputs, p.outputs, std::move(entries), graph, p.ratio.lower, kDecimals);
}

Result<Channel> product(const Channel& first, const Channel& second) {
  const std::size_t rows = first.rows() * second.rows(),
                    columns = first.columns() * second.columns();
  TRY(check_extent(rows, columns));
  std::vector<Rational> entries;
  entries.reserve(rows * columns);
  for (std::size_t a = 0; a < first.rows(); ++a)
    for (std::size_t b = 0; b < second.rows(); ++b)
      for (const Rational& p : first.row(a))
        for (const Rational& q : second.row(b)) entries.push_back(p * q);
  return Channel::create(rows, columns, std::move(entries));
}

Result<Channel> same_input(const Channel& first, const Channel& second) {
  if (first.rows() != second.rows()) {
    return fail(Code::kUsage, fmt::format("two channels of {} and {} rows; accepted are as many in "
                                          "both, for the same inputs",
                                          first.rows(), second.rows()));
  }
  const std::size_t columns = first.columns() * second.columns();
  TRY(check_extent(first.rows(), columns));
  std::vector<Rational> entries;
  entries.reserve(first.rows() * columns);
  for (std::size_t y = 0; y < first.rows(); ++y)
    for (const Rational& p : first.row(y))
      for (const Rational& q : second.row(y)) entries.push_back(p * q);
  return Channel::create(first.rows(), columns, std::move(entries));
}

Result<Channel> after(const Channel& first, const Channel& second) {
  if (first.columns() != second.rows()) {
    return fail(Code::kUsage, fmt::format("the first channel has {} outputs and the second {} "
                                          "inputs; accepted are as many",
                                          first.columns(), second.rows()));
  }
  TRY(check_extent(first.rows(), second.columns()));
  constexpr std::size_t kMostWork = 200'000'000;  // products, a minute
  if (first.rows() * second.columns() > kMostWork / first.columns())
    return fail(Code::kUsage, "the product of two matrices this large; accepted are smaller ones");
  std::vector<Rational> entries(first.rows() * second.columns());
  for (std::size_t y = 0; y < first.rows(); ++y)
    for (std::size_t k = 0; k < first.columns(); ++k)
      for (std::size_t z = 0; z < second.columns(); ++z)
        entries[y * second.columns() + z] += first.at(y, k) * second.at(k, z);
  return Channel::create(first.rows(), second.columns(), std::move(entries));
}

Result<Channel> oblivious(const Channel& noise, const std::vector<std::size_t>& answers) {
  TRY(check_extent(answers.size(), noise.columns()));
  std::vector<Rational> entries;
  entries.reserve(answers.size() * noise.columns());
  for (std::size_t x = 0; x < answers.size(); ++x) {
    if (answers[x] >= noise.rows()) {
      return fail(Code::kUsage, fmt::format("database {} has the answer {}; accepted are 0 to {}, "
                                            "the rows of the channel",
                                            x, answers[x], noise.rows() - 1));
    }
    const auto row = noise.row(answers[x]);
    entries.insert(entries.end(), row.begin(), row.end());
  }
  return Channel::create(answers.size(), noise.columns(), std::move(entries));
}

}  // namespace discreet::channel
