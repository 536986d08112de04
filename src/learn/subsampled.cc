#include "discreet/learn/subsampled.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/random/generator.h"

namespace discreet::learn {

Result<SubsampledGaussian> SubsampledGaussian::create(std::uint64_t lot, std::uint64_t count,
                                                      std::vector<Schedule::Piece> sigma,
                                                      Workers& workers) {
  if (lot == 0 || lot > count)
    return bad_parameter("lot", fmt::format("found {} of {} examples; accepted is a number from 1 "
                                            "to that of the examples",
                                            lot, count));
  if (sigma.empty() || sigma[0].begin != 0)
    return fail(Code::kFailure, "a training without noise was asked for");
  for (const Schedule::Piece& piece : sigma)
    if (piece.value <= 0) return fail(Code::kFailure, "a training without noise was asked for");
  Rational rate(Integer(std::to_string(lot)), Integer(std::to_string(count)));
  rate.canonicalize();
  auto sampling = TRY(random::PoissonSampling::create(rate));
  return SubsampledGaussian(lot, rate, std::move(sigma), std::move(sampling), workers);
}

Result<std::vector<std::uint64_t>> SubsampledGaussian::lot(std::uint64_t /*step*/,
                                                           std::uint64_t rows,
                                                           random::Source& source) {
  return sampling_.sample(source, rows);
}

const Rational& SubsampledGaussian::sigma(std::uint64_t step) const {
  const Schedule::Piece* found = &pieces_[0];
  for (const Schedule::Piece& piece : pieces_)
    if (piece.begin <= step) found = &piece;
  return found->value;
}

Status SubsampledGaussian::add_noise(std::uint64_t step, std::span<const NoisyPart> parts,
                                     std::span<std::int64_t> sum) {
  // Fail closed: what is added must be what was accounted.
  const Rational& accounted = sigma(step);
  Rational precision = 0;
  std::size_t covered = 0;
  for (const NoisyPart& part : parts) {
    if (part.begin != covered || part.end < part.begin || !(part.sensitivity > 0) ||
        part.multiplier <= 0)
      return fail(Code::kFailure, "a part of a step's sum has no noise");
    covered = part.end;
    precision += 1 / (part.multiplier * part.multiplier);
  }
  if (covered != sum.size() || precision * accounted * accounted > 1)
    return fail(Code::kFailure, "a step's noise is below what was accounted for it");

  drawn_.resize(parts.size());
  for (std::size_t j = 0; j < parts.size(); ++j) {
    auto& drawn = drawn_[j];
    if (drawn && drawn->sensitivity == parts[j].sensitivity &&
        drawn->multiplier == parts[j].multiplier)
      continue;
    const Rational scale = TRY(exactly(parts[j].sensitivity)) * parts[j].multiplier;
    drawn = Drawn{parts[j].sensitivity, parts[j].multiplier,
                  TRY(random::RoundedGaussian::create(scale))};
  }
  // In blocks, so that threads share the work; each has a generator of its own.
  struct Block {
    std::size_t part, begin, end;
  };
  constexpr std::size_t kBlock = 4096;
  std::vector<Block> blocks;
  for (std::size_t j = 0; j < parts.size(); ++j)
    for (std::size_t begin = parts[j].begin; begin < parts[j].end; begin += kBlock)
      blocks.push_back({j, begin, std::min(begin + kBlock, parts[j].end)});
  std::atomic<std::size_t> next = 0;
  std::vector<Status> results(workers_->size());
  workers_->run([&](std::size_t worker) {
    std::vector<std::int64_t> noise(kBlock);
    random::Source& source = random::thread_generator();
    while (true) {
      const std::size_t i = next++;
      if (i >= blocks.size()) break;
      const Block& block = blocks[i];
      const std::span<std::int64_t> out = std::span(noise).first(block.end - block.begin);
      if (Status filled = drawn_[block.part]->noise.fill(source, out); !filled) {
        results[worker] = std::move(filled);
        break;
      }
      for (std::size_t n = 0; n < out.size(); ++n) sum[block.begin + n] += out[n];
    }
    std::ranges::fill(noise, 0);
  });
  for (Status& result : results) TRY(std::move(result));
  return {};
}

privacy::Event subsampled_event(const Rational& rate, const std::vector<Schedule::Piece>& sigma,
                                std::uint64_t steps) {
  privacy::Composed all;
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    const std::uint64_t end = i + 1 < sigma.size() ? std::min(sigma[i + 1].begin, steps) : steps;
    if (end <= sigma[i].begin) continue;
    privacy::Event step{privacy::Poisson{rate, privacy::share(privacy::Gaussian{sigma[i].value})}};
    all.events.push_back({privacy::Repeated{privacy::share(std::move(step)),
                                            Integer(std::to_string(end - sigma[i].begin))}});
  }
  if (all.events.size() == 1) return std::move(all.events[0]);
  return {std::move(all)};
}

Result<privacy::Event> SubsampledGaussian::spent(std::uint64_t steps) const {
  return subsampled_event(rate_, pieces_, steps);
}

}  // namespace discreet::learn
