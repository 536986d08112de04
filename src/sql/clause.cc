#include "discreet/sql/clause.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"

namespace discreet::sql {

using policy::lower;
using policy::same_name;
namespace {

using std::string;

struct Token {
  enum class Kind { kWord, kQuoted, kText, kSymbol, kEnd } kind = Kind::kEnd;
  std::size_t begin = 0, end = 0;
  int depth = 0;  // of parentheses around it
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) >= 128;
}

// The end of a quoted piece that starts at `at`; two quotes in a row are one inside it.
std::size_t past_quote(const string& text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size()) {
    if (text[at] != quote) {
      ++at;
    } else if (at + 1 < text.size() && text[at + 1] == quote) {
      at += 2;
    } else {
      return at + 1;
    }
  }
  return text.size();
}

// $$…$$ and $tag$…$tag$: as long as it lasts; 0 if none starts here.
std::size_t past_dollar(const string& text, std::size_t at) {
  std::size_t tag = at + 1;
  while (tag < text.size() && text[tag] != '$' &&
         (std::isalnum(static_cast<unsigned char>(text[tag])) || text[tag] == '_'))
    ++tag;
  if (tag >= text.size() || text[tag] != '$') return 0;
  const string mark = text.substr(at, tag + 1 - at);
  const auto close = text.find(mark, tag + 1);
  return close == string::npos ? text.size() : close + mark.size();
}

std::vector<Token> tokens(const string& text) {
  std::vector<Token> out;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++at;
      continue;
    }
    if (text.compare(at, 2, "--") == 0) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text.compare(at, 2, "/*") == 0) {
      int nested = 1;
      for (at += 2; at < text.size() && nested > 0;) {
        if (text.compare(at, 2, "/*") == 0) {
          ++nested;
          at += 2;
        } else if (text.compare(at, 2, "*/") == 0) {
          --nested;
          at += 2;
        } else {
          ++at;
        }
      }
      continue;
    }
    Token::Kind kind = Token::Kind::kSymbol;
    if (c == '\'') {
      kind = Token::Kind::kText;
      end = past_quote(text, at);
    } else if (c == '"' || c == '`') {
      kind = Token::Kind::kQuoted;
      end = past_quote(text, at);
    } else if (c == '$' && past_dollar(text, at) != 0) {
      kind = Token::Kind::kText;
      end = past_dollar(text, at);
    } else if (is_word(c)) {
      kind = Token::Kind::kWord;
      while (end < text.size() &&
             (is_word(text[end]) || ((text[end] == '-' || text[end] == '+') &&
                                     (text[end - 1] == 'e' || text[end - 1] == 'E') &&
                                     std::isdigit(static_cast<unsigned char>(c)))))
        ++end;
    }
    if (c == ')') --depth;
    out.push_back({kind, at, end, depth});
    if (c == '(') ++depth;
    at = end;
  }
  out.push_back({Token::Kind::kEnd, text.size(), text.size(), depth});
  return out;
}

class Lifter {
 public:
  Lifter(string& text, Options& options)
      : text_(text), original_(text), options_(options), tokens_(tokens(text)) {}

