// A survey: histograms of units, of all their rows. Nothing of a group leaves, and no row is
// dropped.
//
//     rows     u, k0 …, s0 …
//     points   the slots on their scales v0 …
//     grouped  one row a unit and group, where groups matter
//     units    one row a unit: its rows, its groups, the largest of them, c0 …: rows with a value
//     cells    of a value: one row a unit and bin, where units can't be put beside their rows
//
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/bounding_sql.h"
#include "discreet/engine/pushdown/print.h"

namespace discreet::engine::pushdown {

using bound::Tally;
using std::string;

namespace {

class Surveyed : private BoundingSql {
 public:
  Surveyed(const plan::PlanPart& part, const Dialect& dialect) : BoundingSql(part, dialect) {}

  Result<Statement> build() {
    if (marks_ || !shape_.is_survey()) return unplanned();
    TRY(rows());
    stage("points", points({"u"}, "rows"));
    // A snapshot has the rows of each table, but not which tables are the children of another: were
    // they read twice, values could be shared among rows that weren't counted.
    if (dialect_.keeps_stages()) mark_stage(dialect_.materialized());
    Strings parts;
    if (asks_of([](Tally::Kind kind) { return kind != Tally::Kind::kValue; })) {
      parts.push_back(all_bins());
      add_units();
      stage("binned", binned("units"));
    } else if (dialect_.keeps_stages()) {
      add_units();
    }
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t)
      if (shape_.tallies[t].kind == Tally::Kind::kValue) parts.push_back(values(t));
    return statement(joined(parts, " UNION ALL "));
  }

 private:
  template <class Test>
  bool asks_of(const Test& test) const {
    return std::any_of(shape_.tallies.begin(), shape_.tallies.end(),
                       [&](const Tally& tally) { return test(tally.kind); });
  }

  void add_units() {
    const bool by_group = !keys_.empty() && asks_of([](Tally::Kind kind) {
      return kind == Tally::Kind::kGroups || kind == Tally::Kind::kMost;
    });
    Strings counts, sums;
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t) {
      if (shape_.tallies[t].kind != Tally::Kind::kValue) continue;
      counts.push_back(fmt::format("count(v{}) AS c{}", *shape_.tallies[t].slot, t));
      sums.push_back(bigint(fmt::format("sum(c{})", t)) + fmt::format(" AS c{}", t));
    }
    const auto list = [](const Strings& more) { return more.empty() ? "" : ", " + joined(more); };
    if (!by_group) {
      stage("units",
            fmt::format("SELECT u, count(*) AS had, count(*) AS all_kept, count(*) AS most, 1 AS "
                        "groups{} FROM points GROUP BY u",
                        list(counts)));
      return;
    }
    stage("grouped", fmt::format("SELECT u, count(*) AS n{} FROM points GROUP BY u{}", list(counts),
                                 key_list(", ")));
    stage("units", fmt::format("SELECT u, {0} AS had, {0} AS all_kept, max(n) AS most, count(*) AS "
                               "groups{1} FROM grouped GROUP BY u",
                               bigint("sum(n)"), list(sums)));
  }

  // The rows of a unit that have a value share it, as in bound/sums.cc.
  string values(std::size_t t) {
    const string value = fmt::format("v{}", *shape_.tallies[t].slot);
    const string unit = bigint(std::to_string(std::int64_t{1} << shape_.tallies[t].weight_bits));
    string from = "points JOIN units USING (u)", share = fmt::format("{} / c{}", unit, t);
    if (!dialect_.keeps_stages()) {
      const string cells = fmt::format("cells{}", t);
      stage(cells.c_str(),
            fmt::format("SELECT {0}, n, sum(n) OVER (PARTITION BY u) AS c FROM (SELECT u, {0}, "
                        "count(*) AS n FROM points WHERE {0} IS NOT NULL GROUP BY u, {0}) AS t",
                        value));
      from = cells;
      share = fmt::format("{} / {} * n", unit, bigint("c"));
    }
    return fmt::format("SELECT {} FROM {} WHERE {} IS NOT NULL GROUP BY {}",
                       joined(no_group({Statement::kTally + static_cast<std::int64_t>(t), value,
                                        fmt::format("sum({})", share), "0", "0"})),
                       from, value, value);
  }
};

}  // namespace

Result<Statement> surveyed(const plan::PlanPart& part, const Dialect& dialect) {
  return Surveyed(part, dialect).build();
}

}  // namespace discreet::engine::pushdown
