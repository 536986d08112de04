// What the entries of subsample-and-aggregate share whose answers are numbers.
#pragma once

#include <optional>

#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/assignment.h"
#include "discreet/mechanism/gap/rank.h"

namespace discreet::mechanism::gap {

inline constexpr std::int64_t kUsualSteps = 1000;

inline constexpr Parameter kAnswerRange{.name = "range",
                                        .kind = ParameterKind::kRange,
                                        .help = "the public range of answers: LOW,HIGH",
                                        .example = "0,100"};
inline constexpr Parameter kAnswerSteps{.name = "steps",
                                        .kind = ParameterKind::kWhole,
                                        .help = "into how many steps the range is cut",
                                        .fallback = "1000",
                                        .most = kMostSteps,
                                        .example = "1000"};
inline constexpr Parameter kAnswerBlocks{.name = "blocks",
                                         .kind = ParameterKind::kWhole,
                                         .help = "how many blocks the units are split into",
                                         .fallback = "as many as there are answers",
                                         .most = static_cast<std::int64_t>(kMostBlocks),
                                         .example = "100"};

// The answers, one for each block where their number is known.
Result<Numbers> number_answers(const Value& input, std::optional<std::int64_t> blocks);
Figures blocks_figure(std::optional<std::int64_t> blocks);
// One answer after the other moved to either end of the range; equal ones once.
std::vector<Value> moved_to_the_ends(const Numbers& answers, const Rational& low,
                                     const Rational& high);

}  // namespace discreet::mechanism::gap
