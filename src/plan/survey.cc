#include "discreet/plan/survey.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/bound/scale.h"
#include "discreet/mechanism/additive.h"
#include "discreet/random/scale.h"
#include "discreet/sql/canonical.h"
#include "discreet/sql/relation.h"

namespace discreet::plan {
namespace {

using std::string;
using Kind = Count::Kind;

// The smallest power of two that values are told apart from: 1 of whole numbers, days and seconds.
int smallest_of(const Expr& value) { return value.type == Type::kDouble ? -20 : 0; }

// Which rows there are, and in which groups they count.
string rows_text(const PlanPart& part, bool with_groups) {
  string out = sql::canonical(*part.select.input);
  const std::vector<string> places = sql::places_of(*part.select.input);
  for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
    const auto& domain = part.select.domains[i];
    if (!with_groups && !domain) continue;
    out += fmt::format(" BY {}", sql::canonical(part.select.keys[i], places));
    if (!domain) continue;
    out += " IN (";
    for (const Value& value : *domain) out += sql::canonical(sql::literal(value), places) + ",";
    out += ")";
  }
  if (part.select.groups)
    for (const std::vector<Value>& group : *part.select.groups) {
      out += " OR (";
      for (const Value& value : group) out += sql::canonical(sql::literal(value), places) + ",";
      out += ")";
    }
  return out;
}

string key_of(const PlanPart& part, Kind kind, const Expr* value = nullptr) {
  switch (kind) {
    case Kind::kRows:
      return "ROWS OF " + rows_text(part, false);
    case Kind::kGroups:
      return "GROUPS OF " + rows_text(part, true);
    case Kind::kMost:
      return "LARGEST GROUP OF " + rows_text(part, true);
    case Kind::kValue:
      return fmt::format("VALUES {} OF {}",
                         sql::canonical(*value, sql::places_of(*part.select.input)),
                         rows_text(part, false));
    case Kind::kCut:
    case Kind::kLost:
    case Kind::kClamped:
    case Kind::kKept:
      break;
  }
  return {};
}

const Expr& value_of(const PlanPart& part, std::size_t aggregate) {
  return *part.select.aggregates[aggregate].arg;
}

// A row's share of its unit has so many bits, or fewer where the noise would leave what can be
// drawn.
unsigned value_bits(const Rational& epsilon) {
  unsigned bits = 20;
  while (bits > 0 && Rational(Integer(1) << bits) / epsilon > random::kLargestScale) --bits;
  return bits;
}

}  // namespace

Rational steps_of(const Count& count) {
  return Rational(count.sensitivity * (Integer(1) << count.weight_bits));
}

Survey make_survey(const PlanPart& part, const Unknown& unknown, const Rational& epsilon,
                   const Profile& known) {
  Survey out;
  const auto count = [&](Kind kind, std::size_t bins, const Expr* value = nullptr) {
    Count one;
    one.kind = kind;
    one.bins = bins;
    one.key = key_of(part, kind, value);
    if (known.find(one.key)) return;
    for (const Count& other : out.counts)
      if (other.key == one.key) return;
    if (value) {
      Slot slot;
      slot.kind = Slot::Kind::kScale;
      slot.exponent = smallest_of(*value);
      slot.value = *value;
      one.slot = out.slots.size();
      out.slots.push_back(std::move(slot));
    }
    out.counts.push_back(std::move(one));
  };
  if (unknown.rows) count(Kind::kRows, bound::kCountBins);
  if (unknown.groups) count(Kind::kGroups, bound::kCountBins);
  if (unknown.most) count(Kind::kMost, bound::kCountBins);
  for (const std::size_t aggregate : unknown.values) {
    const Expr& value = value_of(part, aggregate);
    count(Kind::kValue, bound::ValueScale(smallest_of(value)).bins(), &value);
  }
  for (Count& one : out.counts) {
    one.epsilon = epsilon / static_cast<long>(out.counts.size());
    if (one.kind == Kind::kValue) one.weight_bits = value_bits(one.epsilon);
    out.epsilon += one.epsilon;
  }
  return out;
}

Known known_of(const PlanPart& part, const Unknown& unknown, const Profile& profile) {
  Known out;
  const auto counts = [&](bool wanted, Kind kind, std::optional<Estimate>& place) {
    if (const Histogram* found = wanted ? profile.find(key_of(part, kind)) : nullptr)
      place = estimate_counts(*found);
  };
  counts(unknown.rows, Kind::kRows, out.rows);
  counts(unknown.groups, Kind::kGroups, out.groups);
  counts(unknown.most, Kind::kMost, out.most);
  out.values.resize(part.select.aggregates.size());
  for (const Aggregate& one : part.select.aggregates) out.within.push_back(one.bounds);
  for (const std::size_t aggregate : unknown.values)
    if (const Histogram* found =
            profile.find(key_of(part, Kind::kValue, &value_of(part, aggregate))))
      out.values[aggregate] = estimate_values(*found);
  return out;
}

PlanPart rows_and_groups(const PlanPart& part) {
  PlanPart out;
  out.select.input = part.select.input;
  out.select.keys = part.select.keys;
  out.select.domains = part.select.domains;
  out.select.groups = part.select.groups;
  out.select.key_names = part.select.key_names;
  out.all_public = part.all_public;
  return out;
}

PlanPart survey_part(const PlanPart& part) {
  PlanPart out = rows_and_groups(part);
  out.slots = part.survey->slots;
  out.left_out = part.survey->counts;
  out.bounds = {bound::kNoLimit, bound::kNoLimit, {}};
  out.rows_per_group = bound::kNoLimit;
  return out;
}

Result<std::vector<std::int64_t>> release_count(const Count& count, std::size_t place,
                                                const bound::Contributions& contributions,
                                                random::Source& source) {
  mechanism::Additive::Parts parts;
  parts.noise = TRY(mechanism::discrete_laplace(steps_of(count) / count.epsilon));
  parts.guarantee = {count.epsilon, 0};
  parts.cells = count.bins;
  parts.on_grid = true;
  const mechanism::Additive mechanism(std::move(parts));
  const auto exact = TRY(contributions.tally(place));
  auto released = TRY(mechanism.release(exact, source)).value();
  // Back to units: the nearest whole number of them.
  if (const unsigned bits = count.weight_bits)
    for (std::int64_t& bin : released) bin = (bin + (std::int64_t{1} << (bits - 1))) >> bits;
  return released;
}

Result<Profile> release_survey(const PlanPart& part, const bound::Contributions& contributions,
                               random::Source& source) {
  Profile out;
  for (std::size_t i = 0; i < part.survey->counts.size(); ++i) {
    const Count& count = part.survey->counts[i];
    // (Left by an error from within the braces, it would leak what was made in them.)
    auto bins = TRY(release_count(count, i, contributions, source));
    out.add({count.key, count.slot ? part.survey->slots[*count.slot].exponent : 0, std::move(bins),
             count.epsilon});
  }
  return out;
}

}  // namespace discreet::plan
