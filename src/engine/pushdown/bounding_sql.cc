#include "discreet/engine/pushdown/bounding_sql.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/rows.h"
#include "discreet/plan/shape.h"

namespace discreet::engine::pushdown {

using bound::Slot;
using bound::Tally;
using bound::Total;
using std::string;

BoundingSql::BoundingSql(const plan::PlanPart& part, const Dialect& dialect)
    : part_(part), dialect_(dialect), priority_(part, dialect), shape_(plan::shape_of(part)) {
  out_.keys = shape_.keys;
  for (std::size_t i = 0; i < shape_.keys; ++i) {
    keys_.push_back(fmt::format("k{}", i));
    ordered_keys_.push_back(dialect.ordered(keys_.back(), travels_as(part.select.keys[i].type)));
  }
  const auto cell = [&](std::size_t slot) {
    if (std::find(out_.cells.begin(), out_.cells.end(), slot) == out_.cells.end())
      out_.cells.push_back(slot);
  };
  // Which totals are made of what.
  for (std::size_t t = 0; t < shape_.totals.size(); ++t) {
    const Total& total = shape_.totals[t];
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
  marks_ = std::any_of(shape_.tallies.begin(), shape_.tallies.end(),
                       [](const Tally& tally) { return tally.kind == Tally::Kind::kClamped; });
}

tl::unexpected<Error> BoundingSql::unplanned() {
  return fail(Code::kFailure, "the plan asks for what can't be added up row by row",
              "please report this query");
}

void BoundingSql::stage(const char* name, const string& sql) {
  stages_.push_back(fmt::format("{} AS ({})", name, sql));
}

void BoundingSql::mark_stage(std::string_view how) {
  stages_.back().insert(stages_.back().find(" AS (") + 4, how);
}

Result<Statement> BoundingSql::statement(const string& last) {
  out_.sql = "WITH " + joined(stages_) + " " + last;
  return std::move(out_);
}

Status BoundingSql::rows() {
  stage("rows", TRY(rows_sql(part_, dialect_, places_)));
  return {};
}

bool BoundingSql::is_text(std::size_t slot) const {
  return plan::slot_column(part_.slots[slot]) == bound::Column::Kind::kText;
}

string BoundingSql::key_list(std::string_view before) const {
  return keys_.empty() ? "" : string(before) + joined(keys_);
}

string BoundingSql::points(Strings items, const char* from) const {
  items.insert(items.end(), keys_.begin(), keys_.end());
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
    items.push_back(fmt::format("({}) AS m", clamped.empty() ? "FALSE" : joined(clamped, " OR ")));
  if (items.empty()) items.emplace_back("1 AS one");
  return fmt::format("SELECT {} FROM {}", joined(items), from);
}

string BoundingSql::placed() const {
  Strings order = {"h"};
  order.insert(order.end(), ordered_keys_.begin(), ordered_keys_.end());
  // One window for both, so that the rows go through one.
  return fmt::format(
      "SELECT *, dense_rank() OVER w AS place{} FROM hashed WINDOW w AS (PARTITION BY u ORDER BY "
      "{}{})",
      counts_rows() ? ", count(*) OVER w AS had" : "", joined(order),
      counts_rows() ? " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING" : "");
}

string BoundingSql::special(std::size_t t, const string& filter, const char* weight) const {
  const Total& total = shape_.totals[t];
  const string value = total.slot ? fmt::format("v{}", *total.slot) : "*";
  const string all = fmt::format("count({})", value);
  const string kept = fmt::format("count({}){}", value, filter);
  const auto wide = [&](const string& text) { return dialect_.wide(text); };
  const auto clamped = [&](const string& text) {
    return fmt::format("least(greatest({}, {}), {})", wide(text), wide(std::to_string(total.low)),
                       wide(std::to_string(total.high)));
  };
  const auto where_any = [&](const string& text) {
    return fmt::format("CASE WHEN {} > 0 AND count(*){} > 0 THEN {} ELSE {} END", all, filter, text,
                       wide("0"));
  };
  switch (total.kind) {
    case Total::Kind::kSquares: {
      const string off = fmt::format("({} - {})", wide(value), wide(std::to_string(total.center)));
      const auto power = [](int of) {
        return to_decimal(Rational(Integer(1) << static_cast<unsigned>(of)));
      };
      const string half = total.shift > 0 ? power(total.shift - 1) : "0";
      return fmt::format("coalesce(sum({}{}){}, {})", weight,
                         dialect_.floor_quotient(fmt::format("({0} * {0} + {1})", off, wide(half)),
                                                 wide(power(total.shift))),
                         filter, wide("0"));
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

string BoundingSql::bins() const {
  std::vector<double> edges;
  for (std::size_t i = 0; i + 1 < bound::kCountBins; ++i)
    edges.push_back(static_cast<double>(bound::count_edge(i)));
  const auto bin = [&](Tally::Kind kind) -> string {
    switch (kind) {
      case Tally::Kind::kRows:
        return dialect_.edges_below("had", edges);
      case Tally::Kind::kGroups:
        return dialect_.edges_below("groups", edges);
      case Tally::Kind::kMost:
        return dialect_.edges_below("most", edges);
      case Tally::Kind::kCut:
        return "CASE WHEN all_kept < had THEN 1 ELSE 0 END";
      case Tally::Kind::kLost:
        return dialect_.edges_below("(had - all_kept)", edges);
      case Tally::Kind::kClamped:
        return dialect_.edges_below("all_marked", edges);
      case Tally::Kind::kValue:
      case Tally::Kind::kKept:
        break;
    }
    return "0";
  };
  string code = "0";
  Integer base = 1;
  for (const Tally& tally : shape_.tallies) {
    if (tally.kind == Tally::Kind::kValue) continue;
    code += fmt::format(" + {} * {}", base.get_str(), bigint(bin(tally.kind)));
    base *= static_cast<long>(Statement::kDigit);
  }
  return bigint(code);
}

string BoundingSql::binned(const char* units) const {
  return fmt::format("SELECT *, {} AS b FROM {}", bins(), units);
}

string BoundingSql::binned_beside(const char* units) const {
  return fmt::format("SELECT *, CASE WHEN place = 1 THEN {} END AS b FROM {}", bins(), units);
}

string BoundingSql::all_bins() const {
  return fmt::format("SELECT {} FROM binned GROUP BY b",
                     joined(no_group({Statement::kGroups, "b", "0", "count(*)", "sum(all_kept)"})));
}

BoundingSql::Strings BoundingSql::no_group(const NoGroup& row) const {
  Strings items = {bigint(std::to_string(row.which))};
  for (std::size_t i = 0; i < keys_.size(); ++i)
    items.push_back(null_of(travels_as(part_.select.keys[i].type)));
  items.push_back(bigint(row.bin));
  items.push_back(null_of(policy::Type::kText));
  items.push_back(dialect_.wide(row.units));
  items.push_back(dialect_.wide("0"));
  items.push_back(dialect_.wide(row.firsts));
  items.push_back(dialect_.wide(row.all_kept));
  while (items.size() < out_.columns()) items.push_back(dialect_.wide("0"));
  return items;
}

string BoundingSql::null_of(policy::Type type) const {
  return fmt::format("CAST(NULL AS {})", dialect_.type(type));
}

string BoundingSql::as(const string& text, policy::Type type) const {
  return fmt::format("CAST({} AS {})", text, dialect_.type(type));
}

string BoundingSql::wide_or_0(const string& sum) const {
  return fmt::format("coalesce({}, {})", dialect_.wide(sum), dialect_.wide("0"));
}

// What a unit has in all stands on the row of its first group.
string BoundingSql::groups(const string& from, const Sums& sums, bool bins_beside) const {
  Strings items = {bigint(std::to_string(Statement::kGroups)) + " AS which"};
  items.insert(items.end(), keys_.begin(), keys_.end());
  items.push_back(bins_beside ? "b" : null_of(policy::Type::kInt) + " AS b");
  items.push_back(null_of(policy::Type::kText) + " AS w");
  items.push_back(dialect_.wide(sums.units) + " AS units");
  items.push_back(wide_or_0(sums.rows) + " AS kept");
  items.push_back(wide_or_0(bins_beside ? "count(b)" : "0") + " AS firsts");
  items.push_back(wide_or_0(bins_beside ? "sum(all_kept) FILTER (WHERE place = 1)" : "0") +
                  " AS all_kept");
  for (std::size_t i = 0; i < out_.cells.size(); ++i) {
    const std::size_t slot = out_.cells[i];
    items.push_back(wide_or_0(sums.count(slot, i)) + fmt::format(" AS n{}", i));
    items.push_back(wide_or_0(is_text(slot) ? "0" : sums.sum(slot, i)) + fmt::format(" AS t{}", i));
  }
  for (std::size_t i = 0; i < out_.specials.size(); ++i)
    items.push_back(wide_or_0(sums.special(out_.specials[i], i)) + fmt::format(" AS x{}", i));
  Strings by = keys_;
  if (bins_beside) by.emplace_back("b");
  return fmt::format("SELECT {} FROM {}{}", joined(items), from,
                     by.empty() ? "" : " GROUP BY " + joined(by));
}

}  // namespace discreet::engine::pushdown
