#include "discreet/policy/policy.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/column_rule.h"
#include "discreet/policy/find_source.h"
#include "discreet/policy/names.h"
#include "discreet/policy/place.h"
#include "discreet/policy/problems.h"
#include "discreet/policy/toml.h"
#include "discreet/policy/trino_server.h"

namespace discreet::policy {
namespace {

using std::string;

Result<Link> link_at(const Place& at, const toml::node& node) {
  const toml::table* table = node.as_table();
  const char* kAccepted = "accepted is { column = \"visit_id\", to = \"visits.visit_id\" }";
  if (!table) return at.fail(kAccepted);
  TRY(known_keys(at, *table, {"column", "to"}));
  if (!table->get("column") || !table->get("to")) return at.fail(kAccepted);
  auto column = text_at(at.in("column"), *table->get("column"));
  auto to = text_at(at.in("to"), *table->get("to"));
  if (!column) return forward_error(column);
  if (!to) return forward_error(to);
  const auto dot = to->find('.');
  if (dot == string::npos || dot == 0 || dot + 1 == to->size()) return at.fail(kAccepted);
  return Link{*column, to->substr(0, dot), to->substr(dot + 1)};
}

// Where it isn't known what the tables are in (`placed`), sources aren't looked for.
Result<TableRule> table_at(const Place& at, const string& name, const toml::node& node,
                           const Policy& policy, bool placed) {
  const toml::table* table = node.as_table();
  if (!table) return at.fail("accepted is a table with a source");
  TRY(known_keys(at, *table,
                 {"source", "format", "key", "link", "public", "columns", "max_groups",
                  "max_rows_per_group", "max_rows", "rows_per_unit", "foreign"}));
  TableRule rule;
  rule.name = name;
  if (!table->get("source")) return at.fail("has no source", "write source = \"visits.parquet\"");
  auto source = TRY(text_at(at.in("source"), *table->get("source")));
  rule.source = source;
  if (policy.server) {
    auto there = table_of(*policy.server, source);
    if (!there)
      return at.in("source").fail(there.error().message.text(), there.error().hint.text());
    rule.from = std::move(*there);
  } else if (placed) {
    rule.from = TRY(source_at(at.in("source"), source, policy.directory));
  }
  if (const auto* format = table->get("format"); format && placed)
    TRY(read_format(at.in("format"), *format, rule.from));
  if (const auto* foreign = table->get("foreign"); foreign && placed) {
    const bool here = policy.server && policy.server->kind == Server::Kind::kPostgres;
    if (!here || TRY(text_at(at.in("foreign"), *foreign)) != "trusted")
      return at.in("foreign").fail("accepted is \"trusted\", with engine = \"postgres\"");
    rule.foreign_trusted = true;
  }
  if (const auto* key = table->get("key")) {
    auto text = TRY(text_at(at.in("key"), *key));
    rule.key = text;
  }
  if (const auto* link = table->get("link")) {
    auto read = TRY(link_at(at.in("link"), *link));
    rule.link = read;
  }
  if (const auto* is_public = table->get("public")) {
    auto flag = TRY(bool_at(at.in("public"), *is_public));
    rule.is_public = flag;
  }
  const int ways = (rule.key.empty() ? 0 : 1) + (rule.link ? 1 : 0) + (rule.is_public ? 1 : 0);
  if (ways != 1)
    return at.fail(
        ways == 0 ? "says not whose rows these are" : "has more than one of key, link and public",
        "a table has exactly one of key = \"COLUMN\", link = { column = …, to = … } and public = "
        "true");
  for (auto [key, place] : {std::pair{"max_groups", &rule.max_groups},
                            {"max_rows_per_group", &rule.max_rows_per_group},
                            {"max_rows", &rule.max_rows},
                            {"rows_per_unit", &rule.rows_per_unit}}) {
    const auto* value = table->get(key);
    if (!value) continue;
    if (rule.is_public) return at.in(key).fail("a public table has no contribution bounds");
    auto count = TRY(count_at(at.in(key), *value));
    *place = count;
  }
  if (const auto* columns = table->get("columns")) {
    const toml::table* rules = columns->as_table();
    if (!rules) return at.in("columns").fail("accepted is columns.NAME = { … }");
    for (const auto& [column, settings] : *rules) {
      auto read = TRY(column_at(at.in("columns").in(column.str()), settings));
      for (const auto& [other, before] : rule.columns)
        if (same_name(other, column.str()))
          return at.in("columns")
              .in(column.str())
              .fail(fmt::format("columns.{} is the same column: names are told apart in any case",
                                other),
                    "say everything about it once");
      rule.columns.emplace(string(column.str()), read);
    }
  }
  return rule;
}

// Links must lead, without going in circles, to a table that has the key.
Status check_links(const Policy& policy, const TableRule& start) {
  const Place at{policy.path, "tables." + start.name + ".link"};
  std::set<string> seen;
  for (const TableRule* table = &start; table->link;) {
    if (!seen.insert(table->name).second)
      return at.fail("the links go in a circle and never reach a key");
    const TableRule* next = policy.table(table->link->table);
    if (!next) {
      std::vector<string> names;
      for (const TableRule& other : policy.tables) names.push_back(other.name);
      return at.fail(fmt::format("there is no table '{}'", table->link->table),
                     did_you_mean(table->link->table, names));
    }
    if (next->is_public)
      return at.fail(fmt::format("'{}' is public: it leads to nobody", next->name));
    table = next;
  }
  return {};
}

// What to do with a key of Trino's beside another engine.
string instead_of(const string& key, const string& engine) {
  if (engine == "duckdb") return "write engine = \"trino\" beside it";
  if (key == "url") return fmt::format("the address of PostgreSQL is dsn = \"{}\"", kAddressForm);
  if (key == "password" || key == "token")
    return fmt::format("leave it out: PostgreSQL's password is found in {}", kPasswordPlaces);
  if (key == "schema") return "name it before the table: source = \"SCHEMA.TABLE\"";
  if (key == "certificate") return "add sslrootcert=FILE to the dsn";
  return fmt::format("PostgreSQL's stands in the dsn: \"{}\"", kAddressForm);  // catalog and user
}

// engine = "trino", its address and who asks.
Status read_trino(Policy& policy, const Place& at, const toml::table& head, const string& engine) {
  const bool wanted = engine == "trino";
  if (wanted && head.get("dsn"))
    return at.in("dsn").fail("the engine trino has none",
                             "its address is url = \"https://trino.example.org\"");
  TrinoKeys keys;
  for (auto [key, place, example] : {std::tuple{"url", &keys.url, "https://trino.example.org"},
                                     {"catalog", &keys.catalog, "hive"},
                                     {"schema", &keys.schema, "clinic"},
                                     {"user", &keys.user, "discreet"},
                                     {"password", &keys.password, "env:TRINO_PASSWORD"},
                                     {"token", &keys.token, "file:trino.token"},
                                     {"certificate", &keys.certificate, "ca.pem"}}) {
    const auto* node = head.get(key);
    if (!node) continue;
    if (!wanted) return at.in(key).fail("only Trino has one", instead_of(key, engine));
    *place = TRY(text_at(at.in(key), *node, example));
  }
  if (!wanted) return {};
  auto server = trino_server(keys, policy.directory);
  if (!server) {
    const Place there = server.error().parameter.empty() ? at : at.in(server.error().parameter);
    return there.fail(server.error().message.text(), server.error().hint.text());
  }
  policy.server = std::move(*server);
  return {};
}

// engine = "postgres" and its address; without one the tables are files, and DuckDB reads them.
Status read_engine(Policy& policy, const Place& at, const toml::table& head) {
  const std::vector<string> names = {"duckdb", "postgres", "trino"};
  string engine = "duckdb";
  if (const auto* node = head.get("engine")) engine = TRY(text_at(at.in("engine"), *node));
  if (std::find(names.begin(), names.end(), engine) == names.end())
    return at.in("engine").fail(fmt::format("unknown engine '{}'", engine),
                                did_you_mean(engine, names));
  TRY(read_trino(policy, at, head, engine));
  if (engine == "trino") return {};
  const auto* dsn = head.get("dsn");
  if (engine == "duckdb") {
    if (dsn)
      return at.in("dsn").fail("only a server has one", "write engine = \"postgres\" beside it");
    return {};
  }
  if (!dsn)
    return at.fail("the engine postgres has no dsn",
                   fmt::format("write dsn = \"{}\"", kAddressForm));
  auto server = server_of(TRY(text_at(at.in("dsn"), *dsn, kAddressForm)), policy.directory);
  if (!server) return at.in("dsn").fail(server.error().message.text(), server.error().hint.text());
  policy.server = std::move(*server);
  return {};
}

// A path, or an address of PostgreSQL: what begins as one and is another would be a file whose name
// is a secret.
Status check_ledger(const Place& at, const string& ledger) {
  if (!is_server_address(ledger)) return {};
  if (auto ok = holds_no_password(ledger); !ok)
    return at.fail(ok.error().message.text(), ok.error().hint.text());
  if (ledger.starts_with("postgresql://") || ledger.starts_with("postgres://")) return {};
  return at.fail("this address of a server is none of a ledger",
                 fmt::format("accepted is a file's path or \"{}#NAME\"", kAddressForm));
}

Status read_head(Policy& policy, const toml::table& head) {
  const Place at{policy.path, "policy"};
  TRY(known_keys(at, head,
                 {"name", "unit", "budget", "max_epsilon_per_query", "max_delta_per_query",
                  "left_out", "ledger", "engine", "dsn", "url", "catalog", "schema", "user",
                  "password", "token", "certificate"}));
  for (auto [key, place, example] : {std::tuple{"name", &policy.name, "clinic"},
                                     {"unit", &policy.unit, "patient"},
                                     {"ledger", &policy.ledger, "clinic.ledger"}}) {
    const auto* node = head.get(key);
    if (!node) continue;
    auto text = TRY(text_at(at.in(key), *node, example));
    *place = text;
  }
  if (auto ok = check_ledger(at.in("ledger"), policy.ledger); !ok) {
    policy.ledger.clear();  // nobody shows it
    return ok;
  }
  if (policy.name.empty()) return at.fail("has no name", "write name = \"clinic\"");
  if (policy.unit.empty())
    return at.fail("does not say who is protected", "write unit = \"patient\"");
  TRY(read_engine(policy, at, head));
  const toml::table* budget = head.get("budget") ? head.get("budget")->as_table() : nullptr;
  const Place there = at.in("budget");
  if (!budget || !budget->get("epsilon"))
    return there.fail("accepted is { epsilon = 3, delta = 1e-6 }",
                      "ε has no default: the owner decides");
  TRY(known_keys(there, *budget, {"epsilon", "delta", "accountant", "renewal_days"}));
  auto epsilon = TRY(number_at(there.in("epsilon"), *budget->get("epsilon"), Rounding::kDown));
  if (epsilon <= 0 || epsilon > 1'000'000)
    return there.in("epsilon").fail("accepted is a number above 0 and at most 1000000");
  policy.epsilon = epsilon;
  if (const auto* node = budget->get("delta")) {
    auto delta = TRY(number_at(there.in("delta"), *node, Rounding::kDown));
    if (delta < 0 || delta >= 1)
      return there.in("delta").fail("accepted is a number from 0 to below 1, such as 1e-6");
    policy.delta = delta;
  }
  if (const auto* node = budget->get("accountant")) {
    auto text = TRY(text_at(there.in("accountant"), *node));
    const std::vector<string> names = {"approx", "pure", "zcdp"};
    if (std::find(names.begin(), names.end(), text) == names.end())
      return there.in("accountant")
          .fail(fmt::format("unknown accountant '{}'", text), did_you_mean(text, names));
    policy.accountant = text;
  }
  if (const auto* node = budget->get("renewal_days")) {
    auto days = TRY(count_at(there.in("renewal_days"), *node));
    policy.renewal_seconds = days * 86'400;
  }
  if (const auto* node = head.get("left_out")) {
    auto share = TRY(number_at(at.in("left_out"), *node, Rounding::kDown));
    if (share < 0 || share > Rational(1, 2))
      return at.in("left_out")
          .fail("accepted is a share from 0 to 0.5, such as 0.05; 0 measures nothing");
    policy.left_out = share;
  }
  for (auto [key, place] : {std::pair{"max_epsilon_per_query", &policy.max_epsilon_per_query},
                            {"max_delta_per_query", &policy.max_delta_per_query}}) {
    const auto* node = head.get(key);
    if (!node) continue;
    auto cap = TRY(number_at(at.in(key), *node, Rounding::kDown));
    if (cap < 0) return at.in(key).fail("accepted is a number of at least 0");
    *place = cap;
  }
  return {};
}

}  // namespace

const TableRule* Policy::table(std::string_view wanted) const {
  for (const TableRule& table : tables)
    if (table.name.size() == wanted.size() &&
        strncasecmp(table.name.data(), wanted.data(), wanted.size()) == 0)
      return &table;
  return nullptr;
}

namespace {

// Fills the policy as far as it can be understood. What is wrong with one table keeps nobody from
// reading the next.
void read_into(Policy& policy, std::vector<Error>& problems) {
  const auto bad = [&](tl::unexpected<Error> error) {
    problems.push_back(std::move(error.value()));
  };
  const toml::parse_result parsed = toml::parse(policy.text);
  if (!parsed)
    return bad(discreet::fail(
        Code::kUsage,
        fmt::format("{}: line {}, column {}: {}", policy.path, parsed.error().source().begin.line,
                    parsed.error().source().begin.column, parsed.error().description())));
  const toml::table& root = parsed.table();
  const Place at{policy.path, ""};
  for (const auto& [key, node] : root) {
    const std::vector<string> names = {"policy", "tables"};
    if (key.str() != "policy" && key.str() != "tables")
      return bad(at.in(key.str()).fail("unknown section", did_you_mean(key.str(), names)));
  }
  const toml::table* head = root.get("policy") ? root.get("policy")->as_table() : nullptr;
  if (!head)
    return bad(
        at.in("policy").fail("there is no [policy] section", "it needs name, unit and budget"));
  if (auto ok = read_head(policy, *head); !ok) bad(forward_error(ok));
  // A server that was meant and isn't understood: its tables aren't files.
  const bool files = !head->get("dsn") && !head->get("url") &&
                     (!head->get("engine") || (*head)["engine"].value<string>() == "duckdb");
  if (policy.ledger.empty()) {
    policy.ledger =
        (std::filesystem::path(policy.directory) / std::filesystem::path(policy.path).stem())
            .string() +
        ".ledger";
  } else if (policy.ledger.find("://") == string::npos &&
             !std::filesystem::path(policy.ledger).is_absolute()) {
    policy.ledger = (std::filesystem::path(policy.directory) / policy.ledger).string();
  }
  const toml::table* tables = root.get("tables") ? root.get("tables")->as_table() : nullptr;
  if (!tables || tables->empty())
    return bad(
        at.in("tables").fail("there is no table", "write a section such as [tables.visits]"));
  for (const auto& [name, node] : *tables) {
    if (policy.table(name.str())) {
      bad(at.in("tables").in(name.str()).fail("two tables have this name"));
      continue;
    }
    auto table = table_at(at.in("tables").in(name.str()), string(name.str()), node, policy,
                          policy.server || files);
    if (!table) {
      bad(forward_error(table));
      continue;
    }
    // One without a place isn't there for anybody.
    if (policy.server || files) policy.tables.push_back(std::move(*table));
  }
  if (!problems.empty()) return;  // a link to what couldn't be read is no mistake of its own
  for (const TableRule& table : policy.tables)
    if (auto ok = check_links(policy, table); !ok) bad(forward_error(ok));
}

Result<string> bytes_of(const string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    return tl::unexpected<Error>(
        Error{Code::kFailure, fmt::format("the file '{}' can't be read", path), {}, {}, "policy"});
  return text.str();
}

string folder_of(const string& path) {
  return std::filesystem::absolute(path).parent_path().string();
}

}  // namespace

Policy read_with_problems(const string& path, std::vector<Error>& problems) {
  Policy policy;
  auto text = bytes_of(path);
  if (!text) {
    problems.push_back(std::move(text.error()));
    return policy;
  }
  policy.path = path;
  policy.directory = folder_of(path);
  policy.text = std::move(*text);
  read_into(policy, problems);
  return policy;
}

Result<Policy> Policy::read(const string& path) {
  auto text = TRY(bytes_of(path));
  return parse(std::move(text), path, folder_of(path));
}

Result<Policy> Policy::parse(string text, string path, string directory) {
  Policy policy;
  policy.path = std::move(path);
  policy.directory = std::move(directory);
  policy.text = std::move(text);
  std::vector<Error> problems;
  read_into(policy, problems);
  if (!problems.empty()) return tl::unexpected<Error>(std::move(problems.front()));
  return policy;
}

}  // namespace discreet::policy
