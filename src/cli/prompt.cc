#include "discreet/cli/prompt.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/line_editor.h"
#include "discreet/plan/aggregates.h"
#include "discreet/present/table.h"
#include "discreet/sql/clause.h"

namespace discreet::cli {
namespace {

using std::string;

constexpr const char* kHelp =
    "A statement ends in a semicolon and may take several lines. Tab completes, Ctrl-C gives up a "
    "line or a running query, Ctrl-D leaves.\n"
    "  .tables             the policy's tables\n"
    "  .columns TABLE      a table's columns, their types and what is declared of them\n"
    "  .epsilon 0.5        ε of each query from now on; no default (or OPTIONS(epsilon=0.5) in "
    "the query)\n"
    "  .delta 1e-6         δ, where groups are chosen privately\n"
    "  .max-groups 3       groups a unit may count in      .max-rows 5    rows in each\n"
    "  .min-units 10       never show smaller groups       .confidence 0.9\n"
    "                      each alone shows its value; followed by - it is unset\n"
    "  .help               this\n"
    "  .quit               leave\n";

constexpr const char* kWords[] = {"SELECT",
                                  "FROM",
                                  "WHERE",
                                  "GROUP BY",
                                  "HAVING",
                                  "ORDER BY",
                                  "LIMIT",
                                  "DISTINCT",
                                  "JOIN",
                                  "LEFT JOIN",
                                  "USING (",
                                  "ON",
                                  "AS",
                                  "AND",
                                  "OR",
                                  "NOT",
                                  "IN (",
                                  "BETWEEN",
                                  "LIKE",
                                  "IS NULL",
                                  "CASE WHEN",
                                  "THEN",
                                  "ELSE",
                                  "END",
                                  "UNION ALL",
                                  "WITH",
                                  "DESC",
                                  "FILTER (WHERE",
                                  "WITH DIFFERENTIAL_PRIVACY OPTIONS(",
                                  "LEAST(",
                                  "GREATEST("};

// The options that can be changed on the way; --epsilon is .epsilon here.
struct Setting {
  const char* name;
  string QueryOptions::*value;
};
constexpr Setting kSettings[] = {
    {"epsilon", &QueryOptions::epsilon},          {"delta", &QueryOptions::delta},
    {"max-groups", &QueryOptions::max_groups},    {"max-rows", &QueryOptions::max_rows},
    {"max-rows-total", &QueryOptions::max_total}, {"bounds", &QueryOptions::bounds},
    {"min-units", &QueryOptions::min_units},      {"confidence", &QueryOptions::confidence}};

std::vector<string> commands() {
  std::vector<string> out = {".help", ".tables", ".columns", ".quit"};
  for (const Setting& setting : kSettings) out.push_back(string(".") + setting.name);
  return out;
}

std::vector<string> words_of(const policy::Catalog& catalog) {
  std::vector<string> out = commands();
  out.insert(out.end(), std::begin(kWords), std::end(kWords));
  for (const string& name : plan::aggregate_names()) out.push_back(name + "(");
  for (const policy::Table& table : catalog.tables) {
    out.push_back(table.rule.name);
    for (const policy::Column& column : table.columns)
      if (!column.hidden) out.push_back(column.name);
  }
  return out;
}

void show(const Error& error) {
  (void)std::fflush(stdout);
  fmt::print(stderr, "{}\n", error.text(Notation::kPrompt));
}

string protection_of(const policy::TableRule& rule, const string& unit) {
  if (rule.is_public) return "public";
  if (rule.link) return fmt::format("{} by way of {}", unit, rule.link->table);
  return fmt::format("{} ({})", unit, rule.key);
}

string tables_text(const policy::Catalog& catalog) {
  present::Table out({{"table"}, {"protects"}, {"columns", present::Align::kRight}});
  for (const policy::Table& table : catalog.tables) {
    std::size_t seen = 0;
    for (const policy::Column& column : table.columns) seen += !column.hidden;
    out.add({table.rule.name, protection_of(table.rule, catalog.unit), std::to_string(seen)});
  }
  return out.text();
}

string bound_text(const Rational& value, policy::Type type) {
  const double number = to_double(value);
  if (type == policy::Type::kDate) return policy::show_date(static_cast<std::int64_t>(number));
  if (type == policy::Type::kTimestamp)
    return policy::show_timestamp(static_cast<std::int64_t>(number * 1e6));
  return fmt::format("{:.15g}", number);
}

string declared_of(const policy::Column& column) {
  if (column.is_key) return "the unit: never shown";
  if (column.domain) {
    string out = "one of";
    for (std::size_t i = 0; i < column.domain->size(); ++i) {
      if (i == 8) return out + fmt::format(", and {} more", column.domain->size() - i);
      out += (i ? ", " : " ") + (*column.domain)[i].show();
    }
    return out;
  }
  if (column.range)
    return fmt::format("{} to {}", bound_text(column.range->low, column.type),
                       bound_text(column.range->high, column.type));
  return "";
}

Result<string> columns_text(const policy::Catalog& catalog, const string& name) {
  const policy::Table* table = catalog.table(name);
  if (table == nullptr) {
    std::vector<string> names;
    for (const policy::Table& one : catalog.tables) names.push_back(one.rule.name);
    string hint = did_you_mean(name, names);
    return fail(
        Code::kUsage,
        name.empty() ? ".columns needs a table" : fmt::format("there is no table {}", quote(name)),
        hint.empty() ? ".tables lists them" : hint);
  }
  present::Table out({{"column"}, {"type"}, {"declared"}});
  for (const policy::Column& column : table->columns)
    if (!column.hidden) out.add({column.name, string(name_of(column.type)), declared_of(column)});
  return out.text();
}

// Sets, unsets or shows; a value that can't be is refused here, not at the next query.
Result<string> change(QueryOptions& options, const Setting& setting, const string& value) {
  const auto state = [&] {
    const string& now = options.*setting.value;
    return fmt::format("{} = {}\n", setting.name, now.empty() ? "not set" : now);
  };
  if (value.empty()) return state();
  const string unset = string(setting.name) == "confidence" ? "0.95" : "";
  const string before = std::exchange(options.*setting.value, value == "-" ? unset : value);
  Status fine;
  if (auto flags = options.flags(); !flags) fine = forward_error(flags);
  if (auto confidence = options.read_confidence(); !confidence) fine = forward_error(confidence);
  if (fine) return state();
  options.*setting.value = before;
  return forward_error(fine);
}

Result<string> command(const policy::Catalog& catalog, QueryOptions& options, const string& line) {
  const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
  const string name = line.substr(0, space);
  string rest = line.substr(std::min(line.find_first_not_of(" \t", space), line.size()));
  while (!rest.empty() && (rest.back() == ';' || rest.back() == ' ')) rest.pop_back();
  if (name == ".help") return string(kHelp);
  if (name == ".tables") return tables_text(catalog);
  if (name == ".columns") return columns_text(catalog, rest);
  for (const Setting& setting : kSettings)
    if (name == string(".") + setting.name) return change(options, setting, rest);
  const string hint = did_you_mean(name, commands());
  return fail(Code::kUsage, fmt::format("there is no command {}", quote(name)),
              hint.empty() ? "see .help" : hint);
}

// One line for the history, unless a comment or a quoted text needs its line breaks.
string recalled(string statement) {
  if (statement.find("--") != string::npos) return statement;
  char quoted = 0;
  for (char& c : statement) {
    if (c == '\n' && quoted == 0) c = ' ';
    if (c == quoted) {
      quoted = 0;
    } else if (quoted == 0 && (c == '\'' || c == '"')) {
      quoted = c;
    }
  }
  return statement;
}

}  // namespace

Status prompt(const service::Service& service, QueryOptions& options,
              const std::function<Status(const string& text)>& answer) {
  const policy::Catalog& catalog = service.catalog();
  LineEditor editor(words_of(catalog), history_file());
  fmt::print(stderr, "{} protects each {}. ε of each query: {}. .help says how to ask.\n",
             service.policy().name, catalog.unit,
             options.epsilon.empty() ? "not set (.epsilon 0.5 sets it)" : options.epsilon);
  string pending;
  while (true) {
    if (Interrupt::ended()) return fail(Code::kInterrupted, "interrupted");
    LineEditor::Line line = editor.read(pending.empty() ? "discreet> " : "     ...> ");
    if (Interrupt::ended()) return fail(Code::kInterrupted, "interrupted");
    if (line.kind == LineEditor::Kind::kEnd) return {};
    if (line.kind == LineEditor::Kind::kCancelled) {
      pending.clear();
      continue;
    }
    if (line.text.empty() && pending.empty()) continue;
    if (pending.empty() && line.text[0] == '.') {
      if (line.text == ".quit" || line.text == ".exit") return {};
      editor.remember(line.text);
      auto said = command(catalog, options, line.text);
      if (said) (void)std::fputs(said->c_str(), stdout);
      if (!said) show(said.error());
      continue;
    }
    pending += line.text + "\n";
    for (std::size_t end; (end = sql::statement_end(pending)) != string::npos;) {
      const std::size_t begin = pending.find_first_not_of(" \t\n");
      const string statement = pending.substr(begin, end - begin);
      pending.erase(0, end);
      const bool more = sql::has_words(pending);
      if (!more) pending.clear();
      if (!sql::has_words(statement)) continue;
      editor.remember(recalled(statement));
      Interrupt::flag() = Interrupt::ended();  // a Ctrl-C before this was for something else
      if (const Status done = answer(statement); !done) {
        show(done.error());
        pending.clear();  // what followed was meant to follow an answer
      }
    }
    // Nothing but a comment or spaces is no statement.
    if (!sql::has_words(pending) && pending.find("/*") == string::npos) pending.clear();
    while (!pending.empty() && pending.front() == '\n') pending.erase(0, 1);
  }
}

}  // namespace discreet::cli
