#include "discreet/cli/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <fstream>

#include "discreet/present/terminal.h"

namespace discreet::cli {
namespace {

constexpr int kRemembered = 1000;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 128;
}

// Who writes in small letters gets small letters: "sel" becomes "select". Names stay as they are.
std::string in_case_of(std::string word, const std::string& typed) {
  const auto any = [](const std::string& text, int (*kind)(int)) {
    return std::any_of(text.begin(), text.end(),
                       [&](char c) { return kind(static_cast<unsigned char>(c)) != 0; });
  };
  if (any(typed, std::islower) && !any(typed, std::isupper) && !any(word, std::islower))
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// The history file: an entry a line, a line break inside it as \n, a backslash as \\.
std::vector<std::string> load(const std::string& file) {
  std::vector<std::string> out;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::string entry;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool escaped = line[i] == '\\' && i + 1 < line.size();
      if (escaped) ++i;
      entry += escaped && line[i] == 'n' ? '\n' : line[i];
    }
    if (!entry.empty()) out.push_back(entry);
  }
  return out;
}

void save(std::FILE* file, const std::string& entry) {
  std::string line;
  for (const char c : entry) {
    if (c == '\n' || c == '\\') line += '\\';
    line += c == '\n' ? 'n' : c;
  }
  (void)std::fputs((line + "\n").c_str(), file);
  (void)std::fflush(file);
}

// Without UTF-8 libedit drops every letter that isn't ASCII.
void speak_utf8() {
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1)
    std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace

struct LineEditor::State {
  EditLine* editor = nullptr;
  History* past = nullptr;
  HistEvent event{};
  std::FILE* file = nullptr;
  std::FILE* screen = stdout;
  std::vector<std::string> words;
  const char* prompt = "";
  bool cancelled = false;

