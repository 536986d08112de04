#include "discreet/service/testing/hostile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace discreet::service::testing {
namespace {

using std::string;
using Strings = std::vector<string>;

struct Column {
  const char *name, *rule, *postgres;
};
const std::vector<Column> kColumns = {
    {"u", R"({ type = "integer" })", "bigint"},
    {"x", R"({ type = "double", range = [-10, 10] })", "float8"},
    {"y", R"({ type = "double" })", "float8"},
    {"n", R"({ type = "integer" })", "bigint"},
    {"k", R"({ type = "text" })", "text"},
    {"d", R"({ type = "date", range = ["2020-01-01", "2025-12-31"] })", "date"},
    {"z", R"({ type = "timestamp" })", "timestamp"},
    {"b", R"({ type = "boolean" })", "boolean"}};

// Choices from bytes. Where they end, everything is the first of its kind, which is a leaf.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  std::size_t below(std::size_t count) {
    if (left_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return byte % count;
  }
  bool one_in(std::size_t count) { return below(count) == count - 1; }
  const string& from(const Strings& all) { return all[below(all.size())]; }
  std::size_t from(const std::vector<std::size_t>& all) { return all[below(all.size())]; }

 private:
  std::string_view left_;
};

string repeated(const string& piece, std::size_t times) {
  string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}
string quoted(const string& text) {
  string out = "'";
  for (const char c : text) out += c == '\'' ? string("''") : string(1, c);
  return out + "'";
}

const Strings kLetters = {"a", "b",       "ab", "A",  "%", "_", "\\", "ß", "İ",     "ﬃ", "😀",  "é",
                          "Σ", "e\u0301", " ",  "\n", "'", ",", "0",  "9", "1e308", "-", "x#", "."};
const std::vector<std::size_t> kTimes = {1, 0, 2, 3, 14, 42, 100, 1000, 9999, 10000, 20000};

string text_of(Bytes& bytes) {
  string out;
  const std::size_t segments = 1 + bytes.below(3);
  for (std::size_t i = 0; i < segments; ++i) {
    const string& piece = bytes.from(kLetters);
    out += repeated(piece, bytes.from(kTimes));
  }
  return out;
}

// Short enough for a question, of which there are several.
string literal_text(Bytes& bytes) {
  const string& piece = bytes.from(kLetters);
  return quoted(repeated(piece, std::min<std::size_t>(bytes.from(kTimes), 1000)));
}
string like_pattern(Bytes& bytes) {
  static const Strings kPieces = {"%",    "_",   "%a", "%_", "_%", "a%",
                                  "%%a_", "\\%", "%😀", "ß%", "%#"};
  static const std::vector<std::size_t> kMany = {1, 2, 3, 14, 40, 200, 1000, 5000};
  const string& piece = bytes.from(kPieces);
  string out = repeated(piece, bytes.from(kMany));
  if (bytes.one_in(2)) out += bytes.from(kPieces);
  if (bytes.one_in(3)) out += '#';
  return quoted(out);
}
string regular_expression(Bytes& bytes) {
  static const Strings kPatterns = {"a",           "(a*)*b",    "(a+)+$",     "((a|b){1,9}){1,9}c",
                                    ".*a.*a.*a.*", "[a-z]{50}", "(.*)*",      "(?i)ß+",
                                    "\\p{L}+",     "^$",        "(a|ab|b)*#", "(((((a?)?)?)?)?)?",
                                    "a{0,100}b",   "\\bx\\b",   "[^a]*$",     ".{1,200}"};
  return quoted(bytes.from(kPatterns));
}
string literal_number(Bytes& bytes) {
  static const Strings kNumbers = {"0",
                                   "1",
                                   "2.5",
                                   "(-7)",
                                   "33",
                                   "1e308",
                                   "(-1e308)",
                                   "5e-324",
                                   "0.1",
                                   "9223372036854775807",
                                   "(-9223372036854775807)",
                                   "9007199254740993",
                                   "1e-300",
                                   "1e15"};
  return bytes.from(kNumbers);
}

constexpr int kDeepest = 12;

// What bytes say, as expressions of a type. The first choice of each is a leaf.
class Writer {
 public:
  explicit Writer(Bytes& bytes) : bytes_(bytes) {}

