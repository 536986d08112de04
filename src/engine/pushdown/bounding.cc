#include "discreet/engine/pushdown/bounding.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/bound/wide.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/priority_sql.h"
#include "discreet/engine/pushdown/rows.h"
#include "discreet/plan/shape.h"

namespace discreet::engine::pushdown {
namespace {

using bound::Tally;
using bound::Total;
using std::string;
using Strings = std::vector<string>;
using Slot = bound::Slot;

constexpr const char* kNobody = "CAST(NULL AS {})";

class Builder {
 public:
  Builder(const plan::PlanPart& part, const Dialect& dialect)
      : part_(part), dialect_(dialect), priority_(part, dialect), shape_(plan::shape_of(part)) {
    out_.keys = shape_.keys;
    for (std::size_t i = 0; i < shape_.keys; ++i) {
      keys_.push_back(fmt::format("k{}", i));
      const policy::Type type = travels_as(part.select.keys[i].type);
      ordered_keys_.push_back(dialect.ordered(keys_.back(), type));
    }
    for (std::size_t t = 0; t < shape_.totals.size(); ++t) sort(t);
    for (const Tally& tally : shape_.tallies)
      marks_ = marks_ || tally.kind == Tally::Kind::kClamped;
    cuts_ =
        !part.direct && (shape_.max_rows != bound::kNoLimit || shape_.max_total != bound::kNoLimit);
  }

  Result<Statement> build() {
    stage("rows", TRY(rows_sql(part_, dialect_, places_)));
    if (part_.direct) {
      if (!shape_.tallies.empty() || !out_.paired.empty()) return unplanned();
      stage("points", points("rows"));
      out_.sql = with() + groups_of("points");
      return std::move(out_);
    }
    if (only_tallies()) return tallied();
    stage("hashed", fmt::format("SELECT *, {} AS h FROM rows", priority_.group()));
    stage("placed", placed());
    // Numbers are put on their grids when most rows are gone.
    stage("points",
          points("placed") +
              (limits_groups() ? fmt::format(" WHERE place <= {}", shape_.max_groups) : ""));
    string from = TRY(copied("points"));
    const bool again = !out_.paired.empty();
    if (again) stages_.back().insert(stages_.back().find(" AS (") + 4, dialect_.materialized());
    stage("grouped", grouped(from));
    if (!shape_.tallies.empty()) {
      stage("units", units());
      stage("binned", binned());
    }
    string last = groups_of(shape_.tallies.empty() ? "grouped" : "binned");
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t)
      if (shape_.tallies[t].kind == Tally::Kind::kValue) last += " UNION ALL " + values(t);
    for (const std::size_t total : out_.paired) last += " UNION ALL " + pairs(total, from);
    out_.sql = with() + last;
    return std::move(out_);
  }

