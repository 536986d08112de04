#include "discreet/sql/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace discreet::sql {

using std::string;

namespace {

// What stands between two %.
std::vector<std::string_view> pieces_of(std::string_view pattern) {
  std::vector<std::string_view> out;
  for (std::size_t from = 0;;) {
    const std::size_t end = pattern.find('%', from);
    out.push_back(pattern.substr(from, end - from));
    if (end == std::string_view::npos) return out;
    from = end + 1;
  }
}

struct Pieces {
  std::size_t weight = 0;     // as instructions: a class beyond ASCII is several
  std::size_t positions = 0;  // in which a match can be

  Pieces& operator+=(const Pieces& other) {
    weight += other.weight;
    positions += other.positions;
    return *this;
  }
  Pieces& operator*=(std::size_t times) {
    weight *= times;
    positions *= times;
    return *this;
  }
};

// Counts the pieces of RE2's syntax. It needn't know whether an expression is right, only never
// count too few of one that is.
class PieceCounter {
 public:
  explicit PieceCounter(std::string_view pattern) : rest_(pattern) {}

  std::optional<Pieces> count() {
    std::vector<Pieces> outer;  // what was counted before each group that is open
    Pieces here;                // in the group at hand
    while (!rest_.empty()) {
      const char c = take();
      Pieces piece;
      if (c == '(') {
        flags();
        outer.push_back(here);
        here = {};
        continue;
      }
      if (c == '|' || c == '^' || c == '$') {
        here += {1, 0};
        continue;
      }
      if (c == ')') {
        if (outer.empty()) return std::nullopt;
        piece = here;
        piece.weight = std::max<std::size_t>(1, piece.weight);
        here = outer.back();
        outer.pop_back();
      } else if (c == '[') {
        piece = bracket();
      } else if (c == '\\') {
        piece = escape();
      } else if (c == '.') {
        piece = kWide;
      } else {
        piece = kOne;
        while (!rest_.empty() && (static_cast<unsigned char>(rest_.front()) & 0xC0U) == 0x80)
          take();
      }
      // Repeated, perhaps repeatedly.
      for (std::size_t times = 0; (times = repeats()) > 0;) {
        piece *= times;
        if (piece.weight > kMostPieces) return std::nullopt;
      }
      here += piece;
      if (here.weight > kMostPieces) return std::nullopt;
    }
    if (!outer.empty()) return std::nullopt;
    if (any_case_) here *= 2;
    return here.weight <= kMostPieces ? std::optional(here) : std::nullopt;
  }

