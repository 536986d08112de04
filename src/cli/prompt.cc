#include "discreet/cli/prompt.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "discreet/cli/interrupt.h"
#include "discreet/cli/line_editor.h"
#include "discreet/plan/aggregates.h"
#include "discreet/sql/clause.h"

namespace discreet::cli {
namespace {

using std::string;

constexpr const char* kWords[] = {"SHOW TABLES",
                                  "DESCRIBE",
                                  "EXPLAIN",
                                  "SELECT",
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

std::vector<string> words_of(const policy::Catalog& catalog) {
  std::vector<string> out;
  for (const PromptCommand& command : prompt_commands()) out.emplace_back(command.name);
  out.insert(out.end(), std::begin(kWords), std::end(kWords));
  for (const string& name : plan::aggregate_names()) out.push_back(name + "(");
  for (const policy::Table& table : catalog.tables) {
    out.push_back(table.rule.name);
    for (const policy::Column& column : table.columns)
      if (!column.hidden) out.push_back(column.name);
  }
  return out;
}

// A flag of the command line is a switch here: --reuse is .reuse on.
Error switched(Error error) {
  Phrase hint;
  for (Phrase::Piece piece : error.hint.pieces()) {
    if (piece.kind == Phrase::Piece::Kind::kAdvice && piece.value.empty()) piece.value = "on";
    hint += Phrase(piece);
  }
  error.hint = std::move(hint);
  return error;
}

void show(const Error& error) {
  (void)std::fflush(stdout);
  fmt::print(stderr, "{}\n", switched(error).text(Notation::kPrompt));
}

void show(const Result<string>& said) {
  if (!said) return show(said.error());
  (void)std::fputs(said->c_str(), stdout);
  (void)std::fflush(stdout);
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

Status prompt(Session session, const std::function<Status(const string& text)>& answer) {
  const policy::Catalog& catalog = session.service.catalog();
  const string& epsilon = session.options.query.epsilon;
  LineEditor editor(words_of(catalog), history_file());
  fmt::print(stderr, "{} protects each {}. ε of each query: {}. .help says how to ask.\n",
             session.service.policy().name, catalog.unit,
             epsilon.empty() ? "not set (.epsilon 0.5 sets it)" : epsilon);
  // A ledger that can't be read is no reason to refuse names and help.
  const auto show_balance = [&] {
    if (const auto line = balance_line(session); line) {
      (void)std::fflush(stdout);
      fmt::print(stderr, "{}", *line);
    } else {
      show(line.error());
    }
  };
  show_balance();
  // False: answer no more.
  const auto obey = [&](const string& statement) {
    Interrupt::flag() = Interrupt::ended();  // a Ctrl-C before this was for something else
    if (const auto command = as_command(statement)) {
      const auto said = run_command(session, *command);
      show(said);
      return said.has_value();
    }
    const Status done = answer(statement);
    if (!done) show(done.error());
    // A table says what is left below itself.
    if (done && (session.options.json || session.options.format != "table")) show_balance();
    return done.has_value();
  };
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
    if (pending.empty()) {
      const string command =
          line.text[0] == '.' ? line.text : as_whole_command(line.text).value_or("");
      if (is_quitting(command)) return {};
      if (!command.empty()) {
        editor.remember(line.text);
        show(run_command(session, command));
        continue;
      }
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
      if (is_quitting(as_command(statement).value_or(""))) return {};
      if (!obey(statement)) pending.clear();  // what followed was meant to follow an answer
    }
    // Nothing but a comment or spaces is no statement.
    if (!sql::has_words(pending) && pending.find("/*") == string::npos) pending.clear();
    while (!pending.empty() && pending.front() == '\n') pending.erase(0, 1);
  }
}

}  // namespace discreet::cli
