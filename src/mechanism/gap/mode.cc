#include "discreet/mechanism/gap/mode.h"

#include <algorithm>
#include <limits>

namespace discreet::mechanism::gap {

Mode mode_of(std::span<const std::int64_t> counts, Domain domain, privacy::Relation relation,
             std::int64_t rows_per_unit) {
  Mode out;
  if (counts.empty()) return out;
  out.winner =
      static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const std::int64_t most = counts[out.winner];
  if (domain == Domain::kOpen && most <= 0) return out;
  // The only value there is can't change.
  std::int64_t rows = domain == Domain::kOpen ? most : std::numeric_limits<std::int64_t>::max() / 4;
  for (std::size_t j = 0; j < counts.size(); ++j)
    if (j != out.winner) rows = std::min(rows, most - counts[j] + (out.winner < j ? 1 : 0));
  const std::int64_t each = rows_per_unit * (relation == privacy::Relation::kSubstitute ? 2 : 1);
  out.distance = rows / each + (rows % each != 0 ? 1 : 0);
  return out;
}

}  // namespace discreet::mechanism::gap
