#include "discreet/cli/man_page.h"

#include <fmt/format.h>

#include <cstdint>

namespace discreet::cli {
namespace {

using std::string;

// The character that begins at `at`, which moves behind it.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  std::uint32_t out = more == 0 ? first : first & (0x3F >> more);
  for (int i = 0; i < more && at < text.size(); ++i)
    out = out << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  return out;
}

// What troff would read something into, written so that it doesn't; what isn't ASCII by its number,
// so that no locale matters.
string roff(std::string_view text) {
  string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool line_begins = at == 0 || text[at - 1] == '\n';
    const std::uint32_t c = next_character(text, at);
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        if (c < 0x80) {
          out += static_cast<char>(c);
        } else {
          out += fmt::format("\\[u{:04X}]", c);
        }
    }
  }
  return out;
}

string bold(const string& text) { return "\\fB" + roff(text) + "\\fR"; }
string italic(const string& text) { return "\\fI" + roff(text) + "\\fR"; }

string synopsis(const Described& command) {
  string out = bold(command.path);
  if (!command.verbs.empty()) return out + " \\fICOMMAND\\fR";
  string optional;
  for (const DescribedOption& option : command.options) {
    if (option.positional) continue;
    if (!option.required) {
      optional = " [\\fIOPTIONS\\fR]";
      continue;
    }
    out += " " + bold(option.names.back()) + " " + italic(option.value);
  }
  out += optional;
  for (const DescribedOption& option : command.options)
    if (option.positional)
      out += option.required ? " " + italic(option.names.front())
                             : " [" + italic(option.names.front()) + "]";
  return out;
}

string option_text(const DescribedOption& option) {
  string names;
  for (const string& name : option.names)
    names += (names.empty() ? "" : ", ") + (option.positional ? italic(name) : bold(name));
  if (!option.positional && !option.value.empty()) names += " " + italic(option.value);
  string out = ".TP\n" + names + "\n" + roff(option.help);
  if (option.required) out += " (required)";
  if (!option.initial.empty()) out += fmt::format(" (default: {})", roff(option.initial));
  return out + "\n";
}

// The example below a command's help, with its lines as they are.
string example(const string& footer) {
  constexpr std::string_view kTitle = "Example:\n";
  if (!footer.starts_with(kTitle)) return footer.empty() ? "" : ".PP\n" + roff(footer) + "\n";
  return ".PP\nExample:\n.PP\n.nf\n" + roff(footer.substr(kTitle.size())) + "\n.fi\n";
}

}  // namespace

string man_page(const Described& root, const string& version) {
  string out = fmt::format(
      ".TH DISCREET 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\ndiscreet \\- {}\n.SH SYNOPSIS\n{}\n"
      ".SH DESCRIPTION\n{}\n.PP\nEach command has \\fB\\-\\-help\\fR with an example.\n",
      roff("discreet " + version), "answer questions about people without telling on anyone",
      synopsis(root), roff(root.help));
  for (const DescribedOption& option : root.options) out += option_text(option);
  out += ".SH COMMANDS\n";
  for (const Described* command : flattened(root)) {
    if (command == &root) continue;
    out += fmt::format(".SS \"{}\"\n{}\n.PP\n{}\n", roff(command->path), synopsis(*command),
                       roff(command->help));
    for (const DescribedOption& option : command->options) out += option_text(option);
    out += example(command->footer);
  }
  out += ".SH NOTES\n" + roff(root.footer) + "\n";
  return out +
         ".SH ENVIRONMENT\n.TP\n\\fBXDG_STATE_HOME\\fR\nwhere this user's knowledge of ledgers and "
         "the history of the prompt are kept; ~/.local/state unless set\n.TP\n"
         "\\fBDISCREET_HISTORY\\fR\nthe file of the prompt's history; empty: none\n";
}

}  // namespace discreet::cli