  string number(int depth) {
    const auto one = [&](const char* form) {
      return fmt::format(fmt::runtime(form), number(depth - 1));
    };
    const auto two = [&](const char* form) {
      const string a = number(depth - 1);
      return fmt::format(fmt::runtime(form), a, number(depth - 1));
    };
    const auto of_text = [&](const char* form) {
      return fmt::format(fmt::runtime(form), text(depth - 1));
    };
    static const Strings kLeaves = {"x", "y", "n"};
    if (depth <= 0) return bytes_.from(kLeaves);
    switch (bytes_.below(34)) {
      case 0:
        return bytes_.from(kLeaves);
      case 1:
        return literal_number(bytes_);
      case 2:
        return two("({} + {})");
      case 3:
        return two("({} - {})");
      case 4:
        return two("({} * {})");
      case 5:
        return two("({} / {})");
      case 6:
        return two("({} % {})");
      case 7:
        return two("({} // {})");
      case 8:
        return one("(-{})");
      case 9:
        return one("abs({})");
      case 10:
        return one("floor({})");
      case 11:
        return one("ceil({})");
      case 12:
        return one("trunc({})");
      case 13:
        return one("round({}, 15)");
      case 14:
        return one("round({}, -15)");
      case 15:
        return one("sign({})");
      case 16:
        return one("sqrt({})");
      case 17:
        return one("exp({})");
      case 18:
        return one("ln({})");
      case 19:
        return one("log10({})");
      case 20:
        return one("log2({})");
      case 21:
        return one("sin({})");
      case 22:
        return one("cos({})");
      case 23: {
        const string a = number(depth - 1);
        return fmt::format("power({}, {})", a, literal_number(bytes_));
      }
      case 24:
        return two("LEAST({}, {})");
      case 25:
        return two("GREATEST({}, {})");
      case 26:
        return two("NULLIF({}, {})");
      case 27:
        return two("COALESCE({}, {})");
      case 28:
        return of_text("length({})");
      case 29:
        return of_text("CAST({} AS DOUBLE)");
      case 30:
        return of_text("CAST({} AS BIGINT)");
      case 31: {
        const string a = text(depth - 1);
        return fmt::format("strpos({}, {})", a, text(depth - 1));
      }
      case 32: {
        static const Strings kParts = {"year", "quarter",   "month",     "week",
                                       "day",  "dayofweek", "dayofyear", "isodow",
                                       "hour", "minute",    "second"};
        const string& part = bytes_.from(kParts);
        const bool of_time = part == "hour" || part == "minute" || part == "second";
        return fmt::format("{}({})", part, of_time ? "z" : moment(depth - 1));
      }
      default: {
        const string when = truth(depth - 1), then = number(depth - 1);
        return fmt::format("CASE WHEN {} THEN {} ELSE {} END", when, then, number(depth - 1));
      }
    }
  }

  string text(int depth) {
    const auto one = [&](const char* form) {
      return fmt::format(fmt::runtime(form), text(depth - 1));
    };
    if (depth <= 0) return "k";
    switch (bytes_.below(21)) {
      case 0:
        return "k";
      case 1:
        return literal_text(bytes_);
      case 2:
        return one("lower({})");
      case 3:
        return one("upper({})");
      case 4:
        return one("trim({})");
      case 5:
        return one("ltrim({})");
      case 6:
        return one("rtrim({})");
      case 7:
        return one("reverse({})");
      case 8: {
        const string a = text(depth - 1);
        return fmt::format("({} || {})", a, text(depth - 1));
      }
      case 9:
        return one("substr({}, 2, 3)");
      case 10:
        return one("substr({}, -9223372036854775807, 9223372036854775807)");
      case 11:
        return one("left({}, -2)");
      case 12:
        return one("right({}, 9000)");
      case 13: {
        const string a = text(depth - 1);
        static const Strings kPairs = {"'a', 'b'", "'aa', 'a'", "'😀', 'aaaa'", "'ﬃ', 'ffi'",
                                       "'İ', 'i'"};
        return fmt::format("replace({}, {})", a, bytes_.from(kPairs));
      }
      case 14: {
        const string a = text(depth - 1);
        return fmt::format("split_part({}, {}, {})", a, literal_text(bytes_),
                           bytes_.one_in(2) ? "1" : "-9223372036854775807");
      }
      case 15:
      case 16: {
        const char* name = bytes_.one_in(2) ? "lpad" : "rpad";
        const string a = text(depth - 1);
        static const Strings kLengths = {"5", "0", "10000", "999"};
        const string& length = bytes_.from(kLengths);
        return fmt::format("{}({}, {}, {})", name, a, length, bytes_.one_in(2) ? "'😀'" : "'ab'");
      }
      case 17:
        return fmt::format("CAST({} AS VARCHAR)", number(depth - 1));
      case 18:
        return fmt::format("CAST({} AS VARCHAR)", moment(depth - 1));
      case 19: {
        static const Strings kFormats = {"'%Y/%m'", "'%d.%m.%y %H'", "'%j%%'"};
        const string& format = bytes_.from(kFormats);
        static const Strings kNames = {"strftime", "dayname", "monthname"};
        const string& name = bytes_.from(kNames);
        if (name != "strftime") return fmt::format("{}({})", name, moment(depth - 1));
        return fmt::format("strftime({}, {})", moment(depth - 1), format);
      }
      default: {
        const string when = truth(depth - 1);
        return fmt::format("CASE WHEN {} THEN {} ELSE '' END", when, text(depth - 1));
      }
    }
  }

