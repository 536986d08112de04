// Whole rows: all where there is nothing to bound; else those that are drawn, by the keyed hash of
// bound/choice.h.
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/bounding_sql.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/rows.h"

namespace discreet::engine::pushdown {

using bound::Total;
using std::string;

namespace {

class Drawn : private BoundingSql {
 public:
  Drawn(const plan::PlanPart& part, const Dialect& dialect)
      : BoundingSql(part, dialect),
        cuts_(!part.direct &&
              (shape_.max_rows != bound::kNoLimit || shape_.max_total != bound::kNoLimit)) {}

  Result<Statement> build() {
    TRY(rows());
    if (part_.direct) return direct();
    stage("hashed", fmt::format("SELECT *, {} AS h FROM rows", priority_.group()));
    stage("placed", placed());
    // Numbers are put on their grids when most rows are gone.
    Strings columns = {"u", "h", "place"};
    if (counts_rows()) columns.emplace_back("had");
    stage("points",
          points(columns, "placed") +
              (limits_groups() ? fmt::format(" WHERE place <= {}", shape_.max_groups) : ""));
    string from = copied("points");
    if (!out_.paired.empty()) mark_stage(dialect_.materialized());
    stage("grouped", grouped(from));
    if (has_tallies()) {
      stage("units", units());
      stage("binned", binned_beside("units"));
    }
    string last = groups(has_tallies() ? "binned" : "grouped", sums(), has_tallies());
    for (const std::size_t total : out_.paired) last += " UNION ALL " + pairs(total, from);
    return statement(last);
  }

 private:
  // One row each: there is nothing to choose.
  Result<Statement> direct() {
    if (has_tallies() || !out_.paired.empty()) return unplanned();
    stage("points", points({}, "rows"));
    const auto special_of = [this](std::size_t total, std::size_t) {
      const Total& one = shape_.totals[total];
      return one.kind == Total::Kind::kUnits ? fmt::format("count(v{})", *one.slot)
                                             : special(total, "", "");
    };
    return statement(
        groups("points",
               {"count(*)", "count(*)",
                [](std::size_t slot, std::size_t) { return fmt::format("count(v{})", slot); },
                [this](std::size_t slot, std::size_t) {
                  return dialect_.summed(fmt::format("v{}", slot));
                },
                special_of},
               false));
  }

  string by_unit_and_group() const { return "u, h" + key_list(", "); }
  string filter() const { return cuts_ ? " FILTER (WHERE kept)" : ""; }

  // Which rows stay.
  string copied(string from) {
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
    return from;
  }

  string grouped(const string& from) const {
    Strings items = {"u", "min(place) AS place", "count(*) AS n",
                     fmt::format("count(*){} AS kept", filter())};
    items.insert(items.end(), keys_.begin(), keys_.end());
    if (counts_rows()) items.emplace_back("min(had) AS had");
    if (marks_)
      items.push_back(
          fmt::format("count(*) FILTER (WHERE {}m) AS marked", cuts_ ? "kept AND " : ""));
    for (std::size_t i = 0; i < out_.cells.size(); ++i) {
      const string value = fmt::format("v{}", out_.cells[i]);
      const string sum =
          is_text(out_.cells[i]) ? dialect_.wide("0") : dialect_.summed(value) + filter();
      items.push_back(fmt::format("count({}){} AS n{}, {} AS t{}", value, filter(), i, sum, i));
    }
    for (std::size_t i = 0; i < out_.specials.size(); ++i)
      items.push_back(fmt::format("{} AS x{}", special(out_.specials[i], filter(), ""), i));
    return fmt::format("SELECT {} FROM {} GROUP BY {}", joined(items), from, by_unit_and_group());
  }

  static Sums sums() {
    const auto sum_of = [](const char* column) {
      return [column](std::size_t, std::size_t i) { return fmt::format("sum({}{})", column, i); };
    };
    return {"count(*) FILTER (WHERE kept > 0)", "sum(kept)", sum_of("n"), sum_of("t"), sum_of("x")};
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
    return fmt::format("SELECT *, {} FROM grouped", joined(items));
  }

  // How many kept rows of a group have each value; of distinct ones only how many there are.
  string pairs(std::size_t t, const string& from) const {
    const Total& total = shape_.totals[t];
    const string value = fmt::format("v{}", *total.slot);
    const bool distinct = total.kind == Total::Kind::kDistinct;
    Strings items = {
        as(std::to_string(Statement::kPairs + static_cast<std::int64_t>(t)), policy::Type::kInt)};
    for (const string& key : keys_) items.push_back(key);
    const bool text = part_.slots[*total.slot].kind == bound::Slot::Kind::kWord;
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

  const bool cuts_;
};

}  // namespace

Result<Statement> drawn(const plan::PlanPart& part, const Dialect& dialect) {
  return Drawn(part, dialect).build();
}

}  // namespace discreet::engine::pushdown
