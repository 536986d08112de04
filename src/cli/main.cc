// discreet AREA VERB …: reads the command line, runs the chosen action, turns its error into words
// and an exit code.
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/version.h"
#include "discreet/cli/areas.h"
#include "discreet/cli/exit_code.h"
#include "discreet/cli/hint.h"
#include "discreet/cli/parsed.h"
#include "discreet/cli/picture.h"

namespace discreet::cli {
namespace {

std::vector<std::string> names_of(const CLI::App& app, bool options) {
  std::vector<std::string> names;
  if (options) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  } else {
    for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  }
  return names;
}

// A mistyped word is the likeliest reason for whatever else the parser complains about, so it is
// named first.
Error explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = deepest(&app);
  const std::string command = path_of(at);
  for (const std::string& word : at->remaining()) {
    const bool is_option = word.starts_with("-") && word.size() > 1;
    const std::string typed = word.substr(0, word.find('='));
    if (!is_option && at->get_subcommands({}).empty()) {
      return {Code::kUsage,
              fmt::format("{}: found {}, which is one argument too many", command, quote(word)),
              fmt::format("see {} --help", command),
              {}};
    }
    std::string hint = did_you_mean(typed, names_of(*at, is_option));
    if (hint.empty()) hint = fmt::format("see {} --help", command);
    return {
        Code::kUsage,
        fmt::format("{}: unknown {} {}", command, is_option ? "option" : "command", quote(typed)),
        hint,
        {}};
  }
  std::string reason = quote(error.what());
  reason = reason.substr(1, reason.size() - 2);
  return {Code::kUsage,
          fmt::format("{}: {}", command, reason),
          fmt::format("see {} --help", command),
          {}};
}

// Standard error may be closed or full; then there is nowhere left to say so.
int report(const Error& error) {
  // a message that begins with the command's own path needs no name before it
  const std::string text = error.text(Notation::kOptions);
  const char* name = text.starts_with("discreet") ? "" : "discreet: ";
  (void)std::fputs((name + text + "\n").c_str(), stderr);
  return exit_code(error.code);
}

// … of a command that was understood: what to do instead follows on a line of its own, to be
// pasted.
int report(const Error& error, const CLI::App& app) {
  const CLI::App& verb = *deepest(&app);
  const int code = report(with_whole_commands(error, verb));
  if (const std::string command = advised_command(error, verb); !command.empty())
    (void)std::fputs(("  try: " + command + "\n").c_str(), stderr);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Discreet answers questions about people without telling on anyone.", "discreet");
  app.set_version_flag("--version", std::string("discreet ") + std::string(version()));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failure, 2 usage, 3 refused by policy, 4 refused by budget, 130 "
      "interrupted.\n"
      "Numbers may be written 0.5, 1e-6, 1/3 or ln(3). Each command has --help with an example; "
      "discreet help COMMAND says "
      "the same.");
  Action chosen;
  for (const Area& area : kAreas) area.add(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream out;
    app.exit(help, out, out);
    const Status printed = print(out.str());
    return printed ? static_cast<int>(kDone) : report(printed.error());
  } catch (const CLI::ParseError& error) {
    return report(explain(app, error));
  }
  if (const Status fine = check_pictures(app); !fine) return report(fine.error(), app);
  const Status done =
      chosen ? chosen() : fail(Code::kUsage, "discreet: nothing to do", "see discreet --help");
  return done ? static_cast<int>(kDone) : report(done.error(), app);
}

}  // namespace
}  // namespace discreet::cli

int main(int argc, char** argv) {
  // A connection that was given up may still shake hands on its thread when we end: OpenSSL is not
  // taken from under it.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
  try {
    return discreet::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    (void)std::fputs("discreet: there is not enough memory for this; nothing more was done\n",
                     stderr);
    return discreet::cli::kFailed;
  } catch (const std::exception& error) {  // a library we use gave up
    (void)std::fputs("discreet: something failed that should not have (", stderr);
    (void)std::fputs(error.what(), stderr);
    (void)std::fputs("); nothing more was done\n", stderr);
    return discreet::cli::kFailed;
  }
}