  Status lift() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      // BigQuery quotes names with `…`, knows raw texts r'…', and spells TRY_CAST otherwise; all
      // take the same room.
      if (token.kind == Token::Kind::kQuoted && text_[token.begin] == '`' &&
          token.end - token.begin >= 2 && text_[token.end - 1] == '`' &&
          word(i).find('"') == string::npos)
        text_[token.begin] = text_[token.end - 1] = '"';
      if (is(i, "r") && i + 1 < tokens_.size() && tokens_[i + 1].kind == Token::Kind::kText &&
          tokens_[i + 1].begin == token.end)
        text_[token.begin] = ' ';  // r'…': a backslash is a backslash here anyway
      if (is(i, "safe_cast") && is(i + 1, "(")) text_.replace(token.begin, 9, "TRY_CAST ");
    }
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (!is(i, "select") || !is(i + 1, "with") || !is(i + 2, "differential_privacy")) continue;
      if (tokens_[i].depth != 0 || found_)
        return refuse(i + 2,
                      "the DIFFERENTIAL_PRIVACY clause belongs to the outermost SELECT, once",
                      "the whole query is answered privately anyway");
      found_ = true;
      std::size_t last = i + 2;
      if (is(i + 3, "options")) {
        auto end = TRY(read_options(i + 4));
        last = end;
      }
      if (is(last + 1, "with") && is(last + 2, "differential_privacy"))
        return refuse(last + 2, "the DIFFERENTIAL_PRIVACY clause stands there twice");
      for (std::size_t at = tokens_[i + 1].begin; at < tokens_[last].end; ++at)
        if (text_[at] != '\n') text_[at] = ' ';
    }
    return {};
  }

 private:
  string word(std::size_t i) const {
    return lower(original_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin));
  }
  bool is(std::size_t i, const char* wanted) const {
    return i < tokens_.size() &&
           (tokens_[i].kind == Token::Kind::kWord || tokens_[i].kind == Token::Kind::kSymbol) &&
           word(i) == wanted;
  }
  tl::unexpected<Error> refuse(std::size_t i, string message, string hint = {}) const {
    const Token& token = tokens_[std::min(i, tokens_.size() - 1)];
    return fail(
        Code::kUsage, std::move(message), std::move(hint),
        Position{original_, token.begin, std::max<std::size_t>(1, token.end - token.begin)});
  }

  // name = value, …; returns the index of the closing parenthesis.
  Result<std::size_t> read_options(std::size_t i) {
    const char* kExample = "write OPTIONS(epsilon=0.5, delta=1e-8)";
    if (!is(i, "(")) return refuse(i, "OPTIONS is followed by a list in parentheses", kExample);
    std::set<string> seen;
    for (++i; !is(i, ")");) {
      if (i >= tokens_.size() || tokens_[i].kind != Token::Kind::kWord)
        return refuse(i, "an option's name is expected here", kExample);
      const string name = word(i);
      if (!seen.insert(name).second)
        return refuse(i, fmt::format("OPTIONS names '{}' twice", name));
      if (!is(i + 1, "="))
        return refuse(i + 1, fmt::format("'=' is expected after '{}'", name), kExample);
      const std::size_t first = i + 2;
      std::size_t last = first;
      while (last < tokens_.size() && tokens_[last].kind != Token::Kind::kEnd &&
             !(is(last, ",") && tokens_[last].depth <= tokens_[i].depth) &&
             !(is(last, ")") && tokens_[last].depth < tokens_[i].depth))
        ++last;
      if (last == first || last >= tokens_.size() || tokens_[last].kind == Token::Kind::kEnd)
        return refuse(first, fmt::format("a value is expected for '{}'", name), kExample);
      TRY(set(name, i, first, last));
      i = last;
      if (is(i, ",")) ++i;
    }
    return i;
  }

  Status set(const string& name, std::size_t at, std::size_t first, std::size_t last) {
    string value =
        original_.substr(tokens_[first].begin, tokens_[last - 1].end - tokens_[first].begin);
    if (same_name(value, "null")) return {};  // as if it were left out
    if (value.size() >= 2 &&
        (value.front() == '\'' || value.front() == '"' || value.front() == '`') &&
        value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    const auto number = [&](std::optional<Rational>& place, bool zero,
                            const char* accepted) -> Status {
      auto read = parse_number(value, Rounding::kDown);
      if (!read || *read < 0 || (!zero && *read == 0))
        return refuse(first, fmt::format("{}: found {}; accepted is {}", name, value, accepted));
      place = *read;
      return {};
    };
    const auto count = [&](std::optional<std::int64_t>& place) -> Status {
      auto read = parse_number(value, Rounding::kDown);
      if (!read || read->get_den() != 1 || *read < 1 || *read > 1'000'000)
        return refuse(
            first,
            fmt::format("{}: found {}; accepted is a whole number from 1 to 1000000", name, value));
      place = read->get_num().get_si();
      return {};
    };
    if (name == "epsilon") return number(options_.epsilon, false, "a number above 0, such as 0.5");
    if (name == "delta") {
      const char* accepted = "a number from 0 to below 1, such as 1e-8";
      if (auto ok = number(options_.delta, true, accepted); !ok || *options_.delta < 1) return ok;
      return refuse(first, fmt::format("{}: found {}; accepted is {}", name, value, accepted));
    }
    if (name == "max_groups_contributed") return count(options_.max_groups);
    if (name == "max_rows_contributed") return count(options_.max_total);
    if (name == "min_privacy_units_per_group") return count(options_.min_units);
    if (name == "privacy_unit_column") {
      options_.unit_column = value;
      return {};
    }
    if (name == "group_selection_strategy") {
      std::transform(value.begin(), value.end(), value.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      if (value != "LAPLACE_THRESHOLD" && value != "PUBLIC_GROUPS" && value != "OPTIMAL")
        return refuse(
            first,
            fmt::format("{}: found {}; accepted is LAPLACE_THRESHOLD, OPTIMAL or PUBLIC_GROUPS",
                        name, value));
      options_.selection = value;
      return {};
    }
    const std::vector<string> names = {"epsilon",
                                       "delta",
                                       "max_groups_contributed",
                                       "max_rows_contributed",
                                       "min_privacy_units_per_group",
                                       "group_selection_strategy",
                                       "privacy_unit_column"};
    return refuse(at, fmt::format("OPTIONS does not know '{}'", name), did_you_mean(name, names));
  }

  string& text_;
  string original_;
  Options& options_;
  std::vector<Token> tokens_;
  bool found_ = false;
};

}  // namespace

Status lift_clause(string& text, Options& options) { return Lifter(text, options).lift(); }

double parsed_size(const string& text) {
  struct Case {
    double whens = 0, operand = 0, rest = 0;
  };
  std::vector<Case> open(1);  // the first is the query itself
  open[0].whens = 1;
  const auto add = [&](double size) {
    (open.back().whens == 0 ? open.back().operand : open.back().rest) += size;
  };
  for (const Token& token : tokens(text)) {
    const string word = token.kind == Token::Kind::kWord
                            ? lower(text.substr(token.begin, token.end - token.begin))
                            : "";
    if (word == "case") {
      open.emplace_back();
    } else if (word == "when" && open.size() > 1) {
      ++open.back().whens;
    } else if (word == "end" && open.size() > 1) {
      const Case closed = open.back();
      open.pop_back();
      add(closed.operand * std::max(1.0, closed.whens) + closed.rest + closed.whens + 1);
    } else {
      add(1);
    }
  }
  double out = 0;
  for (const Case& one : open) out += one.operand + one.rest;
  return out;
}

std::size_t statement_end(const string& text) {
  for (const Token& token : tokens(text))
    if (token.kind == Token::Kind::kSymbol && text[token.begin] == ';') return token.end;
  return string::npos;
}

bool has_words(const string& text) {
  const auto all = tokens(text);
  return std::any_of(all.begin(), all.end(), [&](const Token& token) {
    return token.kind != Token::Kind::kEnd && text[token.begin] != ';';
  });
}

}  // namespace discreet::sql
