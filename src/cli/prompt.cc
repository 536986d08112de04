#include "discreet/cli/prompt.h"

#include <fmt/format.h>
#include <histedit.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

namespace discreet::cli {
namespace {

constexpr const char* kHelp =
    "A statement ends in a semicolon. Nothing is answered without an ε: --epsilon on the command "
    "line, .epsilon here, or OPTIONS(epsilon=…).\n"
    "  .tables             the policy's tables and their columns\n"
    "  .epsilon 0.5        ε of the next queries        .delta 1e-6   their δ\n"
    "  .help               this\n"
    "  .quit               leave\n";

const std::set<std::string>* words = nullptr;

// Completes the word at the cursor with SQL's words and the policy's names.
unsigned char complete(EditLine* editor, int) {
  const LineInfo* line = el_line(editor);
  const char* begin = line->cursor;
  while (begin > line->buffer && (std::isalnum(static_cast<unsigned char>(begin[-1])) ||
                                  begin[-1] == '_' || begin[-1] == '.'))
    --begin;
  const std::string typed(begin, static_cast<std::size_t>(line->cursor - begin));
  if (typed.empty()) return CC_ERROR;
  std::vector<std::string> found;
  for (const std::string& word : *words)
    if (word.size() > typed.size() && strncasecmp(word.c_str(), typed.c_str(), typed.size()) == 0)
      found.push_back(word);
  if (found.empty()) return CC_ERROR;
  std::string common = found[0];
  for (const std::string& word : found) {
    std::size_t same = 0;
    while (same < common.size() && same < word.size() &&
           std::tolower(static_cast<unsigned char>(common[same])) ==
               std::tolower(static_cast<unsigned char>(word[same])))
      ++same;
    common.resize(same);
  }
  if (common.size() == typed.size()) {
    std::string list = "\n";
    for (const std::string& word : found) list += word + "  ";
    std::fputs((list + "\n").c_str(), stderr);
    return CC_REDISPLAY;
  }
  el_insertstr(editor, common.substr(typed.size()).c_str());
  return CC_REFRESH;
}

char* prompt_text(EditLine* editor) {
  static char fresh[] = "discreet> ", more[] = "     ...> ";
  void* pending = nullptr;
  el_get(editor, EL_CLIENTDATA, &pending);
  return static_cast<std::string*>(pending)->empty() ? fresh : more;
}

}  // namespace

Status prompt(service::Session& session, QueryOptions& options,
              const std::function<Status(const std::string& text)>& answer) {
  std::set<std::string> known = {"SELECT",   "FROM",      "WHERE",         "GROUP BY",  "HAVING",
                                 "ORDER BY", "LIMIT",     "COUNT(",        "SUM(",      "AVG(",
                                 "MEDIAN(",  "QUANTILE(", "MIN(",          "MAX(",      "STDDEV(",
                                 "DISTINCT", "JOIN",      "FILTER (WHERE", "CASE WHEN", ".help",
                                 ".tables",  ".epsilon",  ".delta",        ".quit"};
  for (const sql::Table& table : session.catalog().tables) {
    known.insert(table.rule.name);
    for (const sql::Column& column : table.columns) known.insert(column.name);
  }
  words = &known;
  std::string pending;
  EditLine* editor = el_init("discreet", stdin, stdout, stderr);
  History* past = history_init();
  HistEvent event;
  history(past, &event, H_SETSIZE, 1000);
  el_set(editor, EL_CLIENTDATA, &pending);
  el_set(editor, EL_PROMPT, prompt_text);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_HIST, history, past);
  el_set(editor, EL_ADDFN, "complete", "complete a name", complete);
  el_set(editor, EL_BIND, "^I", "complete", nullptr);
  const char* home = std::getenv("HOME");
  const std::string remembered =
      home ? (std::filesystem::path(home) / ".discreet_history").string() : "";
  if (!remembered.empty()) history(past, &event, H_LOAD, remembered.c_str());
  fmt::print("Protects each {}. .help says how to ask.\n", session.catalog().unit);
  int length = 0;
  while (const char* line = el_gets(editor, &length)) {
    std::string text(line, static_cast<std::size_t>(length));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    if (text.empty()) continue;
    history(past, &event, H_ENTER, text.c_str());
    if (pending.empty() && text[0] == '.') {
      if (text == ".quit" || text == ".exit") break;
      if (text == ".help") {
        std::fputs(kHelp, stdout);
      } else if (text == ".tables") {
        for (const sql::Table& table : session.catalog().tables) {
          fmt::print("{}:", table.rule.name);
          for (const sql::Column& column : table.columns)
            if (!column.hidden) fmt::print(" {}", column.name);
          fmt::print("\n");
        }
      } else if (text.starts_with(".epsilon ")) {
        options.epsilon = text.substr(9);
      } else if (text.starts_with(".delta ")) {
        options.delta = text.substr(7);
      } else {
        fmt::print(stderr, "unknown command '{}' (see .help)\n", text);
      }
      continue;
    }
    pending += text + "\n";
    if (text.back() != ';') continue;
    const std::string statement = std::exchange(pending, "");
    if (const Status done = answer(statement); !done)
      fmt::print(stderr, "{}\n", done.error().text());
  }
  if (!remembered.empty()) history(past, &event, H_SAVE, remembered.c_str());
  history_end(past);
  el_end(editor);
  return {};
}

}  // namespace discreet::cli
