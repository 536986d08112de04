// Lines typed at a terminal, with editing, history and completion (libedit).
//
//   LineEditor editor({"SELECT", "visits"}, history_file());
//   LineEditor::Line line = editor.read("discreet> ");
//   if (line.kind == LineEditor::Kind::kText) editor.remember(line.text);
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace discreet::cli {

class LineEditor {
 public:
  enum class Kind { kText, kCancelled, kEnd };  // Enter, Ctrl-C, Ctrl-D
  struct Line {
    Kind kind;
    std::string text;
  };

  // Tab completes `words`. An empty `file` means a history that ends with the session.
  LineEditor(std::vector<std::string> words, const std::string& file);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  Line read(const char* prompt);
  // Adds to the history, and at once to its file: a session that is killed loses nothing.
  void remember(const std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// DISCREET_HISTORY if it is set (empty: none), else $XDG_STATE_HOME/discreet/history, else
// ~/.local/state/discreet/history. Only its owner may read it: a query can name people.
std::string history_file();

}  // namespace discreet::cli