  string moment(int depth) {
    if (depth <= 0) return bytes_.one_in(2) ? "z" : "d";
    switch (bytes_.below(6)) {
      case 0:
        return "d";
      case 1:
        return "z";
      case 2:
        return fmt::format("CAST({} AS DATE)", text(depth - 1));
      case 3:
        return fmt::format("CAST({} AS TIMESTAMP)", text(depth - 1));
      case 4: {
        static const Strings kUnits = {"month", "year", "week", "quarter", "day"};
        const string& unit = bytes_.from(kUnits);
        return fmt::format("date_trunc('{}', {})", unit, moment(depth - 1));
      }
      default: {
        static const Strings kMoves = {"+ INTERVAL 1 MONTH", "- INTERVAL 100000 MONTH",
                                       "+ INTERVAL 100000 DAY", "- INTERVAL 9000 YEAR"};
        const string& move = bytes_.from(kMoves);
        return fmt::format("({} {})", moment(depth - 1), move);
      }
    }
  }

  string truth(int depth) {
    if (depth <= 0) return "b";
    const auto numbers = [&](const char* form) {
      const string a = number(depth - 1);
      return fmt::format(fmt::runtime(form), a, number(depth - 1));
    };
    const auto texts = [&](const char* form) {
      const string a = text(depth - 1);
      return fmt::format(fmt::runtime(form), a, text(depth - 1));
    };
    switch (bytes_.below(19)) {
      case 0:
        return "b";
      case 1:
        return numbers("({} > {})");
      case 2:
        return numbers("({} = {})");
      case 3:
        return numbers("({} IS DISTINCT FROM {})");
      case 4:
        return texts("({} < {})");
      case 5:
        return texts("({} = {})");
      case 6: {
        const string a = text(depth - 1);
        return fmt::format("({} LIKE {})", a, like_pattern(bytes_));
      }
      case 7: {
        const string a = text(depth - 1);
        return fmt::format("({} ILIKE {})", a, like_pattern(bytes_));
      }
      case 8: {
        const string a = text(depth - 1);
        return fmt::format("({} NOT LIKE {})", a, like_pattern(bytes_));
      }
      case 9: {
        const string a = text(depth - 1);
        return fmt::format("({} SIMILAR TO {})", a, regular_expression(bytes_));
      }
      case 10: {
        const string a = text(depth - 1);
        return fmt::format("regexp_matches({}, {})", a, regular_expression(bytes_));
      }
      case 11: {
        const string a = text(depth - 1);
        return fmt::format("regexp_full_match({}, {})", a, regular_expression(bytes_));
      }
      case 12: {
        static const Strings kTests = {"contains", "starts_with", "ends_with"};
        const string name = bytes_.from(kTests);
        return name + texts("({}, {})");
      }
      case 13:
        return fmt::format("(NOT {})", truth(depth - 1));
      case 14: {
        const string a = truth(depth - 1);
        return fmt::format("({} {} {})", a, bytes_.one_in(2) ? "OR" : "AND", truth(depth - 1));
      }
      case 15:
        return fmt::format("({} IS NULL)", number(depth - 1));
      case 16:
        return fmt::format("CAST({} AS BOOLEAN)", text(depth - 1));
      case 17: {
        const string a = text(depth - 1), one = literal_text(bytes_);
        return fmt::format("({} IN ({}, {}, ''))", a, one, literal_text(bytes_));
      }
      default: {
        const string a = moment(depth - 1);
        return fmt::format("({} < {})", a, moment(depth - 1));
      }
    }
  }

