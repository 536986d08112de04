#include "discreet/service/first_policy.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/engine/duckdb/tables_of.h"
#include "discreet/plan/choose.h"
#include "discreet/policy/names.h"
#include "discreet/policy/server.h"
#include "discreet/policy/toml_text.h"
#include "discreet/service/survey.h"
#include "discreet/sql/canonical.h"

namespace discreet::service {

namespace fs = std::filesystem;
using std::string;

namespace {

// A source as it was given, taken apart.
struct Given {
  string file, table;      // the table in a DuckDB file; empty: a file of rows
  bool all = false;        // one of all tables of that file: what can't be read is left out
  string unreadable = {};  // known before it is looked at
};

constexpr std::string_view kDatabase = ".duckdb";

bool is_pattern(const string& path) { return path.find_first_of("*?[") != string::npos; }

Status is_there(const string& path) {
  std::error_code error;
  if (is_pattern(path) && !fs::exists(path, error)) return {};  // the policy's reader finds them
  if (fs::is_directory(path, error))
    return fail(Code::kUsage, fmt::format("{} is a folder", quote(path)),
                "name the files in it, or a pattern in quotes such as 'visits-*.csv'");
  if (!fs::is_regular_file(path, error))
    return fail(Code::kFailure, fmt::format("there is no file {}", quote(path)));
  return {};
}

Status is_known_kind(const string& path) {
  const string ending = policy::lower(fs::path(path).extension().string());
  for (const char* known : {".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"})
    if (ending == known) return {};
  return fail(Code::kUsage, fmt::format("{} is of no known kind", quote(path)),
              "accepted are .csv, .tsv, .parquet, .json, .jsonl, .ndjson, file.duckdb and "
              "file.duckdb#table");
}

// An address isn't shown, since it may hold a password; a file may have such a name.
Status is_no_server(const string& written) {
  std::error_code error;
  if (!policy::is_server_address(written) || fs::exists(written, error)) return {};
  const bool pattern_of_files = written.find("://") == string::npos && is_known_kind(written);
  if (pattern_of_files) return {};
  return fail(Code::kUsage, "an address of a server is given, and policy init looks at files only",
              "docs/engines.md shows how a server's policy is written");
}

Status take_apart(const string& written, std::vector<Given>& out) {
  TRY(is_no_server(written));
  if (const auto hash = written.rfind(string(kDatabase) + "#"); hash != string::npos) {
    const string file = written.substr(0, hash + kDatabase.size());
    const string table = written.substr(hash + kDatabase.size() + 1);
    if (table.empty())
      return fail(Code::kUsage, fmt::format("{} names no table", quote(written)),
                  "accepted are file.duckdb#table and file.duckdb");
    TRY(is_there(file));
    out.push_back({file, table});
    return {};
  }
  TRY(is_there(written));
  if (!written.ends_with(kDatabase)) {
    TRY(is_known_kind(written));
    out.push_back({written, ""});
    return {};
  }
  const auto tables = TRY(engine::duckdb::tables_of(written));
  if (tables.empty())
    return fail(Code::kFailure, fmt::format("the database {} has no tables", quote(written)));
  for (const engine::duckdb::StoredTable& table : tables)
    out.push_back({written, table.name, true,
                   table.is_view ? "it is a view; CREATE TABLE … AS FROM … makes it a table" : ""});
  return {};
}

// A file's name without its ending, a pattern's without what varies.
string name_of(const Given& given) {
  if (!given.table.empty()) return policy::table_name(given.table);
  string stem = fs::path(given.file).stem().string();
  if (is_pattern(given.file)) {
    stem.resize(stem.find_first_of("*?[") == string::npos ? stem.size()
                                                          : stem.find_first_of("*?["));
    while (!stem.empty() && (stem.back() == '-' || stem.back() == '_' || stem.back() == '.'))
      stem.pop_back();
  }
  return policy::table_name(stem);
}

// Another table of the same name gets its file's name before it, then a number.
string free_name(const Given& given, const std::set<string>& taken) {
  const string name = name_of(given);
  const string longer = given.table.empty()
                            ? name
                            : policy::table_name(fs::path(given.file).stem().string()) + "_" + name;
  for (const string& one : {name, longer})
    if (!taken.contains(policy::lower(one))) return one;
  for (int i = 2;; ++i)
    if (string one = fmt::format("{}_{}", longer, i); !taken.contains(policy::lower(one)))
      return one;
}

string written_from(const Given& given, const string& folder) {
  // Folders without links, so that .. leads back; the file's own name stays, for it may be a link.
  std::error_code ignored;
  const fs::path path = fs::absolute(given.file);
  const string file = (fs::weakly_canonical(path.parent_path(), ignored) / path.filename())
                          .lexically_proximate(fs::weakly_canonical(folder, ignored))
                          .string();
  return given.table.empty() ? file : file + "#" + given.table;
}

bool is_json(const policy::TableRule& rule) {
  const auto* files = std::get_if<policy::Files>(&rule.from);
  return files && (files->form == policy::Form::kLines || files->form == policy::Form::kArray);
}

policy::DraftColumn drafted(const policy::StoredColumn& column) {
  policy::DraftColumn out{column.name};
  if (!column.as_text) out.type = column.type;
  if (!column.unreadable.empty())
    out.unreadable = fmt::format("{} ({})", column.unreadable, column.hint);
  return out;
}

// Every table as if it were public: what there is to be seen of it is the same, and nobody's rows
// are.
string probing(const policy::DraftTable& table) {
  return fmt::format(
      "[policy]\nname = \"x\"\nunit = \"x\"\nbudget = {{ epsilon = 1 }}\n[tables.{}]\nsource = "
      "{}\npublic = true\n",
      policy::toml_key(table.name), policy::toml_text(table.source));
}

Status look_at(policy::DraftTable& table, bool may_fail, const string& folder) {
  const auto policy = TRY(policy::Policy::parse(probing(table), "policy init", folder));
  table.has_header = !is_json(policy.tables.front());
  auto found = columns_of(policy, 0);
  if (!found && may_fail) {
    table.unreadable = found.error().text();
    return {};
  }
  if (!found) return forward_error(found);
  if (table.has_header)
    for (const policy::StoredColumn& column : *found) table.columns.push_back(drafted(column));
  return {};
}

}  // namespace

Result<policy::Measures> measure(Service& service, const policy::Draft& draft,
                                 const Rational& epsilon, const Asking& asking,
                                 random::Source& source) {
  policy::Measures out;
  std::vector<const policy::DraftTable*> tables;
  for (const policy::DraftTable& table : draft.tables)
    if (table.is_in()) tables.push_back(&table);
  for (const policy::DraftTable* table : tables) {
    // The range of a median is all that shows of its values.
    string query = "SELECT COUNT(*)";
    std::vector<string> columns;
    for (const policy::DraftColumn& column : table->columns) {
      const bool ordered =
          column.type && (policy::is_number(*column.type) || policy::is_time(*column.type));
      if (!ordered || !column.unreadable.empty() || policy::same_name(column.name, draft.key))
        continue;
      if (table->link && policy::same_name(column.name, table->link->column)) continue;
      columns.push_back(column.name);
      query += fmt::format(", MEDIAN({})", sql::quoted_name(column.name));
    }
    query += fmt::format(" FROM {}", sql::quoted_name(table->name));
    sql::Options options;
    options.epsilon = epsilon / static_cast<long>(tables.size());
    options.measure_bounds = true;
    const auto plan = TRY(service.plan(query, options));
    Asking mine = asking;
    mine.asked = query;
    const Profiled profiled = TRY(service.profile(plan, mine, source));
    const plan::PlanPart& part = profiled.plan.parts.at(0);
    policy::Measured& measured = out[table->name];
    measured.how = fmt::format("measured privately with ε {}", to_decimal(*options.epsilon));
    if (part.fitting)
      for (const plan::Outlook& one : part.fitting->others)
        if (!measured.max_rows && one.left_out < 0.01 && one.bounds.total)
          measured.max_rows = *one.bounds.total;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t place = i + 1;  // after COUNT(*)
      const bool seen = place >= part.unseen.size() || !part.unseen[place];
      if (seen && part.select.aggregates.at(place).bounds)
        measured.ranges[columns[i]] = *part.select.aggregates[place].bounds;
    }
  }
  return out;
}