 private:
  // A character; all of Unicode; a class of it by name.
  static constexpr Pieces kOne{1, 1}, kWide{4, 1}, kNamed{20, 4};

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool skip(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  // (?i), (?is-m:, (?P<name>
  void flags() {
    if (!skip("?")) return;
    if (skip("P<") || skip("<")) {
      rest_.remove_prefix(std::min(rest_.size(), rest_.find('>') + 1));
      return;
    }
    while (!rest_.empty() && rest_.front() != ':' && rest_.front() != ')')
      any_case_ |= take() == 'i';
    skip(":");
  }
  Pieces escape() {
    if (rest_.empty()) return kOne;
    const char c = take();
    if (c == 'p' || c == 'P') {
      if (skip("{"))
        rest_.remove_prefix(std::min(rest_.size(), rest_.find('}') + 1));
      else if (!rest_.empty())
        take();
      return kNamed;
    }
    if (c == 'x' && skip("{")) rest_.remove_prefix(std::min(rest_.size(), rest_.find('}') + 1));
    return c == 'D' || c == 'W' || c == 'S' || c == 'C' || c == 'X' ? kWide : kOne;
  }
  Pieces bracket() {
    bool wide = skip("^");
    Pieces named;
    for (bool first = true; !rest_.empty() && (first || rest_.front() != ']'); first = false) {
      const char c = take();
      if (c == '[' && skip(":")) {
        rest_.remove_prefix(std::min(rest_.size(), rest_.find(":]") + 2));
        continue;
      }
      wide |= (static_cast<unsigned char>(c) & 0x80U) != 0 || c == '\\';
      if (c != '\\') continue;
      const Pieces one = escape();
      if (one.weight == kNamed.weight) named += one;
    }
    if (!rest_.empty()) take();
    return named.weight > 0 ? named : wide ? kWide : kOne;
  }
  // How often what came before is written out; 0 where nothing repeats it.
  std::size_t repeats() {
    if (skip("*") || skip("+") || skip("?")) {
      skip("?");
      return 1;
    }
    if (rest_.empty() || rest_.front() != '{') return 0;
    const auto close = rest_.find('}');
    if (close == std::string_view::npos) return 0;
    std::size_t times = 1;
    const std::string_view inside = rest_.substr(1, close - 1);
    if (inside.empty() || inside.front() < '0' || inside.front() > '9') return 0;  // plain text
    for (std::size_t from = 0; from <= inside.size();) {
      const std::size_t comma = std::min(inside.find(',', from), inside.size());
      std::size_t value = 0;
      const char* const end = inside.data() + comma;
      const auto [read, error] = std::from_chars(inside.data() + from, end, value);
      if (error == std::errc::result_out_of_range)
        value = kMostPieces + 1;
      else if (from < comma && (error != std::errc() || read != end))
        return 0;
      times = std::max(times, std::min(value, kMostPieces + 1) + (comma < inside.size() ? 1 : 0));
      from = comma + 1;
    }
    rest_.remove_prefix(close + 1);
    skip("?");
    return times;
  }

  std::string_view rest_;
  bool any_case_ = false;
};

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::optional<string> like_problem(std::string_view pattern) {
  if (pattern.size() > kLongestPattern)
    return fmt::format("the pattern has {} bytes, and may have {}", pattern.size(),
                       kLongestPattern);
  const auto pieces = pieces_of(pattern);
  std::size_t percents = 0, blanks = 0;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i];
    percents += i == 1 || !pieces[i - 1].empty() ? 1 : 0;
    const std::size_t letter = std::min(piece.find_first_not_of('_'), piece.size());
    blanks += static_cast<std::size_t>(
        std::count(piece.begin() + static_cast<std::ptrdiff_t>(letter), piece.end(), '_'));
  }
  if (percents > kMostPercents)
    return fmt::format("the pattern has {} %, and may have {}", percents, kMostPercents);
  if (blanks > kMostBlanks)
    return fmt::format(
        "the pattern has {} _ that follow a letter after the first %, and may have {}", blanks,
        kMostBlanks);
  return std::nullopt;
}

// Text × longest piece behind a %; what stands before the first is looked at once.
double like_steps(std::string_view pattern, const RowPrices& prices) {
  const auto pieces = pieces_of(pattern);
  double most = 0;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const auto blanks = static_cast<double>(std::count(pieces[i].begin(), pieces[i].end(), '_'));
    most = std::max(most, prices.like_byte * (static_cast<double>(pieces[i].size()) - blanks) +
                              prices.like_blank * blanks);
  }
  return prices.like + most;
}

std::optional<std::size_t> regex_pieces(std::string_view pattern) {
  const auto pieces = PieceCounter(pattern).count();
  return pieces ? std::optional(pieces->weight) : std::nullopt;
}

std::optional<string> regex_problem(std::string_view pattern) {
  if (pattern.size() > kLongestPattern)
    return fmt::format("the regular expression has {} bytes, and may have {}", pattern.size(),
                       kLongestPattern);
  if (!regex_pieces(pattern))
    return fmt::format(
        "the regular expression has more than {} characters and classes, each counted as often as "
        "it is repeated",
        kMostPieces);
  return std::nullopt;
}

bool is_words(std::string_view pattern) {
  return pattern.find_first_of("\\.[](){}*+?") == std::string_view::npos;
}

double regex_steps(std::string_view pattern) {
  constexpr double kWords = 40;  // as many states as letters (Aho and Corasick)
  if (is_words(pattern)) return kWords;
  // In few positions: no more than some 2^12 states, all of which are kept. Else every position is
  // followed, at every byte.
  constexpr std::size_t kFew = 12;
  constexpr double kKept = 170, kPiece = 65;
  const auto pieces = PieceCounter(pattern).count();
  if (pieces && pieces->positions <= kFew) return kKept;
  return kPiece * static_cast<double>(pieces ? pieces->weight : kMostPieces);
}

}  // namespace discreet::sql