  static State& of(EditLine* editor) {
    void* state = nullptr;
    el_get(editor, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }

  static char* show_prompt(EditLine* editor) { return const_cast<char*>(of(editor).prompt); }

  // Ctrl-C leaves what was typed on the screen and gives a fresh line.
  static unsigned char cancel(EditLine* editor, int) {
    of(editor).cancelled = true;
    std::fputs("^C\n", of(editor).screen);
    return CC_NEWLINE;
  }

  static unsigned char suspend(EditLine* editor, int) {
    el_set(editor, EL_PREP_TERM, 0);
    (void)raise(SIGTSTP);
    el_set(editor, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  static unsigned char complete(EditLine* editor, int) {
    const State& state = of(editor);
    const LineInfo* line = el_line(editor);
    const char* begin = line->cursor;
    while (begin > line->buffer && is_word(begin[-1])) --begin;
    // A dot starts a command at the beginning of the line, and elsewhere a column after its table.
    const bool command = begin == line->buffer + 1 && line->buffer[0] == '.';
    if (command) --begin;
    const std::string typed(begin, static_cast<std::size_t>(line->cursor - begin));
    if (typed.empty()) return CC_ERROR;
    std::vector<std::string> found;
    for (const std::string& word : state.words)
      if (strncasecmp(word.c_str(), typed.c_str(), typed.size()) == 0)
        found.push_back(in_case_of(word, typed));
    if (found.empty()) return CC_ERROR;
    std::string common = found[0];
    for (const std::string& word : found) {
      std::size_t same = 0;
      while (same < std::min(common.size(), word.size()) &&
             std::tolower(static_cast<unsigned char>(common[same])) ==
                 std::tolower(static_cast<unsigned char>(word[same])))
        ++same;
      common.resize(same);
    }
    if (common.size() == typed.size() && found.size() > 1) {
      std::string list = "\n";
      for (const std::string& word : found) list += word + "  ";
      std::fputs((list + "\n").c_str(), state.screen);
      return CC_REDISPLAY;
    }
    std::mbstate_t shift{};
    const char* from = typed.c_str();
    const std::size_t letters = std::mbsrtowcs(nullptr, &from, 0, &shift);
    el_deletestr(editor, static_cast<int>(letters == SIZE_MAX ? typed.size() : letters));
    el_insertstr(editor, common.c_str());
    return CC_REFRESH;
  }
};

LineEditor::LineEditor(std::vector<std::string> words, const std::string& file)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.words = std::move(words);
  std::sort(state.words.begin(), state.words.end());
  state.words.erase(std::unique(state.words.begin(), state.words.end()), state.words.end());
  speak_utf8();
  // Where answers go into a file or pipe, the prompt doesn't.
  if (!present::is_terminal(stdout)) state.screen = stderr;
  state.editor = el_init("discreet", stdin, state.screen, stderr);
  state.past = history_init();
  history(state.past, &state.event, H_SETSIZE, kRemembered);
  history(state.past, &state.event, H_SETUNIQUE, 1);
  el_set(state.editor, EL_CLIENTDATA, state_.get());
  el_set(state.editor, EL_PROMPT, State::show_prompt);
  el_set(state.editor, EL_SIGNAL, 1);  // the terminal is put right before a signal ends us
  el_set(state.editor, EL_EDITOR, "emacs");
  el_set(state.editor, EL_HIST, history, state.past);
  el_set(state.editor, EL_ADDFN, "complete", "complete a name", State::complete);
  el_set(state.editor, EL_BIND, "^I", "complete", nullptr);
  el_set(state.editor, EL_ADDFN, "cancel", "give up this statement", State::cancel);
  el_set(state.editor, EL_BIND, "^C", "cancel", nullptr);
  el_set(state.editor, EL_ADDFN, "suspend", "leave for the shell", State::suspend);
  el_set(state.editor, EL_BIND, "^Z", "suspend", nullptr);
  el_set(state.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(state.editor, nullptr);  // the user's own ~/.editrc
  // Ctrl-C is a key while a line is edited, a signal while a query runs.
  el_set(state.editor, EL_SETTY, "-d", "-isig", nullptr);
  if (file.empty()) return;
  std::error_code ignored;  // without its folder there is no history file, which is no failure
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  const auto lines = load(file);
  for (const std::string& line : lines) history(state.past, &state.event, H_ENTER, line.c_str());
  const bool full = lines.size() > 2 * kRemembered;  // begin again with what is still remembered
  const int opened =
      open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (full ? O_TRUNC : O_APPEND), 0600);
  if (opened < 0) return;
  (void)fchmod(opened, 0600);
  state.file = fdopen(opened, "a");
  if (full && state.file != nullptr)
    for (auto line = lines.end() - kRemembered; line != lines.end(); ++line)
      save(state.file, *line);
}

LineEditor::~LineEditor() {
  if (state_->file != nullptr) (void)std::fclose(state_->file);
  history_end(state_->past);
  el_end(state_->editor);
}

LineEditor::Line LineEditor::read(const char* prompt) {
  state_->prompt = prompt;
  state_->cancelled = false;
  // Before the prompt is seen: a Ctrl-D that comes with it would else be lost.
  el_set(state_->editor, EL_PREP_TERM, 1);
  int length = 0;
  const char* typed = el_gets(state_->editor, &length);
  if (state_->cancelled) return {Kind::kCancelled, ""};
  if (typed == nullptr || length <= 0) {
    std::fputs("\n", state_->screen);
    return {Kind::kEnd, ""};
  }
  std::string text(typed, static_cast<std::size_t>(length));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return {Kind::kText, text};
}

void LineEditor::remember(const std::string& text) {
  history(state_->past, &state_->event, H_ENTER, text.c_str());
  if (state_->file != nullptr) save(state_->file, text);
}

std::string history_file() {
  if (const char* chosen = std::getenv("DISCREET_HISTORY")) return chosen;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::string(state) + "/discreet/history";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/state/discreet/history";
  return "";
}

}  // namespace discreet::cli