std::vector<string> bound_warnings(Service& service, const string& analyst) {
  std::vector<string> out;
  for (const policy::TableRule& table : service.policy().tables) {
    const auto& bound = table.max_rows ? table.max_rows : table.max_rows_per_group;
    if (table.is_public || !bound) continue;
    sql::Options options;
    options.epsilon = 1;
    options.measure_bounds = true;
    auto plan =
        service.plan(fmt::format("SELECT COUNT(*) FROM {}", sql::quoted_name(table.name)), options);
    if (!plan) continue;
    const auto known = service.with_profile(std::move(*plan), analyst);
    if (!known || known->parts.empty() || !known->parts[0].fitting) continue;
    double left_out = 0;  // of the largest bound in the profile that isn't above it
    for (const plan::Outlook& one : known->parts[0].fitting->others)
      if (one.bounds.total && *one.bounds.total <= *bound) left_out = one.left_out;
    if (left_out > 0.5)
      out.push_back(fmt::format("{}: {} = {} leaves out about {:.0f} % of rows, by a profile",
                                table.name, table.max_rows ? "max_rows" : "max_rows_per_group",
                                *bound, 100 * left_out));
  }
  return out;
}

Result<Begun> begin_policy(const Beginning& beginning) {
  if (beginning.key.empty())
    return bad_parameter("key", "found nothing; accepted is a column's name, such as patient_id");
  std::vector<Given> given;
  for (const string& source : beginning.sources) TRY(take_apart(source, given));
  const string folder =
      (beginning.folder.empty() ? fs::current_path() : fs::absolute(beginning.folder))
          .lexically_normal()
          .string();
  Begun out;
  policy::Draft& draft = out.draft;
  draft.key = beginning.key;
  draft.unit = beginning.unit.empty() ? policy::unit_of(beginning.key) : beginning.unit;
  draft.name =
      beginning.name.empty() ? fs::path(given.front().file).stem().string() : beginning.name;
  draft.epsilon = beginning.epsilon;
  draft.delta = beginning.delta;
  std::set<string> taken, sources;
  for (const Given& one : given) {
    policy::DraftTable table;
    table.source = written_from(one, folder);
    if (!sources.insert(table.source).second)
      return fail(Code::kUsage, fmt::format("{} is given twice", quote(table.source)));
    table.name = free_name(one, taken);
    taken.insert(policy::lower(table.name));
    table.unreadable = one.unreadable;
    if (table.unreadable.empty()) TRY(look_at(table, one.all, folder));
    draft.tables.push_back(std::move(table));
  }
  TRY(policy::connect(draft));
  out.text = policy::write(draft, {});
  // What can't be opened again isn't handed out.
  const auto policy = TRY(policy::Policy::parse(out.text, "the new policy", folder));
  TRY(catalog_of(policy));
  return out;
}

}  // namespace discreet::service
