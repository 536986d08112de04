// The first stage of a question whose bounds nobody declares: histograms of units, read from the
// same rows that the answer will be, each unit in one bin of each (bound/shape.h).
#pragma once

#include "discreet/bound/contributions.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/plan.h"
#include "discreet/random/source.h"

namespace discreet::plan {

// What has to be known to choose a part's bounds.
struct Unknown {
  bool rows = false, groups = false, most = false;
  std::vector<std::size_t> values;  // aggregates whose values have no bounds
  bool any() const { return rows || groups || most || !values.empty(); }
};

// Histograms for what is unknown and not in the profile yet; they share ε equally.
Survey make_survey(const PlanPart& part, const Unknown& unknown, const Rational& epsilon,
                   const Profile& known);
// What the profile says of the part's units.
Known known_of(const PlanPart& part, const Unknown& unknown, const Profile& profile);

// A part with the same rows and the same groups, and nothing asked of them.
PlanPart rows_and_groups(const PlanPart& part);
// The survey as a part that an engine can run.
PlanPart survey_part(const PlanPart& part);
// Noise on what it has counted: Laplace of scale 1/ε in every bin.
Result<Profile> release_survey(const PlanPart& part, const bound::Contributions& contributions,
                               random::Source& source);
// How far a unit changes a histogram, in steps of its grid.
Rational steps_of(const Count& count);
// One histogram, with noise, in whole units.
Result<std::vector<std::int64_t>> release_count(const Count& count, std::size_t place,
                                                const bound::Contributions& contributions,
                                                random::Source& source);

}  // namespace discreet::plan