 private:
  static tl::unexpected<Error> unplanned() {
    return fail(Code::kFailure, "the plan asks for what can't be added up row by row",
                "please report this query");
  }
  // A survey: nothing of a group leaves, and no row is dropped.
  bool only_tallies() const {
    return shape_.totals.empty() && !shape_.tallies.empty() && !limits_groups() && !cuts_;
  }
  Result<Statement> tallied() {
    string from = "rows";
    Strings picks;
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t)
      if (shape_.tallies[t].kind == Tally::Kind::kValue)
        picks.push_back(fmt::format("max(p{0}) AS p{0}", t));
    if (!picks.empty() || marks_) {
      stage("hashed", fmt::format("SELECT *, {} AS h FROM rows", priority_.group()));
      stage("points", points("hashed"));
      from = TRY(copied("points"));
    }
    Strings items = {"u", "count(*) AS n"};
    if (marks_) items.emplace_back("count(*) FILTER (WHERE m) AS marked");
    items.insert(items.end(), picks.begin(), picks.end());
    stage("grouped",
          fmt::format("SELECT {} FROM {} GROUP BY u{}", joined(items), from, key_list(", ")));
    items = {"sum(n) AS all_kept", "sum(n) AS had", "max(n) AS most", "count(*) AS groups"};
    if (marks_) items.emplace_back("sum(marked) AS all_marked");
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t)
      if (shape_.tallies[t].kind == Tally::Kind::kValue)
        items.push_back(fmt::format("max(p{0}) AS q{0}", t));
    stage("units", fmt::format("SELECT {} FROM grouped GROUP BY u", joined(items)));
    stage("binned", fmt::format("SELECT *, CAST({} AS {}) AS b FROM units", bins(),
                                dialect_.type(policy::Type::kInt)));
    out_.sql = with() + all_bins();
    return std::move(out_);
  }
  bool limits_groups() const { return shape_.max_groups != bound::kNoLimit; }

  // Which totals are made of what.
  void sort(std::size_t t) {
    const Total& total = shape_.totals[t];
    const auto cell = [&](std::size_t slot) {
      if (std::find(out_.cells.begin(), out_.cells.end(), slot) == out_.cells.end())
        out_.cells.push_back(slot);
    };
    switch (total.kind) {
      case Total::Kind::kRows:
        break;
      case Total::Kind::kCount:
      case Total::Kind::kSum:
        cell(*total.slot);
        break;
      case Total::Kind::kUnits:
        if (total.slot) out_.specials.push_back(t);
        break;
      case Total::Kind::kSquares:
      case Total::Kind::kGroupCount:
      case Total::Kind::kGroupSum:
      case Total::Kind::kGroupMeans:
      case Total::Kind::kGroupMean:
        out_.specials.push_back(t);
        break;
      case Total::Kind::kDistinct:
      case Total::Kind::kHistogram:
      case Total::Kind::kEach:
        out_.paired.push_back(t);
        break;
    }
  }

  void stage(const char* name, const string& sql) {
    stages_.push_back(fmt::format("{} AS ({})", name, sql));
  }
  string with() const { return "WITH " + joined(stages_) + " "; }
  // A text or its hash: nothing to add up or to sort by.
  bool is_text(std::size_t slot) const {
    return plan::slot_column(part_.slots[slot]) == bound::Column::Kind::kText;
  }
  string key_list(std::string_view before) const {
    return keys_.empty() ? "" : string(before) + joined(keys_);
  }
  string by_unit_and_group() const { return "u, h" + key_list(", "); }

  // --- the stages
  string points(const char* from) const {
    Strings items;
    if (!part_.direct) items = {"u", "h"};
    if (!part_.direct && !only_tallies()) items.emplace_back("place");
    if (counts_rows()) items.emplace_back("had");
    for (const string& key : keys_) items.push_back(key);
    Strings clamped;
    for (std::size_t s = 0; s < shape_.slots.size(); ++s) {
      const Slot& slot = shape_.slots[s];
      const string raw = fmt::format("s{}", places_[s]);
      const bool real = plan::slot_column(part_.slots[s]) == bound::Column::Kind::kReal;
      items.push_back(fmt::format("{} AS v{}", real ? dialect_.on_grid(raw, slot) : raw, s));
      if (real && slot.kind != Slot::Kind::kScale)
        clamped.push_back(fmt::format("coalesce({}, FALSE)", dialect_.clamps(raw, slot)));
    }
    if (marks_)
      items.push_back(
          fmt::format("({}) AS m", clamped.empty() ? "FALSE" : joined(clamped, " OR ")));
    if (items.empty()) items.emplace_back("1 AS one");
    return fmt::format("SELECT {} FROM {}", joined(items), from);
  }

  // How many rows a unit had is known only before groups are dropped.
  bool counts_rows() const { return limits_groups() && !shape_.tallies.empty(); }

  string placed() const {
    Strings order = {"h"};
    order.insert(order.end(), ordered_keys_.begin(), ordered_keys_.end());
    // One window for both, so that the rows go through one.
    return fmt::format(
        "SELECT *, dense_rank() OVER w AS place{} FROM hashed WINDOW w AS (PARTITION BY u ORDER BY "
        "{}{})",
        counts_rows() ? ", count(*) OVER w AS had" : "", joined(order),
        counts_rows() ? " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING" : "");
  }

  // Which rows stay; then one value of each unit, for histograms of values.
  Result<string> copied(string from) {
    if (cuts_) {
      const string content = by_unit_and_group() + ", c";
      stage("contents", fmt::format("SELECT *, {} AS c FROM {}", priority_.row(marks_), from));
      from = "contents";
      string kept = "TRUE";
      if (shape_.max_rows != bound::kNoLimit) {
        stage("numbered",
              fmt::format("SELECT *, row_number() OVER (PARTITION BY {}) AS n1 FROM contents",
                          content));
        stage("ranked",
              fmt::format("SELECT *, row_number() OVER (PARTITION BY {} ORDER BY {}, c) AS "
                          "r1 FROM numbered",
                          by_unit_and_group(), priority_.copy("n1", 1)));
        from = "ranked";
        kept = fmt::format("(r1 <= {})", shape_.max_rows);
      }
      if (shape_.max_total != bound::kNoLimit) {
        const bool again = shape_.max_rows != bound::kNoLimit;  // of those that stayed
        const char* stayed = again ? ", kept1" : "";
        if (again) {
          stage("first", fmt::format("SELECT *, {} AS kept1 FROM {}", kept, from));
          from = "first";
        }
        stage("numbered_again",
              fmt::format("SELECT *, row_number() OVER (PARTITION BY {}{}) AS n2 FROM {}", content,
                          stayed, from));
        stage("ranked_again",
              fmt::format(
                  "SELECT *, row_number() OVER (PARTITION BY u{} ORDER BY {}, h, c) AS r2 FROM "
                  "numbered_again",
                  stayed, priority_.copy("n2", 2)));
        from = "ranked_again";
        kept = fmt::format("({}r2 <= {})", again ? "kept1 AND " : "", shape_.max_total);
      }
      stage("copied", fmt::format("SELECT *, {} AS kept FROM {}", kept, from));
      from = "copied";
    }
    Strings windows, picks, order = {"h"};
    order.insert(order.end(), ordered_keys_.begin(), ordered_keys_.end());
    for (std::size_t i = 0; i < shape_.slots.size(); ++i)
      if (!is_text(i)) order.push_back(fmt::format("v{}", i));
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t) {
      const Tally& tally = shape_.tallies[t];
      if (tally.kind != Tally::Kind::kValue) continue;
      windows.push_back(fmt::format(
          "count(v{0}) OVER (PARTITION BY u) AS a{1}, count(v{0}) OVER (PARTITION BY u ORDER "
          "BY {2} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS o{1}",
          *tally.slot, t, joined(order)));
      const string hash = priority_.value(*tally.slot);
      picks.push_back(fmt::format("CASE WHEN o{0} = {1} + 1 THEN v{2} END AS p{0}", t,
                                  dialect_.share_of(hash, fmt::format("a{}", t)), *tally.slot));
    }
    if (windows.empty()) return from;
    stage("valued", fmt::format("SELECT *, {} FROM {}", joined(windows), from));
    stage("picked", fmt::format("SELECT *, {} FROM valued", joined(picks)));
    return string("picked");
  }

  string filter() const { return cuts_ ? " FILTER (WHERE kept)" : ""; }

  // A unit's share of a total that is no plain count or sum.
  string special(std::size_t t) const {
    const Total& total = shape_.totals[t];
    const string value = total.slot ? fmt::format("v{}", *total.slot) : "*";
    const string all = fmt::format("count({})", value);
    const string kept = fmt::format("count({}){}", value, filter());
    const auto wide = [&](const string& text) { return dialect_.wide(text); };
    const auto clamped = [&](const string& text) {
      return fmt::format("least(greatest({}, {}), {})", wide(text), wide(std::to_string(total.low)),
                         wide(std::to_string(total.high)));
    };
    const auto where_any = [&](const string& text) {
      return fmt::format("CASE WHEN {} > 0 AND count(*){} > 0 THEN {} ELSE {} END", all, filter(),
                         text, wide("0"));
    };
    switch (total.kind) {
      case Total::Kind::kSquares: {
        const string off =
            fmt::format("({} - {})", wide(value), wide(std::to_string(total.center)));
        const auto power = [](int of) {
          return to_decimal(Rational(Integer(1) << static_cast<unsigned>(of)));
        };
        const string half = total.shift > 0 ? power(total.shift - 1) : "0";
        return fmt::format(
            "coalesce(sum({}){}, {})",
            dialect_.floor_quotient(fmt::format("({0} * {0} + {1})", off, wide(half)),
                                    wide(power(total.shift))),
            filter(), wide("0"));
      }
      case Total::Kind::kUnits:
        return fmt::format("CASE WHEN {} > 0 THEN {} ELSE {} END", kept, wide("1"), wide("0"));
      case Total::Kind::kGroupCount:
        return where_any(clamped(all));
      case Total::Kind::kGroupSum:
        return where_any(clamped(dialect_.summed(value)));
      case Total::Kind::kGroupMeans:
        return where_any(wide("1"));
      case Total::Kind::kGroupMean: {
        // As bound::nearest_mean: ⌊(2a + b) / 2b⌋ is the nearest to a/b, halves up; what is whole
        // is taken out first, since 2·sum·2^shift is wider than some engines' numbers are.
        const string sum = wide(dialect_.summed(value)), n = wide(all);
        const string whole = dialect_.floor_quotient(sum, n);
        const string rest = fmt::format("({} - {} * {})", sum, whole, n);
        const string by =
            wide(to_decimal(Rational(Integer(1) << static_cast<unsigned>(total.shift))));
        const string mean = fmt::format(
            "({} * {} + {})", whole, by,
            dialect_.floor_quotient(fmt::format("({} * {} * {} + {})", wide("2"), rest, by, n),
                                    fmt::format("({} * {})", wide("2"), n)));
        return where_any(fmt::format("{} - {}", clamped(mean), wide(std::to_string(total.center))));
      }
      case Total::Kind::kRows:
      case Total::Kind::kCount:
      case Total::Kind::kSum:
      case Total::Kind::kDistinct:
      case Total::Kind::kHistogram:
      case Total::Kind::kEach:
        break;
    }
    return wide("0");
  }

  string grouped(const string& from) const {
    Strings items = {"u", "min(place) AS place", "count(*) AS n",
                     fmt::format("count(*){} AS kept", filter())};
    for (const string& key : keys_) items.push_back(key);
    if (counts_rows()) items.emplace_back("min(had) AS had");
    if (marks_)
      items.push_back(
          fmt::format("count(*) FILTER (WHERE {}m) AS marked", cuts_ ? "kept AND " : ""));
    for (std::size_t i = 0; i < out_.cells.size(); ++i)
      items.push_back(fmt::format("count(v{0}){1} AS n{2}, {3} AS t{2}", out_.cells[i], filter(), i,
                                  sum_of(out_.cells[i])));
    for (std::size_t i = 0; i < out_.specials.size(); ++i)
      items.push_back(fmt::format("{} AS x{}", special(out_.specials[i]), i));
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t)
      if (shape_.tallies[t].kind == Tally::Kind::kValue)
        items.push_back(fmt::format("max(p{0}) AS p{0}", t));
    return fmt::format("SELECT {} FROM {} GROUP BY {}", joined(items), from, by_unit_and_group());
  }
  // Of texts there is none.
  string sum_of(std::size_t slot) const {
    return is_text(slot) ? dialect_.wide("0")
                         : dialect_.summed(fmt::format("v{}", slot)) + filter();
  }

  string units() const {
    Strings items;
    const auto over = [](const char* text, const char* name) {
      return fmt::format("{} OVER (PARTITION BY u) AS {}", text, name);
    };
    items.push_back(over("sum(kept)", "all_kept"));
    items.push_back(over("max(n)", "most"));
    items.push_back(over("count(*)", "groups"));
    if (!limits_groups()) items.push_back(over("sum(n)", "had"));
    if (marks_) items.push_back(over("sum(marked)", "all_marked"));
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t)
      if (shape_.tallies[t].kind == Tally::Kind::kValue)
        items.push_back(over(fmt::format("max(p{})", t).c_str(), fmt::format("q{}", t).c_str()));
    return fmt::format("SELECT *, {} FROM grouped", joined(items));
  }

  // The bin of a unit, on the row of its first group.
  string bin(std::size_t t) const {
    std::vector<double> edges;
    for (std::size_t i = 0; i + 1 < bound::kCountBins; ++i)
      edges.push_back(static_cast<double>(bound::count_edge(i)));
    const auto binned = [&](const char* count) { return dialect_.edges_below(count, edges); };
    switch (shape_.tallies[t].kind) {
      case Tally::Kind::kRows:
        return binned("had");
      case Tally::Kind::kGroups:
        return binned("groups");
      case Tally::Kind::kMost:
        return binned("most");
      case Tally::Kind::kCut:
        return "CASE WHEN all_kept < had THEN 1 ELSE 0 END";
      case Tally::Kind::kLost:
        return binned("(had - all_kept)");
      case Tally::Kind::kClamped:
        return binned("all_marked");
      case Tally::Kind::kValue:
        return fmt::format("q{}", t);
      case Tally::Kind::kKept:
        break;
    }
    return "0";
  }
  // All bins of counts as the digits of one number: one column to group by.
  string bins() const {
    string code = "0";
    Integer base = 1;
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t) {
      if (shape_.tallies[t].kind == Tally::Kind::kValue) continue;
      code += fmt::format(" + {} * CAST({} AS {})", base.get_str(), bin(t),
                          dialect_.type(policy::Type::kInt));
      base *= static_cast<long>(Statement::kDigit);
    }
    return code;
  }
  // … on the row of the unit's first group, beside the keys.
  string binned() const {
    return fmt::format("SELECT *, CASE WHEN place = 1 THEN CAST({} AS {}) END AS b FROM units",
                       bins(), dialect_.type(policy::Type::kInt));
  }
  // Units by their bins of counts, and by the bin of each value, from one reading.
  string all_bins() const {
    Strings sets = {"(b)"};
    string which = fmt::format("CASE WHEN grouping(b) = 0 THEN {}", Statement::kGroups);
    string bin = "CASE WHEN grouping(b) = 0 THEN b";
    for (std::size_t t = 0; t < shape_.tallies.size(); ++t) {
      if (shape_.tallies[t].kind != Tally::Kind::kValue) continue;
      sets.push_back(fmt::format("(q{})", t));
      which += fmt::format(" WHEN grouping(q{}) = 0 THEN {}", t,
                           Statement::kTally + static_cast<std::int64_t>(t));
      bin += fmt::format(" WHEN grouping(q{0}) = 0 THEN CAST(q{0} AS {1})", t,
                         dialect_.type(policy::Type::kInt));
    }
    bin += " END";
    const auto where_bins = [&](bool counts, const string& number) {
      return fmt::format("CASE WHEN grouping(b) = {} THEN {} ELSE {} END", counts ? 0 : 1,
                         dialect_.wide(number), dialect_.wide("0"));
    };
    Strings items = {as(which + " END", policy::Type::kInt)};
    for (std::size_t i = 0; i < keys_.size(); ++i)
      items.push_back(null_of(travels_as(part_.select.keys[i].type)));
    items.push_back(bin);
    items.push_back(null_of(policy::Type::kText));
    items.push_back(where_bins(false, "count(*)"));
    items.push_back(dialect_.wide("0"));
    items.push_back(where_bins(true, "count(*)"));
    items.push_back(where_bins(true, "sum(all_kept)"));
    return fmt::format("SELECT {} FROM binned GROUP BY GROUPING SETS ({}) HAVING {} IS NOT NULL",
                       joined(items), joined(sets), bin);
  }

  string null_of(policy::Type type) const {
    return fmt::format(fmt::runtime(kNobody), dialect_.type(type));
  }
  string as(const string& text, policy::Type type) const {
    return fmt::format("CAST({} AS {})", text, dialect_.type(type));
  }

  // Sums by group, and beside them histograms of units, from one reading. What a unit has in all
  // stands on the row of its first group.
  string groups_of(const string& from) const {
    const bool direct = part_.direct, tallies = !shape_.tallies.empty();
    Strings items = {as(std::to_string(Statement::kGroups), policy::Type::kInt) + " AS which"};
    for (const string& key : keys_) items.push_back(key);
    items.push_back(tallies ? "b" : null_of(policy::Type::kInt) + " AS b");
    items.push_back(null_of(policy::Type::kText) + " AS w");
    const auto wide_or_0 = [&](const string& sum) {
      return fmt::format("coalesce({}, {})", dialect_.wide(sum), dialect_.wide("0"));
    };
    items.push_back(dialect_.wide(direct ? "count(*)" : "count(*) FILTER (WHERE kept > 0)") +
                    " AS units");
    items.push_back(wide_or_0(direct ? "count(*)" : "sum(kept)") + " AS kept");
    items.push_back(wide_or_0(tallies ? "count(b)" : "0") + " AS firsts");
    items.push_back(wide_or_0(tallies ? "sum(all_kept) FILTER (WHERE place = 1)" : "0") +
                    " AS all_kept");
    for (std::size_t i = 0; i < out_.cells.size(); ++i) {
      const std::size_t slot = out_.cells[i];
      items.push_back(
          wide_or_0(direct ? fmt::format("count(v{})", slot) : fmt::format("sum(n{})", i)) +
          fmt::format(" AS n{}", i));
      items.push_back(
          wide_or_0(direct ? (is_text(slot) ? "0" : dialect_.summed(fmt::format("v{}", slot)))
                           : fmt::format("sum(t{})", i)) +
          fmt::format(" AS t{}", i));
    }
    for (std::size_t i = 0; i < out_.specials.size(); ++i) {
      // Of one row each a unit's share is made by the same words, all rows together.
      const Total& total = shape_.totals[out_.specials[i]];
      const string own = total.kind == Total::Kind::kUnits ? fmt::format("count(v{})", *total.slot)
                                                           : special(out_.specials[i]);
      items.push_back(wide_or_0(direct ? own : fmt::format("sum(x{})", i)) +
                      fmt::format(" AS x{}", i));
    }
    Strings by = keys_;
    if (tallies) by.emplace_back("b");
    return fmt::format("SELECT {} FROM {}{}", joined(items), from,
                       by.empty() ? "" : " GROUP BY " + joined(by));
  }

  // Units by the bin of a value.
  string values(std::size_t t) const {
    Strings items = {
        as(std::to_string(Statement::kTally + static_cast<std::int64_t>(t)), policy::Type::kInt)};
    for (std::size_t i = 0; i < keys_.size(); ++i)
      items.push_back(null_of(travels_as(part_.select.keys[i].type)));
    const string bin = fmt::format("q{}", t);
    items.push_back(as(bin, policy::Type::kInt));
    items.push_back(null_of(policy::Type::kText));
    items.push_back(dialect_.wide("count(*)"));
    while (items.size() < out_.columns()) items.push_back(dialect_.wide("0"));
    return fmt::format("SELECT {} FROM units WHERE place = 1 AND {} IS NOT NULL GROUP BY {}",
                       joined(items), bin, bin);
  }

  // How many kept rows of a group have each value; of distinct ones only how many there are.
  string pairs(std::size_t t, const string& from) const {
    const Total& total = shape_.totals[t];
    const string value = fmt::format("v{}", *total.slot);
    const bool distinct = total.kind == Total::Kind::kDistinct;
    Strings items = {
        as(std::to_string(Statement::kPairs + static_cast<std::int64_t>(t)), policy::Type::kInt)};
    for (const string& key : keys_) items.push_back(key);
    const bool text = part_.slots[*total.slot].kind == Slot::Kind::kWord;
    items.push_back(distinct || text ? null_of(policy::Type::kInt) : value);
    items.push_back(distinct || !text ? null_of(policy::Type::kText) : value);
    items.push_back(
        dialect_.wide(distinct ? fmt::format("count(DISTINCT {})", value) : "count(*)"));
    while (items.size() < out_.columns()) items.push_back(dialect_.wide("0"));
    Strings groups = keys_;
    if (!distinct) groups.push_back(value);
    return fmt::format("SELECT {} FROM {} WHERE {}{} IS NOT NULL{}", joined(items), from,
                       cuts_ ? "kept AND " : "", value,
                       groups.empty() ? "" : " GROUP BY " + joined(groups));
  }

  const plan::PlanPart& part_;
  const Dialect& dialect_;
  const PrioritySql priority_;
  const bound::Shape shape_;
  Strings keys_, ordered_keys_, stages_;
  std::vector<std::size_t> places_;  // of each slot: which of the rows' columns s0, s1, … it is of
  bool marks_ = false, cuts_ = false;
  Statement out_;
};

}  // namespace

Result<Statement> bounded(const plan::PlanPart& part, const Dialect& dialect) {
  return Builder(part, dialect).build();
}

}  // namespace discreet::engine::pushdown
