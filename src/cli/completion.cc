#include "discreet/cli/completion.h"

#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"

namespace discreet::cli {
namespace {

using std::string;

// In single quotes, as bash and zsh read them; fish has escapes in them.
string single_quoted(const string& text) {
  string out = "'";
  for (const char c : text) out += c == '\'' ? string("'\\''") : string(1, c);
  return out + "'";
}
string fish_quoted(const string& text) {
  string out = "'";
  for (const char c : text) out += (c == '\'' || c == '\\' ? string("\\") : string()) + c;
  return out + "'";
}

string first_line(const string& text) { return text.substr(0, text.find('\n')); }

// The paths below the program, joined by what a shell's `case` has between patterns.
string paths(const Described& root, const char* between, string (*quote_text)(const string&)) {
  string out;
  for (const Described* command : flattened(root))
    if (command != &root) out += (out.empty() ? "" : between) + quote_text(command->path);
  return out;
}

// `discreet help budget show` is completed like `discreet budget show`, by commands only.
string bash(const Described& root) {
  string out = fmt::format(
      R"(# bash completion for discreet; made by: discreet help --completion bash
_discreet() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path=discreet verbs= options= values= helping= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ $i -eq 1 && ${{COMP_WORDS[i]}} == help && $cur != -* ]]; then
      helping=yes
      continue
    fi
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path" in
)",
      paths(root, " | ", single_quoted));
  for (const Described* command : flattened(root)) {
    string verbs, options, values;
    for (const Described& verb : command->verbs) verbs += (verbs.empty() ? "" : " ") + verb.name;
    for (const DescribedOption& option : command->options) {
      if (option.positional) continue;
      for (const string& name : option.names) {
        options += (options.empty() ? "" : " ") + name;
        if (!option.value.empty()) values += " " + name;
      }
    }
    out += fmt::format("    {})\n      verbs={}\n      options={}\n      values={} ;;\n",
                       single_quoted(command->path), single_quoted(verbs), single_quoted(options),
                       single_quoted(values.empty() ? "" : values + " "));
  }
  return out + R"(  esac
  COMPREPLY=()
  if [[ $helping ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$cur"))
  elif [[ "$values" == *" $prev "* ]]; then
    return 0  # a value: names of files, by default
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ $verbs ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$cur"))
  fi
}
complete -o bashdefault -o default -F _discreet discreet
)";
}

string zsh(const Described& root) {
  string out = fmt::format(
      R"(#compdef discreet
# zsh completion for discreet; made by: discreet help --completion zsh
_discreet() {{
  local where=discreet values= helping= word
  local -a verbs options
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    if [[ $where == discreet && $word == help && $words[CURRENT] != -* ]]; then
      helping=yes
      continue
    fi
    case "$where $word" in
      ({}) where="$where $word" ;;
    esac
  done
  case "$where" in
)",
      paths(root, "|", single_quoted));
  for (const Described* command : flattened(root)) {
    string verbs, options, values;
    for (const Described& verb : command->verbs)
      verbs += "\n        " + single_quoted(verb.name + ":" + first_line(verb.help));
    for (const DescribedOption& option : command->options) {
      if (option.positional) continue;
      for (const string& name : option.names) {
        options += "\n        " + single_quoted(name + ":" + first_line(option.help));
        if (!option.value.empty()) values += " " + name;
      }
    }
    out += fmt::format("    ({})\n      verbs=({})\n      options=({})\n      values={} ;;\n",
                       single_quoted(command->path), verbs, options,
                       single_quoted(values.empty() ? "" : values + " "));
  }
  return out + R"(  esac
  if [[ -z $helping && $values == *" $words[CURRENT-1] "* ]]; then
    _files
  elif [[ -z $helping && $words[CURRENT] == -* ]]; then
    _describe -o option options
  elif (( $#verbs )); then
    _describe command verbs
  else
    _files
  fi
}
if [[ $funcstack[1] == _discreet ]]; then
  _discreet "$@"
else
  compdef _discreet discreet
fi
)";
}

string fish(const Described& root) {
  string out = fmt::format(
      R"(# fish completion for discreet; made by: discreet help --completion fish
function __discreet_at
    set -l path discreet
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test "$path $word" = 'discreet help'
            and not string match -q -- '-*' (commandline -ct)
            continue
        end
        switch "$path $word"
            case {}
                set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
)",
      paths(root, " ", fish_quoted));
  for (const Described* command : flattened(root)) {
    const string at = fmt::format("complete -c discreet -n {}",
                                  fish_quoted("__discreet_at " + fish_quoted(command->path)));
    for (const Described& verb : command->verbs)
      out += fmt::format("{} -f -a {} -d {}\n", at, fish_quoted(verb.name),
                         fish_quoted(first_line(verb.help)));
    for (const DescribedOption& option : command->options) {
      if (option.positional) continue;
      out += at;
      for (const string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      // -r: a value follows, and names of files are offered
      out += fmt::format("{} -d {}\n", option.value.empty() ? "" : " -r",
                         fish_quoted(first_line(option.help)));
    }
  }
  return out;
}

}  // namespace

Result<string> completion(const Described& root, const string& shell) {
  if (shell == "bash") return bash(root);
  if (shell == "zsh") return zsh(root);
  if (shell == "fish") return fish(root);
  const std::vector<string> shells = {"bash", "fish", "zsh"};
  return bad_parameter("completion",
                       fmt::format("found {}; accepted is bash, zsh or fish", quote(shell)),
                       nearest(shell, shells).empty() ? "" : did_you_mean(shell, shells));
}

}  // namespace discreet::cli
