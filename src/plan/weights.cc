#include "discreet/plan/weights.h"

#include <algorithm>

#include "discreet/bound/weights.h"
#include "discreet/random/scale.h"

namespace discreet::plan {

bool releases_units(const PlanPart& part) {
  return part.selection || std::any_of(part.statistics.begin(), part.statistics.end(),
                                       [](const Statistic& one) { return one.counts_units(); });
}

std::optional<unsigned> weight_bits(const PlanPart& part) {
  if (part.direct) return std::nullopt;
  Rational largest = 0;
  for (const Statistic& one : part.statistics) {
    if (!one.is_linear() && !one.counts_units()) return std::nullopt;
    if (one.is_linear()) largest = std::max(largest, one.scale);
  }
  unsigned bits = bound::kWeightBits;
  while (bits > 0 && largest * Rational(Integer(1) << bits) > random::kLargestScale) --bits;
  return bits;
}

}  // namespace discreet::plan
