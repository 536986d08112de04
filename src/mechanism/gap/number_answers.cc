#include "discreet/mechanism/gap/number_answers.h"

#include <fmt/format.h>

#include <set>

#include "discreet/base/try.h"

namespace discreet::mechanism::gap {

Result<Numbers> number_answers(const Value& input, std::optional<std::int64_t> blocks) {
  Numbers out = TRY(value_as<Numbers>("answers", input));
  if (out.empty()) return bad_parameter("answers", "found none; accepted is one for each block");
  if (blocks && static_cast<std::size_t>(*blocks) != out.size())
    return bad_parameter(
        "blocks", fmt::format("found {} and {} answers; accepted is one for each block", *blocks,
                              out.size()));
  return out;
}

Figures blocks_figure(std::optional<std::int64_t> blocks) {
  if (!blocks) return {};
  return {{"blocks", static_cast<double>(*blocks)}};
}

std::vector<Value> moved_to_the_ends(const Numbers& answers, const Rational& low,
                                     const Rational& high) {
  std::vector<Value> out;
  std::set<Rational> seen;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!seen.insert(answers[i]).second) continue;
    for (const Rational& end : {low, high}) {
      Numbers changed = answers;
      changed[i] = end;
      if (end != answers[i]) out.emplace_back(std::move(changed));
    }
  }
  return out;
}

}  // namespace discreet::mechanism::gap
