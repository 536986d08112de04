#include "discreet/service/testing/questions/question.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "discreet/plan/group_keys.h"
#include "discreet/plan/selection.h"

namespace discreet::service::testing::questions {
namespace {

using policy::Type;
using std::string;
using Kind = Aggregate::Kind;

Part random_part(Draw& draw, const World& world, std::size_t keys, std::size_t aggregates) {
  Part out;
  out.source = random_source(draw, world);
  Expressions expressions(draw, world, "t.", out.source.numbers);
  std::set<string> seen;
  while (out.keys.size() < keys) {
    Piece key = !out.source.keys.empty() && !draw.one_in(3) ? draw.from(out.source.keys)
                                                            : random_key(draw, expressions, world);
    // What names no column is a position in the SELECT list, or a constant.
    if (key.columns.empty() || !seen.insert(key.ours).second) continue;
    out.keys.push_back(std::move(key));
  }
  while (out.aggregates.size() < aggregates)
    out.aggregates.push_back(random_aggregate(draw, expressions, world));
  if (draw.one_in(2))
    out.where = write(Type::kText, " WHERE {}",
                      {draw.one_in(5) ? expressions.about_public() : expressions.truth(2)});
  if (draw.one_in(5) && out.aggregates[0].kind == Kind::kCount)
    out.more_than = static_cast<double>(draw.below(4)) - 0.5;
  return out;
}

string select_of(Draw& draw, const Part& part, const string& clause) {
  std::vector<string> items, groups;
  if (!part.tag.empty()) items.push_back(fmt::format("'{}' AS part", part.tag));
  const std::size_t form = part.tag.empty() ? draw.below(4) : draw.below(3);
  for (std::size_t i = 0; i < part.keys.size(); ++i) {
    items.push_back(fmt::format("{} AS key_{}", part.keys[i].ours, i));
    groups.push_back(form == 0   ? fmt::format("{}", items.size())
                     : form == 1 ? fmt::format("key_{}", i)
                                 : part.keys[i].ours);
  }
  for (const Aggregate& one : part.aggregates) items.push_back(one.text.ours);
  string out = fmt::format("SELECT {}{} FROM {}{}", clause, fmt::join(items, ", "),
                           part.source.from.ours, part.where.ours);
  if (!groups.empty())
    out += form == 3 ? " GROUP BY ALL" : fmt::format(" GROUP BY {}", fmt::join(groups, ", "));
  if (part.more_than)
    out += fmt::format(" HAVING {} > {}", part.aggregates[0].text.ours, *part.more_than);
  return out;
}

string grouped(const Part& part) {
  string out;
  for (const Piece& key : part.keys) out += (out.empty() ? " GROUP BY " : ", ") + key.oracle;
  return out;
}

string oracle_of(const Part& part) {
  std::vector<string> items;
  for (const Piece& key : part.keys)
    items.push_back(
        canonical_sql({"", fmt::format("any_value({})", key.oracle), key.type, {}, {}, false}));
  // any_value passes NULL over, as a group of NULL alone has to be.
  items.emplace_back("COUNT(DISTINCT t.u)");
  items.emplace_back("COUNT(*)");
  for (const Aggregate& one : part.aggregates)
    items.push_back(one.kind == Kind::kQuantile || one.kind == Kind::kMost
                        ? one.text.oracle
                        : fmt::format("CAST({} AS DOUBLE)", one.text.oracle));
  return fmt::format("{}SELECT {} FROM {}{}{}", part.source.oracle_with, fmt::join(items, ", "),
                     part.source.from.oracle, part.where.oracle, grouped(part));
}

std::vector<string> split(const string& text) {
  std::vector<string> out;
  if (text == kNull) return out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(kBetween, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// docs/sql.md: quantile p scores a value by −max(0, (1−p)·#below − p·#(at or above), p·#above −
// (1−p)·#(at or below)); where there is no noise one of the best is chosen.
ExpectedCell best_quantile(const string& list, double p, const plan::Slot& slot) {
  std::vector<double> values;
  for (const string& one : split(list)) values.push_back(std::strtod(one.c_str(), nullptr));
  const auto score = [=](double at) {
    double below = 0, above = 0, here = 0;
    for (const double value : values) ++(value < at ? below : value > at ? above : here);
    return -std::max(
        {0.0, (1 - p) * below - p * (above + here), p * above - (1 - p) * (below + here)});
  };
  double best = -1e300;
  const double low = slot.bounds.low.get_d(), high = slot.bounds.high.get_d();
  for (double at = low; at <= high; ++at) best = std::max(best, score(at));
  return {[=](const policy::Value& got) {
            return got.as_number() >= low && got.as_number() <= high &&
                   score(got.as_number()) >= best - 1e-9;
          },
          fmt::format("a quantile {} of {} values", p, values.size())};
}

// One of the values that most rows have, among those that are declared.
ExpectedCell most_frequent(const string& list, Type type, const std::vector<string>& declared) {
  std::map<string, int> counts;
  for (const string& value : declared) counts[value] = 0;
  for (const string& value : split(list))
    if (const auto found = counts.find(canonical(value, type)); found != counts.end())
      ++found->second;
  int most = 0;
  for (const auto& [value, count] : counts) most = std::max(most, count);
  return {[=](const policy::Value& got) {
            const auto found = counts.find(canonical(got, type));
            return found != counts.end() && found->second == most;
          },
          fmt::format("one of the {} rows", most)};
}

// How far the grid lets an aggregate be from exact: half a step for each row of a sum; two numbers
// make a mean, three a variance.
double tolerance(const plan::PlanPart& part, std::size_t index, Kind kind, double rows,
                 double value) {
  const auto step = [&](std::size_t i) {
    return std::ldexp(1.0, part.statistics[part.parts[index][i]].exponent);
  };
  const double rounding = 1e-6 + 1e-9 * std::abs(value);
  if (kind == Kind::kSum) return rounding + (rows + 1) * step(0);
  if (kind == Kind::kMean) return rounding + 2 * step(1);
  if (kind != Kind::kVariance && kind != Kind::kDeviation) return rounding;
  const plan::Slot& slot = part.slots[*part.statistics[part.parts[index][2]].slot];
  const double width = to_double(Rational(slot.bounds.high - slot.bounds.low));
  const double variance = 4 * step(2) + 8 * (width + step(1)) * step(1) + 1e-9 * width * width;
  return kind == Kind::kVariance ? rounding + variance : rounding + std::sqrt(variance);
}

}  // namespace

Question random_question(Draw& draw, World& world) {
  Question out;
  if (draw.one_in(12)) {
    out.must_refuse = true;
    out.text = draw.word(
        {"SELECT t.u, COUNT(*) FROM t GROUP BY t.u", "SELECT h, COUNT(*) FROM t GROUP BY h",
         "SELECT upper(h), COUNT(*) FROM t GROUP BY 1", "SELECT MODE(h) FROM t", "SELECT * FROM t",
         "SELECT v1.a, COUNT(*) FROM t JOIN (VALUES ('a'), ('b')) v1(a) ON t.h = v1.a GROUP BY "
         "v1.a",
         "SELECT COUNT(*) FROM t JOIN s ON t.j = s.y",
         "SELECT p.k, COUNT(*) FROM t RIGHT JOIN p ON "
         "t.k = p.k GROUP BY p.k",
         "SELECT SUM(j) FROM t",
         "SELECT COUNT(*) FROM t WHERE j = (SELECT "
         "MAX(y) FROM s)",
         "SELECT w, SUM(x) OVER () FROM t"});
  } else {
    const std::size_t parts = draw.one_in(8) ? 2 : 1, keys = draw.below(4);
    const std::size_t aggregates = 1 + draw.below(3);
    for (std::size_t i = 0; i < parts; ++i) {
      Part part = random_part(draw, world, keys, aggregates);
      if (parts > 1) {
        part.tag = i == 0 ? "first" : "second";
        if (!part.source.with.empty()) {  // WITH stands before the whole
          part.source.with.clear();
          part.source.oracle_with.clear();
          part.source.from = write(Type::kText, "t", {});
        }
      }
      out.parts.push_back(std::move(part));
    }
    if (parts > 1)  // of the same types, one below the other
      for (std::size_t i = 0; i < keys; ++i)
        if (out.parts[0].keys[i].type != out.parts[1].keys[i].type) {
          out.parts.pop_back();
          out.parts[0].tag.clear();
          break;
        }
  }
  // ε and δ stand in the query or beside it.
  string clause;
  if (out.parts.size() == 1 && draw.one_in(4)) {
    clause = "WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=20000, delta=0.02) ";
  } else {
    out.options.epsilon = 20'000;
    out.options.delta = Rational(1, 50);
  }
  if (!world.bounds_declared()) {
    out.options.max_groups = kMostGroups;
    out.options.max_rows = kMostRows;
  }
  out.options.assume_bounds = true;  // nothing is measured: the truth is compared
  if (out.must_refuse) return out;
  for (const Part& part : out.parts) {
    out.text +=
        (out.text.empty() ? part.source.with : " UNION ALL ") + select_of(draw, part, clause);
    for (const Aggregate& one : part.aggregates) out.chooses |= one.chooses();
  }
  if (draw.one_in(4)) {
    out.by_first = true;
    out.descending = draw.one_in(2);
    out.nulls_first = draw.one_in(2);
    out.text += fmt::format(" ORDER BY 1{}{}", out.descending ? " DESC" : "",
                            out.nulls_first ? " NULLS FIRST" : "");
    if (draw.one_in(2)) {
      out.limit = draw.below(4);
      out.text += fmt::format(" LIMIT {}", *out.limit);
    }
  }
  return out;
}

bool fits_bounds(const Question& question, World& world) {
  for (const Part& part : question.parts) {
    string groups = grouped(part);
    groups = groups.empty() ? " GROUP BY t.u" : groups + ", t.u";
    const auto rows = world.oracle().run(
        fmt::format("{}SELECT coalesce(max(c), 0), coalesce(max(g), 0), coalesce(sum(c), 0) FROM "
                    "(SELECT c, COUNT(*) OVER "
                    "(PARTITION BY u) AS g FROM (SELECT COUNT(*) AS c, t.u AS u FROM {}{}{}))",
                    part.source.oracle_with, part.source.from.oracle, part.where.oracle, groups));
    if (rows.empty() || std::stoll(rows[0][0]) > kMostRows || std::stoll(rows[0][1]) > kMostGroups)
      return false;
  }
  return true;
}

namespace {

using Key = std::vector<string>;

// The groups that the plan lists, as far as they can be public, and those with rows that it should
// have listed: a group may be left out only where a condition excludes it, and then it has no rows.
std::vector<Key> listed(const plan::PlanPart& planned, const Part& part, bool declared,
                        const std::vector<Key>& possible,
                        const std::map<Key, std::vector<string>>& groups) {
  std::set<Key> shown;
  for (const std::vector<policy::Value>& group : plan::public_groups(planned.select)) {
    Key key;
    for (std::size_t i = 0; i < group.size(); ++i)
      key.push_back(canonical(group[i], part.keys[i].type));
    shown.insert(std::move(key));
  }
  std::set<Key> out = shown;
  if (declared) {
    const std::set<Key> all(possible.begin(), possible.end());
    std::erase_if(out, [&](const Key& key) { return !all.contains(key); });
  }
  // Days outside of the declared range, and NULL, form no group.
  const bool of_days = std::any_of(part.keys.begin(), part.keys.end(), [](const Piece& key) {
    return std::find(key.columns.begin(), key.columns.end(), "t.d") != key.columns.end();
  });
  for (const Key& key : possible)
    if (groups.contains(key) && (declared || !of_days)) out.insert(key);
  return {out.begin(), out.end()};
}

}  // namespace

string oracle_text(const Question& question) {
  string out;
  for (const Part& part : question.parts) out += oracle_of(part) + "\n";
  return out;
}

std::vector<Expected> expected(const Question& question, const plan::Plan& plan, World& world) {
  std::vector<Expected> out;
  for (std::size_t p = 0; p < question.parts.size(); ++p) {
    const Part& part = question.parts[p];
    const plan::PlanPart& planned = plan.parts[p];
    Expected about;
    about.tag = part.tag;
    for (const Piece& key : part.keys) about.key_types.push_back(key.type);

    std::map<Key, std::vector<string>> groups;
    for (const auto& row : world.oracle().run(oracle_of(part))) {
      Key key;
      for (std::size_t i = 0; i < part.keys.size(); ++i)
        key.push_back(canonical(row[i], part.keys[i].type));
      groups[key] = {row.begin() + static_cast<std::ptrdiff_t>(part.keys.size()), row.end()};
    }
    // Public keys: their values. A value that isn't one of them forms no group.
    bool all_public = true;
    std::vector<std::optional<std::vector<string>>> domains;
    for (const Piece& key : part.keys) {
      domains.emplace_back();
      if (const auto sql = public_values(key, part.source.declared)) {
        Piece value = key;
        value.oracle = "v";
        domains.back().emplace();
        for (const auto& row :
             world.oracle().run(fmt::format("SELECT {} FROM ({})", canonical_sql(value), *sql)))
          domains.back()->push_back(canonical(row[0], key.type));
      } else {
        all_public = false;
      }
    }
    std::vector<Key> keys;
    if (all_public) {
      keys = {{}};
      for (const auto& domain : domains) {
        std::vector<Key> longer;
        for (const Key& key : keys)
          for (const string& value : *domain) {
            longer.push_back(key);
            longer.back().push_back(value);
          }
        keys = std::move(longer);
      }
    } else {
      for (const auto& [key, row] : groups) {
        bool possible = true;
        for (std::size_t i = 0; i < key.size(); ++i)
          possible &= !domains[i] || std::find(domains[i]->begin(), domains[i]->end(), key[i]) !=
                                         domains[i]->end();
        if (possible) keys.push_back(key);
      }
    }
    if (planned.all_public) keys = listed(planned, part, all_public, keys, groups);
    std::optional<plan::GroupChooser> selection;
    if (planned.selection) selection = *plan::GroupChooser::of(planned);

    for (const Key& key : keys) {
      ExpectedRow row;
      row.key = key;
      const auto found = groups.find(key);
      const std::vector<string> nothing(2 + part.aggregates.size(), kNull);
      const std::vector<string>& values = found == groups.end() ? nothing : found->second;
      if (selection) row.surely = selection->keep_probability(std::stoll(values[0])) > 1 - 1e-9;
      const double rows = values[1] == kNull ? 0 : std::strtod(values[1].c_str(), nullptr);
      bool kept = true;
      for (std::size_t a = 0; a < part.aggregates.size(); ++a) {
        const Aggregate& one = part.aggregates[a];
        const string& text = values[2 + a];
        // The plan's aggregate behind the column; of arithmetic with aggregates only counts are
        // asked.
        const sql::Expr& output =
            planned.select.outputs[(part.tag.empty() ? 0 : 1) + part.keys.size() + a].expr;
        const std::size_t index = output.op == sql::Op::kColumn
                                      ? output.column - planned.select.keys.size()
                                      : planned.parts.size();
        const double value = text == kNull ? one.of_nothing : std::strtod(text.c_str(), nullptr);
        if (one.kind == Kind::kQuantile) {
          row.cells.push_back(best_quantile(
              text, one.share, planned.slots[*planned.statistics[planned.parts[index][0]].slot]));
        } else if (one.kind == Kind::kMost) {
          Piece arg = one.text;
          arg.ours = arg.columns[0];
          arg.listed.clear();
          Piece listed = arg;
          listed.oracle = "v";
          std::vector<string> choices;
          for (const auto& choice :
               world.oracle().run(fmt::format("SELECT {} FROM ({})", canonical_sql(listed),
                                              *public_values(arg, world.declared()))))
            choices.push_back(canonical(choice[0], arg.type));
          row.cells.push_back(most_frequent(text, arg.type, choices));
        } else if (one.kind == Kind::kEnd || (one.kind == Kind::kMean && text == kNull)) {
          const plan::Slot& slot =
              planned.slots[*planned.statistics[planned.parts[index].back()].slot];
          row.cells.push_back(
              within(to_double(slot.bounds.low) - 1e-6, to_double(slot.bounds.high) + 1e-6));
        } else {
          row.cells.push_back(near(value, tolerance(planned, index, one.kind, rows, value)));
        }
        if (a == 0 && part.more_than) kept = value > *part.more_than;
      }
      if (kept) about.rows.push_back(std::move(row));
    }
    out.push_back(std::move(about));
  }
  return out;
}

}  // namespace discreet::service::testing::questions
