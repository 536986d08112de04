#include "discreet/cli/hint.h"

#include <algorithm>

#include "discreet/base/quote.h"
#include "discreet/cli/parsed.h"
#include "discreet/cli/shell.h"
#include "discreet/policy/names.h"

namespace discreet::cli {

using std::string;
using Kind = Phrase::Piece::Kind;

namespace {

// A command that is shown must be the one that is run: what a terminal would obey instead of show
// can't be in it.
bool can_be_shown(string command) {
  std::replace(command.begin(), command.end(), '\n', ' ');
  return printable(command, true) == command;
}

string given_to(const CLI::App& verb, const char* option) {
  const CLI::Option* found = verb.get_option_no_throw(option);
  return found != nullptr && found->count() > 0 ? found->as<string>() : "";
}

}  // namespace

Error with_whole_commands(Error error, const CLI::App& verb) {
  const string policy = given_to(verb, "--policy");
  if (policy.empty() || !can_be_shown(policy)) return error;
  Phrase hint;
  for (Phrase::Piece piece : error.hint.pieces()) {
    const std::size_t verb_at = string("budget ").size();
    if (piece.kind == Kind::kCommand && piece.words.starts_with("budget ") &&
        piece.words.find("--policy") == string::npos)
      piece.words.insert(std::min(piece.words.find(' ', verb_at), piece.words.size()),
                         " --policy " + shell_word(policy));
    hint += Phrase(piece);
  }
  error.hint = std::move(hint);
  return error;
}

string advised_command(const Error& error, const CLI::App& verb) {
  std::map<string, string> changes;
  for (const Phrase::Piece& piece : error.hint.pieces())
    if (piece.kind == Kind::kAdvice || (piece.kind == Kind::kName && !piece.value.empty()))
      changes.emplace(piece.words, piece.value);
  if (changes.empty()) return "";
  // A flag that disagrees with what the query itself says is an error.
  if (policy::lower(given_to(verb, "QUERY")).find("differential_privacy") != string::npos)
    return "";
  string command = command_with(verb, changes);
  return can_be_shown(command) ? command : "";
}

}  // namespace discreet::cli
