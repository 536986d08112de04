#include "discreet/cli/prompt_commands.h"

#include <fmt/format.h>

#include <utility>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/picture.h"
#include "discreet/policy/names.h"
#include "discreet/render/balance.h"
#include "discreet/render/policy.h"
#include "discreet/render/reply.h"

namespace discreet::cli {
namespace {

using std::string;

using Said = Result<string>;

Said help(Session&, const PromptCommand&, const string&) {
  string out =
      "A statement ends in a semicolon and may take several lines. Tab completes, Ctrl-C gives up "
      "a line or a running query, Ctrl-D leaves.\n"
      "SHOW TABLES, DESCRIBE table, EXPLAIN SELECT …, help and quit are understood too.\n";
  for (const PromptCommand& command : prompt_commands())
    out += fmt::format("  {:<19} {}\n",
                       command.name + (*command.takes == '\0' ? "" : string(" ") + command.takes),
                       command.help);
  return out + "A setting alone shows its value; followed by - it is unset.\n";
}

Said tables(Session& session, const PromptCommand&, const string&) {
  return render::tables(session.service.catalog());
}

Said columns(Session& session, const PromptCommand&, const string& name) {
  const policy::Catalog& catalog = session.service.catalog();
  if (const policy::Table* table = catalog.table(name)) return render::columns(*table);
  std::vector<string> names;
  for (const policy::Table& one : catalog.tables) names.push_back(one.rule.name);
  const string hint = did_you_mean(name, names);
  return fail(
      Code::kUsage,
      name.empty() ? ".columns needs a table" : fmt::format("there is no table {}", quote(name)),
      hint.empty() ? ".tables lists them" : hint);
}

Result<render::Looking> looking(Session& session) {
  const string analyst = session.options.query.who();
  return render::Looking{analyst, TRY(session.service.left_for(analyst))};
}

Said budget(Session& session, const PromptCommand&, const string&) {
  const auto balances = TRY(session.service.balances());
  return render::table(balances, TRY(looking(session)));
}

Said explain(Session& session, const PromptCommand& self, const string& query) {
  if (query.empty())
    return fail(Code::kUsage, fmt::format("{} needs a SELECT statement", self.name));
  const QueryOptions& options = session.options.query;
  const auto flags = TRY(options.flags());
  const auto confidence = TRY(options.read_confidence());
  auto plan = TRY(session.service.plan(query, flags));
  const auto explanation =
      TRY(session.service.explain(std::move(plan), options.who(), {100, 1000}, confidence));
  return render::words(explanation, session.service.catalog().unit);
}

Said profile(Session& session, const PromptCommand& self, const string& query) {
  if (query.empty())
    return fail(Code::kUsage, fmt::format("{} needs a SELECT statement", self.name));
  const QueryOptions& options = session.options.query;
  auto plan = TRY(session.service.plan(query, TRY(options.flags())));
  service::Asking asking;
  asking.analyst = options.who();
  asking.asked = query;
  const auto profiled = TRY(session.service.profile(plan, asking));
  return render::words(profiled, session.service.catalog().unit);
}

string parameter_of(const PromptCommand& self) { return self.name + 1; }

// Sets, unsets or shows; a value that can't be is refused here, not at the next query.
template <string QueryOptions::*value>
Said setting(Session& session, const PromptCommand& self, const string& text) {
  QueryOptions& options = session.options.query;
  const auto state = [&] {
    const string& now = options.*value;
    return fmt::format("{} = {}\n", parameter_of(self), now.empty() ? "not set" : now);
  };
  if (text.empty()) return state();
  const string before = std::exchange(options.*value, text == "-" ? QueryOptions{}.*value : text);
  Status fine;
  if (auto flags = options.flags(); !flags) fine = forward_error(flags);
  if (auto confidence = options.read_confidence(); !confidence) fine = forward_error(confidence);
  if (fine) return state();
  options.*value = before;
  return forward_error(fine);
}

template <bool SqlOptions::*value>
Said toggle(Session& session, const PromptCommand& self, const string& text) {
  if (text == "on" || text == "off") {
    session.options.*value = text == "on";
  } else if (!text.empty() && text != "-") {
    return bad_parameter(parameter_of(self),
                         fmt::format("found {}; accepted is on or off", quote(text)));
  } else if (text == "-") {
    session.options.*value = false;
  }
  return fmt::format("{} = {}\n", parameter_of(self), session.options.*value ? "on" : "off");
}

Said format(Session& session, const PromptCommand& self, const string& text) {
  SqlOptions changed = session.options;
  if (!text.empty()) {
    changed.format = text == "-" ? SqlOptions{}.format : text;
    changed.json = false;
    TRY(changed.check_format());
    session.options = changed;
  }
  return fmt::format("{} = {}\n", parameter_of(self),
                     session.options.json ? "json" : session.options.format);
}

Said plot(Session& session, const PromptCommand& self, const string& text) {
  if (!text.empty() && text != "-") {
    TRY(is_picture_name(text));
    TRY(can_write(parameter_of(self), text));
  }
  if (!text.empty()) session.options.plot = text == "-" ? "" : text;
  const string& now = session.options.plot;
  return fmt::format("{} = {}\n", parameter_of(self), now.empty() ? "not set" : printable(now));
}

// .quit never gets here.
Said quit(Session&, const PromptCommand&, const string&) { return string(); }

constexpr PromptCommand kCommands[] = {
    {".tables", "", "the policy's tables (SHOW TABLES)", tables},
    {".columns", "TABLE", "its columns, their types and what is declared of them (DESCRIBE TABLE)",
     columns},
    {".budget", "", "what is left", budget},
    {".explain", "SELECT …", "what it would cost and how accurate it would be; spends nothing",
     explain},
    {".profile", "SELECT …", "which bounds would suit it (not available yet)", profile},
    {".epsilon", "0.5", "ε of each query from now on; no default (or OPTIONS(epsilon=0.5) in it)",
     setting<&QueryOptions::epsilon>},
    {".delta", "1e-6", "δ, where groups are chosen privately", setting<&QueryOptions::delta>},
    {".max-groups", "3", "groups a unit may count in", setting<&QueryOptions::max_groups>},
    {".max-rows", "5", "rows a unit may have in each", setting<&QueryOptions::max_rows>},
    {".max-rows-total", "20", "rows a unit may have in all groups together",
     setting<&QueryOptions::max_total>},
    {".bounds", "auto", "auto: measure them, also where some are declared; declared: measure none",
     setting<&QueryOptions::bounds>},
    {".min-units", "10", "never show smaller groups", setting<&QueryOptions::min_units>},
    {".confidence", "0.9", "of the intervals", setting<&QueryOptions::confidence>},
    {".reuse", "on|off", "answer from the ledger what was asked before; nothing is spent",
     toggle<&SqlOptions::reuse>},
    {".or-ask", "on|off", "with .reuse on: ask, and spend, where no answer is recorded",
     toggle<&SqlOptions::or_ask>},
    {".stale", "on|off", "with .reuse on: also where the data or the policy has changed since",
     toggle<&SqlOptions::stale>},
    {".format", "csv", "of answers: table, csv, json, jsonlines or markdown", format},
    {".plot", "FILE.svg", "draw each answer from now on", plot},
    {".help", "", "this", help},
    {".quit", "", "leave", quit},
};

// What stands between blanks, in front of `text`, which loses it.
string take_word(string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
  string word = text.substr(begin, end - begin);
  text.erase(0, std::min(text.find_first_not_of(" \t\n", end), text.size()));
  return word;
}

string without_semicolon(string text) {
  while (!text.empty() && string(" \t\n;").find(text.back()) != string::npos) text.pop_back();
  return text;
}

// "visits" as a name in SQL has it.
string unquoted(string name) {
  if (name.size() > 1 && name.front() == '"' && name.back() == '"')
    name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace

std::span<const PromptCommand> prompt_commands() { return kCommands; }

Result<string> run_command(Session& session, const string& line) {
  string rest = without_semicolon(line);
  const string name = take_word(rest);
  std::vector<string> names;
  for (const PromptCommand& command : kCommands) {
    if (name == command.name) return command.run(session, command, rest);
    names.emplace_back(command.name);
  }
  const string hint = nearest(name, names).empty() ? "see .help" : did_you_mean(name, names);
  return fail(Code::kUsage, fmt::format("there is no command {}", quote(name)), hint);
}

bool is_quitting(const string& line) {
  const string name = without_semicolon(line);
  return name == ".quit" || name == ".exit";
}

std::optional<string> as_command(const string& statement) {
  string rest = without_semicolon(statement);
  const string verb = policy::lower(take_word(rest));
  if (verb == "explain" && !rest.empty()) return ".explain " + rest;
  string more = rest;
  const string object = take_word(more);
  if (!more.empty()) return std::nullopt;
  if ((verb == "help" || verb == "quit" || verb == "exit") && object.empty()) return "." + verb;
  const bool describes = verb == "describe" || verb == "desc";
  if (describes && object.empty()) return ".tables";
  if (verb == "show" && (policy::same_name(object, "tables"))) return ".tables";
  if ((describes || verb == "show") && !object.empty()) return ".columns " + unquoted(object);
  return std::nullopt;
}

std::optional<string> as_whole_command(const string& line) {
  auto command = as_command(line);
  if (command && command->starts_with(".explain")) return std::nullopt;
  return command;
}

Result<string> balance_line(Session& session) {
  const auto balances = TRY(session.service.balances());
  return render::balance_line(balances, TRY(looking(session)));
}

}  // namespace discreet::cli
