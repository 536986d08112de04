// discreet help [COMMAND…]: what --help says, the manual page, and completions for shells.
#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/base/version.h"
#include "discreet/cli/areas.h"
#include "discreet/cli/completion.h"
#include "discreet/cli/man_page.h"
#include "discreet/cli/parsed.h"

namespace discreet::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  std::string shell;
  bool man = false;
};

Status run(const CLI::App& root, const Options& options) {
  if (options.man) return print(man_page(describe(root), std::string(version())));
  if (!options.shell.empty()) return print(TRY(completion(describe(root), options.shell)));
  const CLI::App* at = &root;
  for (const std::string& word : options.command) {
    std::vector<std::string> names;
    const CLI::App* found = nullptr;
    for (const CLI::App* verb : at->get_subcommands({})) {
      if (verb->get_name() == word) found = verb;
      names.push_back(verb->get_name());
    }
    if (found == nullptr)
      return fail(Code::kUsage,
                  fmt::format("discreet help: {} has no command {}", path_of(at), quote(word)),
                  did_you_mean(word, names));
    at = found;
  }
  // The parser would tell the help of the command that was chosen, and that is `help`.
  const std::string path = path_of(at);
  const CLI::Formatter formatter;
  return print(formatter.make_help(at, path, CLI::AppFormatMode::Normal));
}

}  // namespace

void add_help(CLI::App& app, Action& chosen) {
  CLI::App* verb =
      add_verb(app, "help", "what a command does, and its options", "discreet help policy init");
  auto options = std::make_shared<Options>();
  CLI::Option* command =
      verb->add_option("COMMAND", options->command, "such as sql, or budget show");
  CLI::Option* man =
      verb->add_flag("--man", options->man, "the manual page, discreet.1, for man -l")
          ->excludes(command);
  verb->add_option("--completion", options->shell,
                   "a script that makes bash, zsh or fish complete commands and options")
      ->excludes(command)
      ->excludes(man);
  verb->callback(
      [options, &app, &chosen] { chosen = [options, &app] { return run(app, *options); }; });
}

}  // namespace discreet::cli
