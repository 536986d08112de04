// Rows with weights, by the formulas of bound/weights.h. One row a unit and group is made of them,
// of which each has its weight; or, where a unit's number of rows is all that is asked of it, units
// are counted and that is put beside the rows: nothing is sorted.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/bound/weights.h"
#include "discreet/engine/pushdown/bounding_sql.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/plan/weights.h"

namespace discreet::engine::pushdown {

using bound::Slot;
using bound::Tally;
using std::string;

namespace {

class Weighed : private BoundingSql {
 public:
  Weighed(const plan::PlanPart& part, const Dialect& dialect) : BoundingSql(part, dialect) {}

  Result<Statement> build() {
    if (!out_.paired.empty()) return unplanned();
    TRY(rows());
    return joins() ? joined_back() : by_groups();
  }

 private:
  // --- by unit and group

  Result<Statement> by_groups() {
    if (limits_groups()) {
      stage("hashed", fmt::format("SELECT *, {} AS h FROM rows", priority_.group()));
      stage("placed", placed());
      Strings columns = {"u", "h", "place"};
      if (counts_rows()) columns.emplace_back("had");
      stage("points",
            points(columns, "placed") + fmt::format(" WHERE place <= {}", shape_.max_groups));
    } else {
      stage("points", points({"u"}, "rows"));
    }
    stage("grouped", grouped());
    // A limit in all needs what the unit has in its other groups; so do groups that stand sorted
    // by unit anyway.
    const bool beside = limits_groups() || limits_total();
    stage("shared", shared(beside));
    stage("weighed", fmt::format("SELECT *, {} AS w FROM shared", weight("room", "rooms", "n")));
    const auto sum_of = [](const char* column) {
      return
          [column](std::size_t, std::size_t i) { return fmt::format("sum(w * {}{})", column, i); };
    };
    const Sums sums = {"count(*)", "sum(w * n)", sum_of("n"), sum_of("t"),
                       [this](std::size_t total, std::size_t i) {
                         return fmt::format("sum({}x{})",
                                            shape_.totals[total].is_linear() ? "w * " : "", i);
                       }};
    if (!has_tallies()) return statement(groups("weighed", sums, false));
    stage("units", beside ? units_beside() : units_apart());
    stage("binned", beside ? binned_beside("units") : binned("units"));
    return statement(beside ? groups("binned", sums, true)
                            : groups("weighed", sums, false) + " UNION ALL " + all_bins());
  }

  string grouped() const {
    Strings items = {"u", "count(*) AS n"};
    if (limits_groups()) items.emplace_back("min(place) AS place");
    if (counts_rows()) items.emplace_back("min(had) AS had");
    items.insert(items.end(), keys_.begin(), keys_.end());
    if (marks_) items.emplace_back("count(*) FILTER (WHERE m) AS marked");
    for (std::size_t i = 0; i < out_.cells.size(); ++i) {
      const string value = fmt::format("v{}", out_.cells[i]);
      items.push_back(
          fmt::format("count({}) AS n{}, {} AS t{}", value, i,
                      is_text(out_.cells[i]) ? dialect_.wide("0") : dialect_.summed(value), i));
    }
    for (std::size_t i = 0; i < out_.specials.size(); ++i)
      items.push_back(fmt::format("{} AS x{}", special(out_.specials[i], "", ""), i));
    return fmt::format("SELECT {} FROM points GROUP BY u{}{}", joined(items),
                       limits_groups() ? ", h" : "", key_list(", "));
  }

  // A group's room, and beside it what the unit has in all its groups. Without keys there is one.
  string shared(bool beside) const {
    Strings items = {room() + " AS room"};
    const auto over = [&](const char* function, const string& of, const char* name) {
      const string sum = fmt::format("{}({}) OVER (PARTITION BY u)", function, of);
      items.push_back(fmt::format("{} AS {}", keys_.empty() ? of : bigint(sum), name));
    };
    if (beside && (limits_total() || has_tallies())) over("sum", room(), "rooms");
    if (beside && has_tallies()) {
      over("max", "n", "most");
      items.push_back(keys_.empty() ? "1 AS groups" : "count(*) OVER (PARTITION BY u) AS groups");
      if (!limits_groups()) {
        over("sum", "n", "had");
        items.push_back(keys_.empty() ? "1 AS place"
                                      : "row_number() OVER (PARTITION BY u) AS place");
      }
    }
    return fmt::format("SELECT *, {} FROM grouped", joined(items));
  }
  // The whole unit, beside each of its groups …
  string units_beside() const {
    Strings items = {kept("rooms") + " AS all_kept"};
    const string marked =
        keys_.empty() ? "w * marked" : bigint("sum(w * marked) OVER (PARTITION BY u)");
    if (marks_) items.push_back(whole_rows(marked) + " AS all_marked");
    return fmt::format("SELECT *, {} FROM weighed", joined(items));
  }
  // … and by itself.
  string units_apart() const {
    Strings items = {bigint("sum(n)") + " AS had", bigint("sum(room)") + " AS all_kept",
                     "max(n) AS most", "count(*) AS groups"};
    if (marks_) items.push_back(whole_rows(bigint("sum(w * marked)")) + " AS all_marked");
    return fmt::format("SELECT {} FROM weighed GROUP BY u", joined(items));
  }