  string question() {
    const std::size_t shape = bytes_.below(10);
    const int depth = 1 + static_cast<int>(bytes_.below(kDeepest));
    switch (shape) {
      case 0:
        return fmt::format("SELECT COUNT(*) FROM t WHERE {}", truth(depth));
      case 1:
        return fmt::format("SELECT COUNT(*) FROM t WHERE CASE WHEN u = 999 THEN {} ELSE FALSE END",
                           truth(depth));
      case 2:
        return fmt::format("SELECT SUM(LEAST(GREATEST({}, -5), 5)) FROM t", number(depth));
      case 3:
        return fmt::format("SELECT {} AS a, COUNT(*) FROM t GROUP BY a", text(depth));
      case 4:
        return fmt::format("SELECT COUNT(DISTINCT {}), COUNT(DISTINCT u) FROM t", text(depth));
      case 5:
        return fmt::format("SELECT AVG(x), MEDIAN(x), MAX(x), STDDEV(x) FROM t WHERE {}",
                           truth(depth));
      case 6: {
        const string sum = number(depth);
        return fmt::format(
            "SELECT SUM(LEAST(GREATEST(s, -5), 5)), COUNT(m) FROM (SELECT u, SUM({}) AS s, MAX({}) "
            "AS m FROM t GROUP BY u)",
            sum, number(depth));
      }
      case 7: {
        string from = "t";
        const std::size_t levels = 1 + bytes_.below(4);
        for (std::size_t i = 0; i < levels; ++i) {
          const string y = number(2), k = text(2);
          from =
              fmt::format("(SELECT u, x, {} AS y, n, {} AS k, d, z, b FROM {}) AS t", y, k, from);
        }
        return fmt::format("SELECT COUNT(*) FROM {} WHERE {}", from, truth(2));
      }
      case 8: {
        const string when = truth(depth);
        return fmt::format("SELECT COUNT(*) FILTER (WHERE {}), SUM(x) FILTER (WHERE {}) FROM t",
                           when, truth(depth));
      }
      default:
        return fmt::format("SELECT {} AS a, COUNT(*), SUM(x) FROM t GROUP BY a", moment(depth));
    }
  }

 private:
  Bytes& bytes_;
};

HostileRow row_of_999(Bytes& bytes) {
  static const Strings kReals = {"33",     "NaN", "Infinity", "-Infinity", "1.7976931348623157e308",
                                 "5e-324", "-0",  "0",        "-1",        "1e15",
                                 kNoCell};
  static const Strings kWholes = {
      "33", "9223372036854775807", "-9223372036854775808", "0", "-1", "9007199254740993", kNoCell};
  static const Strings kDates = {"2020-02-29", "0001-01-01", "9999-12-31", "infinity",
                                 "-infinity",  "2025-12-31", kNoCell};
  static const Strings kTimes = {"2020-02-29 23:59:59.999999",
                                 "0001-01-01 00:00:00",
                                 "9999-12-31 23:59:59.999999",
                                 "infinity",
                                 "-infinity",
                                 kNoCell};
  static const Strings kTruths = {"true", "false", kNoCell};
  HostileRow out{"999"};
  for (const Strings* each : {&kReals, &kReals, &kWholes}) out.push_back(bytes.from(*each));
  out.push_back(bytes.one_in(8) ? kNoCell : text_of(bytes));
  for (const Strings* each : {&kDates, &kTimes, &kTruths}) out.push_back(bytes.from(*each));
  return out;
}

}  // namespace

Hostile hostile(std::string_view given) {
  Bytes bytes(given);
  Hostile out;
  out.rows = {{"1", "1", "2", "3", "a", "2020-01-02", "2020-01-02 03:04:05", "true"},
              {"2", "3", "33", "5", "Long road 17", "2021-02-03", "2021-02-03 03:04:05", "false"}};
  const std::size_t rows = 1 + bytes.below(3);
  for (std::size_t i = 0; i < rows; ++i) out.rows.push_back(row_of_999(bytes));
  out.question = Writer(bytes).question();
  return out;
}

std::vector<HostileRow> without_999(const std::vector<HostileRow>& rows) {
  std::vector<HostileRow> out;
  for (const HostileRow& row : rows)
    if (row[0] != "999") out.push_back(row);
  return out;
}

string csv(const std::vector<HostileRow>& rows) {
  string out;
  for (const Column& column : kColumns)
    out += fmt::format("{}{}", out.empty() ? "" : ",", column.name);
  for (const HostileRow& row : rows) {
    out += '\n';
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      if (row[i] == kNoCell) continue;
      out += '"';
      for (const char c : row[i]) out += c == '"' ? string("\"\"") : string(1, c);
      out += '"';
    }
  }
  return out + '\n';
}

string postgres_columns() {
  Strings out;
  for (const Column& column : kColumns)
    out.push_back(fmt::format("{} {}", column.name, column.postgres));
  return fmt::format("{}", fmt::join(out, ", "));
}

string postgres_values(const std::vector<HostileRow>& rows) {
  Strings out;
  for (const HostileRow& row : rows) {
    Strings cells;
    for (const string& cell : row) cells.push_back(cell == kNoCell ? "NULL" : quoted(cell));
    out.push_back(fmt::format("({})", fmt::join(cells, ", ")));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

string hostile_rules() {
  string out = "key = \"u\"\nmax_groups = 3\nmax_rows_per_group = 2\n";
  for (const Column& column : kColumns)
    out += fmt::format("columns.{} = {}\n", column.name, column.rule);
  return out;
}

}  // namespace discreet::service::testing
