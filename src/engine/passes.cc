#include "discreet/engine/passes.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"

namespace discreet::engine {

using Found = std::optional<bound::Contributions>;

std::optional<std::uint32_t> more_passes(std::uint32_t passes, const Pass& full) {
  constexpr double kMostPasses = 4096;
  if (passes >= kMostPasses) return {};
  // A little more than that, since it is told now and then only; but no more than eight times as
  // many: what was read of a pass says something of the others, not everything.
  const double wanted = std::ceil(1.05 * passes * std::min(full.times, 8.0));
  return static_cast<std::uint32_t>(std::clamp(wanted, passes + 1.0, kMostPasses));
}

Result<Pass> read_pass(bound::Bounder& bounder, std::uint32_t pass, std::uint32_t passes,
                       const Watch& watch, const ReadAll& read) {
  bounder.start_pass(pass, passes);
  if (watch.pass) watch.pass(pass, passes);
  Pass out;
  Watch part_of = watch;
  part_of.progress = [&](double percent) {
    const auto full = bounder.share_full();
    if (full && percent > 0) out.times = *full * 100 / percent;
    // What is clear after a part of it needn't be read to its end.
    constexpr double kEnough = 8, kTooMuch = 1.2;
    if (full && percent >= kEnough && out.times > kTooMuch) bounder.give_up();
    if (watch.progress) watch.progress((100 * pass + std::max(0.0, percent)) / passes);
  };
  const bool ended_well = TRY(read(part_of));
  out.end = !bounder.fits() ? Pass::End::kFull
            : ended_well    ? Pass::End::kWhole
                            : Pass::End::kFailed;
  return out;
}

Result<Found> in_passes(bound::Bounder& bounder, unsigned threads, const Watch& watch,
                        const ReadAll& read) {
  for (std::uint32_t passes = 1;;) {
    Pass last;
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      last = TRY(read_pass(bounder, pass, passes, watch, read));
      if (last.end == Pass::End::kFailed) return Found();
      if (last.end == Pass::End::kFull) break;
      bounder.finish_pass(threads);
    }
    if (last.end == Pass::End::kWhole) return Found(bounder.finish());
    const auto more = more_passes(passes, last);
    if (!more) return Found();
    passes = *more;
    bounder.clear();
  }
}

}  // namespace discreet::engine