  // --- units counted, and joined back

  bool joins() const {
    const bool asks_of_groups =
        !keys_.empty() &&
        std::any_of(shape_.tallies.begin(), shape_.tallies.end(), [](const Tally& tally) {
          return tally.kind == Tally::Kind::kGroups || tally.kind == Tally::Kind::kMost;
        });
    return dialect_.keeps_stages() && !limits_groups() && !limits_rows() && !asks_of_groups &&
           !plan::releases_units(part_);
  }
  Result<Statement> joined_back() {
    stage("points", points({"u"}, "rows"));
    // A snapshot has the rows of each table, but not which tables are the children of another: were
    // they read twice, rows could be weighed that weren't counted.
    mark_stage(dialect_.materialized());
    stage("counted", fmt::format("SELECT u, count(*) AS n{} FROM points GROUP BY u",
                                 marks_ ? ", count(*) FILTER (WHERE m) AS marked" : ""));
    stage("weighed", fmt::format("SELECT *, {} AS w FROM counted", weight("n", "n", "n")));
    const auto special_of = [this](std::size_t total, std::size_t) {
      return special(total, "", "w * ");
    };
    const string sums =
        groups("points JOIN weighed USING (u)",
               {"count(*)", "sum(w)",
                [](std::size_t slot, std::size_t) {
                  return fmt::format("sum(CASE WHEN v{} IS NOT NULL THEN w END)", slot);
                },
                [this](std::size_t slot, std::size_t) { return product(slot); }, special_of},
               false);
    if (!has_tallies()) return statement(sums);
    stage("units",
          fmt::format("SELECT n AS had, n AS most, 1 AS groups, {} AS all_kept{} FROM weighed",
                      kept("n"), marks_ ? ", " + whole_rows("w * marked") + " AS all_marked" : ""));
    stage("binned", binned("units"));
    return statement(sums + " UNION ALL " + all_bins());
  }
  // Σ of a weight times a value, in 64 bits where each product has no more.
  string product(std::size_t s) const {
    const Slot& slot = shape_.slots[s];
    constexpr std::int64_t kMost = std::int64_t{1} << (62 - bound::kWeightBits);
    const bool narrow =
        slot.kind == Slot::Kind::kFlag ||
        (slot.kind == Slot::Kind::kNumber && slot.low >= -kMost && slot.high <= kMost);
    return narrow ? dialect_.summed(fmt::format("w * v{}", s))
                  : fmt::format("sum({} * v{})", dialect_.wide("w"), s);
  }

  // --- bound/weights.h, in 64 bits: limits have 32, weights at most kWeightBits

  bool limits_total() const { return shape_.max_total != bound::kNoLimit; }
  bool limits_rows() const { return shape_.max_rows != bound::kNoLimit; }
  string whole(std::int64_t value) const { return bigint(std::to_string(value)); }
  std::int64_t one() const { return std::int64_t{1} << *shape_.weight_bits; }

  string room() const {
    return limits_rows() ? fmt::format("least(n, {})", whole(shape_.max_rows)) : "n";
  }
  string kept(const char* rooms) const {
    return limits_total() ? fmt::format("least({}, {})", rooms, whole(shape_.max_total)) : rooms;
  }
  string weight(const char* room, const char* rooms, const char* n) const {
    string out = whole(one());
    if (limits_total()) out = fmt::format("({} * {} / {})", out, kept(rooms), rooms);
    if (limits_rows()) out = fmt::format("({} * {} / {})", out, room, n);
    return out;
  }
  // So many rows' worth, rounded up.
  string whole_rows(const string& weighted) const {
    return fmt::format("({} + {}) / {}", weighted, whole(one() - 1), whole(one()));
  }
};

}  // namespace

Result<Statement> weighed(const plan::PlanPart& part, const Dialect& dialect) {
  return Weighed(part, dialect).build();
}

}  // namespace discreet::engine::pushdown
