#include "discreet/engine/passes.h"

#include <algorithm>

#include "discreet/base/try.h"

namespace discreet::engine {

using Found = std::optional<bound::Contributions>;

Result<Found> in_passes(bound::Bounder& bounder, unsigned threads, const Watch& watch,
                        const ReadAll& read) {
  constexpr std::uint32_t kMostPasses = 4096;
  for (std::uint32_t passes = 1; passes <= kMostPasses; passes *= 2) {
    bool fits = true;
    for (std::uint32_t pass = 0; pass < passes && fits; ++pass) {
      bounder.start_pass(pass, passes);
      if (watch.pass) watch.pass(pass, passes);
      Watch part_of = watch;
      if (watch.progress)
        part_of.progress = [&](double percent) {
          watch.progress((100 * pass + std::max(0.0, percent)) / passes);
        };
      const bool ended_well = TRY(read(part_of));
      fits = bounder.fits();
      if (!fits) break;
      if (!ended_well) return Found();
      bounder.finish_pass(threads);
    }
    if (fits) return Found(bounder.finish());
    bounder.clear();
  }
  return Found();
}

}  // namespace discreet::engine
