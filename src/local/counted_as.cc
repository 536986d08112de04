#include "discreet/local/counted_as.h"

#include <fmt/format.h>

#include <map>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/hitters.h"
#include "discreet/local/records.h"

namespace discreet::local {
namespace {

constexpr std::string_view kEpsilon = " epsilon=";

// "name epsilon=1 domain=16 …" (identity in state.h), taken apart.
struct Said {
  std::string_view name;
  std::map<std::string_view, std::string_view> constants;

  // A whole number from 1 on, or `otherwise` where nothing is said.
  std::uint64_t whole(std::string_view constant, std::uint64_t otherwise) const {
    const auto at = constants.find(constant);
    std::uint64_t out = 0;
    if (at == constants.end()) return otherwise;
    return read_whole(at->second, kMostValues + 1, out) == Fault::kNone ? out : 0;
  }
};

Said taken_apart(std::string_view of) {
  const std::size_t end = std::min(of.find(kEpsilon), of.size());
  Said out{.name = of.substr(0, end), .constants = {}};
  for (std::string_view rest = of.substr(end); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view each = rest.substr(0, rest.find(' '));
    const std::size_t equals = std::min(each.find('='), each.size());
    out.constants[each.substr(0, equals)] = each.substr(std::min(equals + 1, each.size()));
    rest.remove_prefix(each.size());
  }
  return out;
}

template <class T>
Result<std::unique_ptr<const Reports>> as_reports(Result<T> made) {
  if (!made) return forward_error(made);
  return std::unique_ptr<const Reports>(std::move(*made));
}

// What a protocol was made with, as far as its counters hang on it.
Parameters parameters_of(const Said& said, Rational epsilon, const std::string& suffix = "") {
  Parameters out{.epsilon = std::move(epsilon),
                 .domain = said.whole("domain" + suffix, 2),
                 .blocks = said.whole("blocks" + suffix, 1)};
  if (const std::uint64_t range = said.whole("g" + suffix, 0); range > 0) out.range = range;
  return out;
}

// "records of flat by sampling"
Result<std::unique_ptr<const Reports>> records_of(const Said& said, const Rational& epsilon) {
  constexpr std::string_view kOf = "records of ", kBy = " by ";
  const std::size_t by = std::min(said.name.rfind(kBy), said.name.size());
  const Entry* entry = TRY(require(said.name.substr(kOf.size(), by - std::min(by, kOf.size()))));
  std::vector<std::size_t> domains;
  while (domains.size() <= kMostAttributes &&
         said.constants.contains(fmt::format("domain-{}", domains.size())))
    domains.push_back(said.whole(fmt::format("domain-{}", domains.size()), 0));
  return as_reports(
      Records::create(*entry, parameters_of(said, epsilon, "-0"), domains,
                      TRY(read_by(said.name.substr(std::min(by + kBy.size(), said.name.size()))))));
}

}  // namespace

Result<std::unique_ptr<const Reports>> counted_as(std::string_view of) {
  const Said said = taken_apart(of);
  // A channel's report is the number of an output, as the flat mechanism's is of a value; the
  // coin's ε is no matter of how values are counted.
  if (said.name == "channel")
    return as_reports(Flat::create({.epsilon = 1, .domain = said.whole("outputs", 0)}));
  if (said.name == "coins") return as_reports(Flat::create(parameters_of(said, 1)));
  const auto at = said.constants.find("epsilon");
  if (at == said.constants.end())
    return fail(Code::kUsage, fmt::format("found a state of {}; accepted is one of a protocol "
                                          "that `discreet local list` shows",
                                          quote(of)));
  const Rational epsilon = TRY(parse_number(at->second, Rounding::kUp));
  if (said.name == "hitters")
    return as_reports(Hitters::create({.epsilon = epsilon, .bytes = said.whole("bytes", 0)}));
  if (said.name.starts_with("records of ")) return records_of(said, epsilon);
  const Entry* entry = TRY(require(said.name));
  return as_reports(entry->make(parameters_of(said, epsilon)));
}

}  // namespace discreet::local
