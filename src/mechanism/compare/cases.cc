#include "discreet/mechanism/compare/cases.h"

#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/mechanism/compare/median.h"
#include "discreet/mechanism/compare/mode.h"
#include "discreet/mechanism/compare/selection.h"
#include "discreet/mechanism/gap/groups_parameters.h"

namespace discreet::mechanism::compare {
namespace {

constexpr std::int64_t kMostDomain = 1'000'000'000'000'000;
constexpr std::string_view kAgainst[] = {"rows", "epsilon"};

constexpr Parameter kDomains{.name = "domains",
                             .kind = ParameterKind::kLabels,
                             .help = "how many values there are, several separated by commas",
                             .fallback = "10,1000000000000",
                             .example = "10,1000000"};
constexpr Parameter kRange{
    .name = "range", .kind = ParameterKind::kRange, .help = "the public range of the rows: 0,100"};
constexpr Parameter kRows{.name = "rows",
                          .kind = ParameterKind::kWhole,
                          .help = "how many rows; against rows: the middle of the picture",
                          .fallback = "300",
                          .most = 10'000};
constexpr Parameter kAxis{.name = "against",
                          .kind = ParameterKind::kChoice,
                          .help = "what the error is drawn against",
                          .fallback = "rows",
                          .choices = kAgainst};

Result<Comparison> selection(const Parameters& p) {
  return compare_selection(
      {*p.number("epsilon"), *p.number("delta"), p.whole("bins-per-unit").value_or(1)});
}

Result<Comparison> mode(const Parameters& p) {
  ModeCase given{*p.number("epsilon"), *p.number("delta")};
  if (p.has("domains")) given.domains.clear();
  for (const std::string& text : p.labels("domains")) {
    const auto number = parse_number(text, Rounding::kDown);
    if (!number || number->get_den() != 1 || *number < 2 || *number > Rational(kMostDomain))
      return bad_parameter(
          "domains",
          fmt::format("found {}; accepted are whole numbers from 2 to 10^15", quote(text)));
    given.domains.push_back(number->get_num().get_si());
  }
  return compare_mode(given);
}

Result<Comparison> median(const Parameters& p) {
  const Limits range = *p.range("range");
  const MedianCase given{*p.number("epsilon"), *p.number("delta"), range.low, range.high,
                         p.whole("rows").value_or(300)};
  return p.choice("against").value_or("rows") == "rows" ? compare_median(given)
                                                        : compare_median_by_epsilon(given);
}

}  // namespace

Result<Comparison> Case::make(const Parameters& given) const {
  return maker(TRY(checked(name, parameters, given)));
}

std::span<const Case> cases() {
  static const std::vector<Case> all = {
      {.name = "selection",
       .title = "which groups are shown, by the units in them",
       .example = "--epsilon 1 --delta 1e-6",
       .parameters = {required(kEpsilon), required(kDelta), gap::kBinsPerUnit},
       .maker = selection},
      {.name = "mode",
       .title = "the right answer, by how many agree on it",
       .example = "--epsilon 1 --delta 1e-6 --domains 2,10,1000000",
       .parameters = {required(kEpsilon), required(kDelta), kDomains},
       .maker = mode},
      {.name = "median",
       .title = "how far off a private median is, by rows or by ε",
       .example = "--range 0,100 --epsilon 1 --delta 1e-6",
       .parameters = {required(kEpsilon), required(kDelta), required(kRange), kRows, kAxis},
       .maker = median}};
  return all;
}

}  // namespace discreet::mechanism::compare
