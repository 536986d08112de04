#include "discreet/engine/testing/told.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "discreet/base/number.h"
#include "discreet/mechanism/door.h"
#include "discreet/plan/weights.h"

namespace discreet::engine::testing {
namespace {

using std::string;

struct Opened : mechanism::Door {
  template <class T>
  static T look(const mechanism::Exact<T>& exact) {
    return open(exact);
  }
};

string hex(const string& bytes) {
  string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// In whole rows where that is what it is.
string weighed(bound::Wide total, int bits) {
  const bound::Wide one = bound::Wide{1} << bits;
  const auto number = [](bound::Wide value) {
    Integer out(static_cast<long>(value >> 62));
    out = (out << 62) + static_cast<long>(value & ((bound::Wide{1} << 62) - 1));
    return out.get_str();
  };
  return total % one == 0 ? number(total / one) : number(total) + "/" + number(one);
}

// A group's values, where a total keeps them as they are.
string each(const bound::Contributions& contributions, const plan::PlanPart& part, std::size_t t,
            std::size_t group) {
  if (part.slots[*part.statistics[t].slot].kind == bound::Slot::Kind::kWord) {
    const auto words = contributions.words(t, group);
    return words ? fmt::format("{}", Opened::look(*words)) : "none";
  }
  const auto range =
      mechanism::gap::Range::create(-mechanism::gap::kMostPoint, mechanism::gap::kMostPoint);
  const auto ordered = contributions.ordered(t, group, *range);
  if (!ordered) return "none";
  const mechanism::gap::Ordered rows = Opened::look(*ordered);
  string out;
  for (std::size_t i = 0; i < rows.distinct(); ++i)
    out += fmt::format("{}×{} ", rows.point(i), rows.last_rank(i) - rows.first_rank(i) + 1);
  return out;
}

}  // namespace

std::vector<string> told(const bound::Contributions& contributions, const plan::PlanPart& part) {
  using Kind = plan::Statistic::Kind;
  std::vector<string> out;
  const auto keys = Opened::look(contributions.keys());
  const auto units = Opened::look(contributions.units());
  for (std::size_t group = 0; group < keys.size(); ++group) {
    // A group that nobody is in says nothing; one engine may have heard of it, another not.
    // Neither do the groups of a survey, of which only tallies are released.
    if (units[group] == 0 || part.statistics.empty()) continue;
    string line = hex(keys[group]) + ":";
    // Where nothing counts units an engine may not know how many there are.
    if (!part.weight_bits || plan::releases_units(part))
      line += fmt::format(" {} units", units[group]);
    for (std::size_t t = 0; t < part.statistics.size(); ++t) {
      const Kind kind = part.statistics[t].kind;
      if (kind == Kind::kEach) {
        line += fmt::format(", {{{}}}", each(contributions, part, t, group));
      } else if (kind == Kind::kHistogram) {
        const auto scores = contributions.scores(t, group);
        std::uint64_t hash = 14695981039346656037U;
        if (scores)
          for (const std::int64_t score : Opened::look(*scores))
            hash = (hash ^ static_cast<std::uint64_t>(score)) * 1099511628211U;
        line += fmt::format(", scores {}", scores ? hash : 0);
      } else {
        const auto total = contributions.wide_total(t, {group});
        line += ", " +
                (total ? weighed(Opened::look(*total)[0], part.statistics[t].weight_bits) : "none");
      }
    }
    out.push_back(std::move(line));
  }
  for (std::size_t t = 0; t < part.left_out.size(); ++t) {
    const auto tally = contributions.tally(t);
    out.push_back(
        fmt::format("tally {}: {}", t,
                    tally ? fmt::format("{}", fmt::join(Opened::look(*tally), " ")) : "none"));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace discreet::engine::testing
