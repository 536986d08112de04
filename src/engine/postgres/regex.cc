// Regular expressions of RE2, which the question is checked with, as PostgreSQL's own. Only what
// means the same in both is let through, written so that it can't mean anything else: classes as
// lists of characters, no options, no names.
#include <algorithm>
#include <charconv>
#include <string>

#include "discreet/engine/postgres/dialect.h"
#include "discreet/sql/patterns.h"

namespace discreet::engine::postgres {
namespace {

using std::string;

class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  std::optional<string> all() {
    if (!branches(0) || !rest_.empty()) return std::nullopt;
    return out_;
  }

 private:
  static constexpr int kDeepest = 50;
  // Pieces, each as often as it is repeated. PostgreSQL compiles an expression when the first row
  // gets there, and gives up on a large one: whether a row did must not be seen by an error, nor by
  // the time that it takes. Of this many it takes a twentieth of a second at the most.
  static constexpr std::size_t kMostPieces = sql::kMostPieces;
  bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool skip(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool branches(int depth) {
    if (depth > kDeepest) return false;
    do {
      if (!branch(depth)) return false;
    } while (at('|') && (out_ += '|', skip('|')));
    return true;
  }
  // At least one piece: what an empty branch matches is not the same everywhere.
  bool branch(int depth) {
    bool any = false;
    while (!rest_.empty() && !at('|') && !at(')')) {
      if (!piece(depth)) return false;
      any = true;
    }
    return any;
  }

  bool piece(int depth) {
    const char c = rest_.front();
    if (c == '^' || c == '$') {
      rest_.remove_prefix(1);
      out_ += c;
      // A repeated anchor is refused by one of them.
      return !at('*') && !at('+') && !at('?') && !at('{');
    }
    const std::size_t before = pieces_;
    if (!atom(depth)) return false;
    const auto times = repeats();
    if (!times) return false;
    pieces_ = before + *times * std::max<std::size_t>(1, pieces_ - before);
    return pieces_ <= kMostPieces;
  }

  bool atom(int depth) {
    const char c = rest_.front();
    if (c == '(') {
      rest_.remove_prefix(1);
      if (rest_.starts_with("?:")) rest_.remove_prefix(2);
      if (at('?')) return false;
      out_ += "(?:";
      if (!branches(depth + 1) || !skip(')')) return false;
      out_ += ')';
      return true;
    }
    if (c == '[') return bracket();
    if (c == '\\') return escape(false);
    if (string("*+?{}])").find(c) != string::npos) return false;
    rest_.remove_prefix(1);
    if (c == '.') {
      out_ += "[^\\n]";
      return true;
    }
    out_ += c;  // a byte of a letter: the others follow
    while (!rest_.empty() && (static_cast<unsigned char>(rest_.front()) & 0xC0U) == 0x80) {
      out_ += rest_.front();
      rest_.remove_prefix(1);
    }
    return true;
  }

  // \d, \w and \s are ASCII's in RE2; an escaped sign is itself.
  bool escape(bool in_bracket) {
    rest_.remove_prefix(1);
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    const char* list = c == 'd'   ? "0-9"
                       : c == 'w' ? "0-9A-Za-z_"
                       : c == 's' ? "\\t\\n\\f\\r "
                                  : nullptr;
    if (list) {
      out_ += in_bracket ? string(list) : "[" + string(list) + "]";
      return true;
    }
    const bool sign = c > ' ' && c < 127 && !std::isalnum(static_cast<unsigned char>(c));
    if (!sign) return false;
    out_ += '\\';
    out_ += c;
    return true;
  }

  bool bracket() {
    rest_.remove_prefix(1);
    out_ += '[';
    if (skip('^')) out_ += '^';
    bool any = false;
    while (!rest_.empty() && !at(']')) {
      const char c = rest_.front();
      if (c == '[') return false;  // a class by name, or a sign that one of them wants escaped
      if (c == '\\') {
        if (!escape(true)) return false;
      } else {
        // A minus that is no range stands at an end in both; elsewhere it must be between two.
        if (c == '-' && (!any || rest_.substr(1).starts_with("]"))) {
          out_ += "\\-";
        } else {
          out_ += c;
        }
        rest_.remove_prefix(1);
      }
      any = true;
    }
    if (!any || !skip(']')) return false;
    out_ += ']';
    return true;
  }

  // How often what came before is written out; nothing where it can't be said.
  std::optional<std::size_t> repeats() {
    std::size_t times = 1;
    if (skip('*')) {
      out_ += '*';
    } else if (skip('+')) {
      out_ += '+';
    } else if (skip('?')) {
      out_ += '?';
    } else if (at('{')) {
      const auto close = rest_.find('}');
      if (close == std::string_view::npos) return std::nullopt;
      const std::string_view inside = rest_.substr(1, close - 1);
      const auto comma = inside.find(',');
      const auto small = [&](std::string_view text) {
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        times = std::max(times, value + 1);  // one more for {2,}
        return error == std::errc() && end == text.data() + text.size() && value <= kMostPieces;
      };
      if (!small(inside.substr(0, comma))) return std::nullopt;
      if (comma != std::string_view::npos && comma + 1 < inside.size() &&
          !small(inside.substr(comma + 1)))
        return std::nullopt;
      out_ += rest_.substr(0, close + 1);
      rest_.remove_prefix(close + 1);
    } else {
      return times;
    }
    skip('?');  // as few as possible: whether it matches is the same
    // Repeated again: RE2 takes some, PostgreSQL none.
    if (at('*') || at('+') || at('?') || at('{')) return std::nullopt;
    return times;
  }

  std::string_view rest_;
  string out_;
  std::size_t pieces_ = 0;
};

}  // namespace

std::optional<string> translated(std::string_view pattern, bool whole_text) {
  if (pattern.find('\0') != std::string_view::npos) return std::nullopt;
  if (pattern.empty()) return whole_text ? "^$" : "^";
  auto out = Translator(pattern).all();
  if (!out) return std::nullopt;
  return whole_text ? "^(?:" + *out + ")$" : "(?:" + *out + ")";
}

}  // namespace discreet::engine::postgres
