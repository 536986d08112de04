#include "discreet/learn/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "discreet/base/try.h"
#include "discreet/mechanism/grid.h"
#include "discreet/random/gaussian.h"
#include "discreet/random/generator.h"
#include "discreet/random/uniform.h"

namespace discreet::learn {
namespace {

std::uint64_t levels_of(std::uint64_t steps) {
  return static_cast<std::uint64_t>(std::bit_width(steps));
}

// Fresh noise for all parts of a node.
Status draw(std::span<const NoisyPart> parts, std::span<const random::RoundedGaussian> noises,
            std::span<std::int64_t> out, Workers& workers) {
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const std::span<std::int64_t> all = out.subspan(parts[j].begin, parts[j].end - parts[j].begin);
    const std::size_t each = (all.size() + workers.size() - 1) / workers.size();
    std::vector<Status> results(workers.size());
    workers.run([&](std::size_t worker) {
      const std::size_t begin = std::min(worker * each, all.size());
      results[worker] = noises[j].fill(random::thread_generator(),
                                       all.subspan(begin, std::min(each, all.size() - begin)));
    });
    for (Status& result : results) TRY(std::move(result));
  }
  return {};
}

bool same(const NoisyPart& a, const NoisyPart& b) {
  return a.begin == b.begin && a.end == b.end && a.sensitivity == b.sensitivity &&
         a.multiplier == b.multiplier;
}

// Fail closed: what is added must be what was accounted.
Status check(std::span<const NoisyPart> parts, std::size_t size, const Rational& sigma) {
  Rational precision = 0;
  std::size_t covered = 0;
  for (const NoisyPart& part : parts) {
    if (part.begin != covered || part.end < part.begin || !(part.sensitivity > 0) ||
        part.multiplier <= 0)
      return fail(Code::kFailure, "a part of a step's sum has no noise");
    covered = part.end;
    precision += 1 / (part.multiplier * part.multiplier);
  }
  if (covered != size || precision * sigma * sigma > 1)
    return fail(Code::kFailure, "a step's noise is below what was accounted for it");
  return {};
}

}  // namespace

Result<TreeAggregation> TreeAggregation::create(std::uint64_t lot, std::uint64_t count,
                                                const Rational& sigma, Workers& workers) {
  if (lot == 0 || lot > count)
    return bad_parameter("lot", fmt::format("found {} of {} examples; accepted is a number from 1 "
                                            "to that of the examples",
                                            lot, count));
  if (sigma <= 0) return fail(Code::kFailure, "a training without noise was asked for");
  const std::uint64_t steps = (count + lot - 1) / lot;
  if (steps > (std::uint64_t{1} << 31))
    return bad_parameter("lot", "found more than 2^31 steps an epoch; accepted are fewer");
  return TreeAggregation(lot, steps, sigma, workers);
}

std::uint64_t TreeAggregation::levels() const { return levels_of(steps_); }

Result<std::vector<std::uint64_t>> TreeAggregation::lot(std::uint64_t step, std::uint64_t rows,
                                                        random::Source& source) {
  const std::uint64_t epoch = step / steps_;
  if (drawn_for_ != epoch || drawn_.size() != rows) {
    std::vector<std::uint64_t> all(rows);
    TRY(random::fill_uniform_below(source, steps_, all));
    drawn_.assign(all.begin(), all.end());
    drawn_for_ = epoch;
  }
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < rows; ++i)
    if (drawn_[i] == step % steps_) out.push_back(i);
  return out;
}

// The prefix of t steps is covered by a node for each bit of t. From t − 1 to t the bits below the
// lowest one of t, all 1 before, become 0, and that one 1: their nodes' noise goes, its own comes.
Status TreeAggregation::add_noise(std::uint64_t step, std::span<const NoisyPart> parts,
                                  std::span<std::int64_t> sum) {
  TRY(check(parts, sum.size(), sigma_));
  if (step != next_) return fail(Code::kFailure, "steps of a tree are taken in order, each once");
  const std::uint64_t within = step % steps_;
  const bool starts = within == 0;
  const bool as_before = std::equal(parts.begin(), parts.end(), parts_.begin(), parts_.end(), same);
  if (!starts && !as_before)
    return bad_parameter("clip",
                         "found a schedule; accepted with trees is one bound for all steps "
                         "of an epoch, since a node's noise is for all of its steps");
  // All that can fail comes first: after an error everything is as it was.
  std::vector<random::RoundedGaussian> noises;
  if (!as_before)  // tables are made once for parts that stay the same from epoch to epoch
    for (const NoisyPart& part : parts)
      noises.push_back(
          TRY(random::RoundedGaussian::create(TRY(exactly(part.sensitivity)) * part.multiplier)));
  std::vector<std::int64_t> fresh(sum.size());
  TRY(draw(parts, as_before ? noises_ : noises, fresh, *workers_));
  if (!as_before) {
    noises_ = std::move(noises);
    parts_.assign(parts.begin(), parts.end());
  }
  if (starts) nodes_.assign(levels(), {});
  ++next_;
  const auto level = static_cast<std::size_t>(std::countr_zero(within + 1));
  for (std::size_t l = 0; l < level; ++l) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= nodes_[l][i];
    nodes_[l].clear();
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += fresh[i];
  nodes_[level] = std::move(fresh);
  return {};
}

std::uint64_t TreeAggregation::resume(std::uint64_t begun) {
  return next_ = (begun + steps_ - 1) / steps_ * steps_;
}

privacy::Event tree_event(std::uint64_t steps, const Rational& sigma, std::uint64_t epochs) {
  const Rational root = mechanism::sqrt_above(Rational(Integer(std::to_string(levels_of(steps)))));
  return {privacy::Repeated{privacy::share(privacy::Gaussian{sigma, root}),
                            Integer(std::to_string(epochs))}};
}

Result<privacy::Event> TreeAggregation::spent(std::uint64_t steps) const {
  return tree_event(steps_, sigma_, (steps + steps_ - 1) / steps_);
}

}  // namespace discreet::learn
