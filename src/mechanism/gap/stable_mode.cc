#include "discreet/mechanism/gap/stable_mode.h"

#include "discreet/base/try.h"
#include "discreet/mechanism/gap/unit.h"

namespace discreet::mechanism::gap {

Result<StableMode> StableMode::create(const StableModeParameters& parameters) {
  TRY(check_unit({parameters.rows_per_unit, parameters.relation}));
  return StableMode(parameters, TRY(Stability::create(parameters.test)));
}

privacy::Guarantee StableMode::guarantee() const {
  privacy::Guarantee out = stability_.guarantee();
  out.relation = p_.relation;
  return out;
}

Result<Released<std::optional<std::string>>> StableMode::release(const Exact<Counts>& exact,
                                                                 random::Source& source) const {
  const Counts& all = open(exact);
  std::vector<std::int64_t> counts;
  for (const auto& [value, count] : all) counts.push_back(count);
  const Mode mode = mode_of(counts, Domain::kOpen, p_.relation, p_.rows_per_unit);
  // Without anybody there is nothing to tell; the noise is drawn all the same.
  const bool passes = TRY(stability_.test().passes(mode.distance, source)) && mode.distance > 0;
  std::optional<std::string> told;
  if (passes) told = std::next(all.begin(), static_cast<std::ptrdiff_t>(mode.winner))->first;
  return Released<std::optional<std::string>>(std::move(told), guarantee());
}

Result<Released<std::optional<std::size_t>>> StableMode::release(
    const Exact<std::vector<std::int64_t>>& exact, random::Source& source) const {
  const Mode mode = mode_of(open(exact), Domain::kListed, p_.relation, p_.rows_per_unit);
  const bool passes = TRY(stability_.test().passes(mode.distance, source)) && mode.distance > 0;
  return Released<std::optional<std::size_t>>(
      passes ? std::optional<std::size_t>(mode.winner) : std::nullopt, guarantee());
}

}  // namespace discreet::mechanism::gap
