// The reader of DuckDB's tree fails closed: whatever is added to the tree, or changed in it, is
// refused.
#include "discreet/sql/read_syntax.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "discreet/sql/clause.h"
#include "discreet/sql/known_syntax.h"
#include "discreet/sql/parse.h"

namespace discreet::sql {
namespace {

using Json = nlohmann::json;
using std::string;

// Between them they have every kind of node.
const std::vector<string> kQueries = {
    "WITH a(x) AS (SELECT ward FROM visits) SELECT DISTINCT x FROM a ORDER BY ALL DESC LIMIT 3 "
    "OFFSET 1",
    "SELECT t.*, * EXCLUDE (b) FROM t AS t(a, b) LEFT JOIN (SELECT 1 AS c) s ON a = c, u",
    "SELECT COUNT(*) FILTER (WHERE a BETWEEN 1 AND 2.5), quantile_cont(x, 0.5 ORDER BY y) FROM t "
    "GROUP BY a, NOT b HAVING SUM(x) > -1",
    "SELECT CASE WHEN a AND b IS NULL THEN 'x' ELSE NULL END, CAST(c AS FLOAT64), a::DATE "
    "FROM (VALUES (1, true), (2, false)) v(a, b)",
    "SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 ORDER BY 1 NULLS FIRST",
    "SELECT COUNT(*) FROM t WHERE a IN (SELECT b FROM u) OR EXISTS (SELECT 1) AND c > (SELECT 2) "
    "AND d IN (1, 2) AND coalesce(e, 1) = 1",
};

const KnownNode* known(std::string_view kind) {
  for (const KnownNode& one : known_nodes())
    if (one.kind == kind) return &one;
  return nullptr;
}

bool among(std::string_view name, const std::vector<std::string_view>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What an object of the tree is, by itself or by the field it stands in.
string kind_of(const Json& node, const string& field, const string& parent) {
  if (node.contains("class")) return node["class"];
  if (field == "cte_map" || field == "orders") return field;
  if (field == "map") return "cte_map.map";
  if (field == "value") return parent == "CONSTANT" ? "CONSTANT.value" : "cte_map.map.value";
  if (field == "case_checks") return "CASE.case_checks";
  if (field == "cast_type" || (field == "type" && parent == "CONSTANT.value"))
    return "logical_type";
  if (field == "statements" || field == "subquery" || field == "query") return "statement";
  const string type = node.contains("type") && node["type"].is_string() ? node["type"] : Json("?");
  return known("FROM " + type) ? "FROM " + type : type;
}

using Visit =
    std::function<bool(const Json& node, const string& kind, const Json::json_pointer& where)>;

// Every object below, outermost first; `visit` says whether to look inside.
void walk(const Json& node, const string& field, const string& parent, Json::json_pointer where,
          const Visit& visit) {
  if (node.is_array())
    for (std::size_t i = 0; i < node.size(); ++i) walk(node[i], field, parent, where / i, visit);
  if (!node.is_object()) return;
  const string kind = kind_of(node, field, parent);
  if (!visit(node, kind, where)) return;
  for (const auto& [key, value] : node.items()) walk(value, key, kind, where / key, visit);
}

Json tree_of(const string& query) {
  auto text = serialize(query);
  return text ? Json::parse(*text, nullptr, false) : Json();
}

TEST(ReadSyntax, MakesATree) {
  const Query query =
      parse("SELECT ward AS w, COUNT(*) FROM visits v WHERE cost > 3 GROUP BY 1")->query;
  EXPECT_EQ(query.kind, Query::Kind::kSelect);
  EXPECT_EQ(query.items[0].alias, "w");
  EXPECT_EQ(query.items[0].names, std::vector<string>{"ward"});
  EXPECT_EQ(query.items[1].name, "count_star");
  EXPECT_EQ(query.from.table, "visits");
  EXPECT_EQ(query.from.alias, "v");
  EXPECT_EQ(query.where->op, Op::kGreater);
  EXPECT_EQ(whole_number(query.where->args[1]), 3);
  EXPECT_EQ(whole_number(query.groups[0]), 1);
  EXPECT_EQ(query.items[1].place, 18u);
}

TEST(ReadSyntax, DeepTreesAreRead) {
  string deep = "SELECT ";
  for (int i = 0; i < 900; ++i) deep += "abs(";
  deep += "1" + string(900, ')');
  EXPECT_TRUE(parse(deep));
  string wide = "SELECT 1";
  for (int i = 0; i < 900; ++i) wide += " UNION ALL SELECT 1";
  EXPECT_TRUE(parse(wide));
}

TEST(ReadSyntax, RefusesWhateverIsAddedOrChanged) {
  std::size_t tried = 0;
  for (const string& query : kQueries) {
    const Json tree = tree_of(query);
    ASSERT_TRUE(read_syntax(tree.dump(), query)) << query;
    walk(tree["statements"], "statements", "", Json::json_pointer("/statements"),
         [&](const Json& node, const string& kind, const Json::json_pointer& where) {
           const auto refused = [&](const string& field, const Json& value) {
             Json changed = tree;
             changed[where][field] = value;
             if (changed == tree) return;  // ORDER BY ALL is COLUMNS(*)
             ++tried;
             EXPECT_FALSE(read_syntax(changed.dump(), query))
                 << query << "\n"
                 << where << " (" << kind << ") with " << field << " = " << value;
           };
           for (const Json& value : {Json(), Json(false), Json(1), Json("x")})
             refused("unheard_of", value);
           for (const char* field : {"class", "type"})
             if (node.contains(field) && node[field].is_string()) refused(field, "UNHEARD_OF");
           const KnownNode* one = known(kind);
           EXPECT_TRUE(one) << kind;
           if (!one) return false;
           for (const std::string_view field : one->neutral)
             for (const Json& value : {Json(true), Json("x"), Json::array({1})})
               refused(string(field), value);
           for (const std::string_view field : one->read) {  // all of them must be there
             Json changed = tree;
             changed[where].erase(string(field));
             ++tried;
             EXPECT_FALSE(read_syntax(changed.dump(), query)) << where << " without " << field;
           }
           return true;
         });
  }
  EXPECT_GT(tried, 2000u);
}

// The queries of tests/sql/*.test: between a line that says what to expect and a line of dashes.
std::vector<string> corpus() {
  std::vector<string> out = kQueries;
  const auto folder = std::filesystem::path(DISCREET_SOURCE) / "tests/sql";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".test") continue;
    std::ifstream file(entry.path());
    string line, query;
    bool inside = false;
    while (std::getline(file, line)) {
      if (line == "----") {
        out.push_back(query);
        inside = false;
      } else if (inside) {
        query += line + "\n";
      } else if (line.starts_with("answer") || line.starts_with("refuse")) {
        query.clear();
        inside = true;
      }
    }
  }
  return out;
}

TEST(ReadSyntax, KnowsEveryFieldOfTheCorpus) {
  // Refused as a whole, so that nothing in them has to be known.
  const std::set<string> refused = {"WINDOW", "PARAMETER", "RECURSIVE_CTE_NODE",
                                    "LIMIT_PERCENT_MODIFIER"};
  std::set<string> seen;
  std::size_t queries = 0;
  for (string query : corpus()) {
    Options options;
    if (!lift_clause(query, options)) continue;
    const Json tree = tree_of(query);
    if (!tree.is_object() || tree.value("error", true)) continue;
    ++queries;
    walk(tree["statements"], "statements", "", Json::json_pointer(),
         [&](const Json& node, const string& kind, const Json::json_pointer&) {
           if (refused.contains(kind)) return false;
           const KnownNode* one = known(kind);
           EXPECT_TRUE(one) << kind << " in " << query;
           if (!one) return false;
           seen.insert(kind);
           for (const auto& [field, value] : node.items())
             EXPECT_TRUE(among(field, one->read) || among(field, one->neutral) ||
                         among(field, one->harmless))
                 << kind << "." << field << " in " << query;
           // Samples and parameters are refused wherever they stand.
           return (!node.contains("sample") || node["sample"].is_null()) &&
                  (!node.contains("named_param_map") || node["named_param_map"].empty());
         });
  }
  EXPECT_GT(queries, 300u);
  for (const KnownNode& one : known_nodes())
    EXPECT_TRUE(seen.contains(string(one.kind))) << one.kind << " is known, but never seen";
}

}  // namespace
}  // namespace discreet::sql
