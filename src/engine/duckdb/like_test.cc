// LIKE of our own means what DuckDB's does, and no text and no pattern is too much for it.
#include "discreet/engine/duckdb/like.h"

#include <duckdb.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "discreet/sql/algebra.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;
using Strings = std::vector<string>;

string repeated(const string& text, std::size_t times) {
  string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

Strings letters_of(const string& text) {
  Strings out;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U && !out.empty())
      out.back() += c;
    else
      out.emplace_back(1, c);
  }
  return out;
}

// The definition, by a table of all prefixes of both.
bool by_definition(const string& text, const string& pattern) {
  const Strings letters = letters_of(text), signs = letters_of(pattern);
  std::vector<bool> row(letters.size() + 1);
  row[0] = true;
  for (const string& sign : signs) {
    std::vector<bool> next(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      next[i] = sign == "%" ? row[i] || (i > 0 && next[i - 1])
                            : i > 0 && row[i - 1] && (sign == "_" || sign == letters[i - 1]);
    row = std::move(next);
  }
  return row.back();
}

string quoted(const string& text) { return "'" + text + "'"; }  // no quote is among the letters

class Duckdb {
 public:
  Duckdb() {
    EXPECT_EQ(duckdb_open(nullptr, &database_), DuckDBSuccess);
    EXPECT_EQ(duckdb_connect(database_, &connection_), DuckDBSuccess);
    EXPECT_TRUE(add_text_functions(connection_));
  }
  ~Duckdb() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  Duckdb(const Duckdb&) = delete;
  Duckdb& operator=(const Duckdb&) = delete;
  string one(const string& sql) {
    duckdb_result result;
    string out;
    if (duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess) {
      char* value = duckdb_value_varchar(&result, 0, 0);
      out = value ? value : "NULL";
      duckdb_free(value);
    } else {
      out = duckdb_result_error(&result);
    }
    duckdb_destroy_result(&result);
    return out;
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// Few letters, of one to four bytes, so that much repeats.
string random_text(std::mt19937& source, const Strings& letters, std::size_t longest) {
  string out;
  for (std::size_t n = source() % (longest + 1); n > 0; --n)
    out += letters[source() % letters.size()];
  return out;
}

TEST(Like, IsItsDefinition) {
  std::mt19937 source(28);
  int found = 0;
  constexpr int kTrials = 200'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const string text = random_text(source, {"a", "b", "é", "𐐀"}, 14);
    const string pattern = random_text(source, {"a", "b", "é", "𐐀", "%", "%", "_"}, 8);
    const bool matches = LikePattern(pattern).matches(text);
    ASSERT_EQ(matches, by_definition(text, pattern)) << text << " LIKE " << pattern;
    found += matches ? 1 : 0;
  }
  EXPECT_GT(found, kTrials / 20);
  EXPECT_LT(found, kTrials * 19 / 20);
}

// Short texts, at which DuckDB's own ends: the same in a vector, with NULLs, in any case.
TEST(Like, IsDuckdbs) {
  Duckdb duckdb;
  std::mt19937 source(29);
  string values;
  for (int i = 0; i < 3'000; ++i) {
    const string text = random_text(source, {"a", "A", "É", "é", "ß", "İ", "Σ", "\n", "\\"}, 12);
    const string pattern =
        random_text(source, {"a", "A", "É", "é", "ß", "İ", "Σ", "\\", "%", "%", "_"}, 6);
    values += fmt::format("{}({}, {})", i == 0 ? "" : ", ",
                          i % 50 == 0 ? "CAST(NULL AS VARCHAR)" : quoted(text),
                          i % 70 == 0 ? "CAST(NULL AS VARCHAR)" : quoted(pattern));
  }
  EXPECT_EQ(duckdb.one("CREATE TABLE t AS SELECT * FROM (VALUES " + values + ") v(s, p)"), "3000");
  EXPECT_EQ(
      duckdb.one("SELECT count(*) FROM t WHERE discreet_like(s, p) IS DISTINCT FROM s LIKE p"),
      "0");
  EXPECT_EQ(duckdb.one("SELECT count(*) FROM t WHERE discreet_like(lower(s), lower(p)) IS DISTINCT "
                       "FROM s ILIKE p"),
            "0");
  for (const char* pattern : {"a%", "%é%", "%ß", "%a_%", "_%_a", "", "%", "%%", "é", "\\%"})
    for (const char* how : {"s", "s || 'é and something longer'"})
      EXPECT_EQ(duckdb.one(fmt::format("SELECT count(*) FROM t WHERE discreet_like({0}, {1}) IS "
                                       "DISTINCT FROM {0} LIKE {1}",
                                       how, quoted(pattern))),
                "0")
          << pattern;
}

TEST(Like, TakesBytesThatAreNoText) {
  for (const string& text :
       Strings{"\xff\xfe", "a\x80\x80", "\x80", "\xf0\x90", string("a\0b", 3)}) {
    EXPECT_TRUE(LikePattern("%").matches(text));
    EXPECT_TRUE(LikePattern("_%").matches(text));
    EXPECT_TRUE(LikePattern(text).matches(text));
    EXPECT_FALSE(LikePattern("%____").matches(text));
  }
}

// One recursion a %, as DuckDB's own has it, would end here by the stack; backtracking over _ would
// not end at all.
TEST(Like, NeedsNoStackAndEnds) {
  EXPECT_TRUE(LikePattern(repeated("%a", 79'000)).matches(string(80'000, 'a')));
  EXPECT_FALSE(LikePattern(repeated("%a", 79'000) + "b").matches(string(80'000, 'a')));
  EXPECT_TRUE(LikePattern(repeated("%a_", 200'000)).matches(string(900'000, 'a')));
  EXPECT_FALSE(LikePattern(repeated("%_", 14) + "%#")
                   .matches("Long road 17, 12345 Village, far away it is"));
  EXPECT_FALSE(LikePattern(repeated("%_", 5'000) + "%#").matches(string(10'000, 'x')));
  EXPECT_FALSE(LikePattern("%" + string(400, 'a') + "b%").matches(string(900'000, 'a')));
}

TEST(Like, ReadsTheBeginningOfATextOnly) {
  Duckdb duckdb;
  const auto cut = static_cast<std::size_t>(sql::kLongestName);
  EXPECT_EQ(as_read(string(cut, 'a')).size(), cut);
  EXPECT_EQ(as_read(string(cut + 1, 'a')).size(), cut);
  EXPECT_EQ(as_read(repeated("𐐀", cut + 1)), repeated("𐐀", cut));
  const string longer = fmt::format("(repeat('é', {}) || 'b')", cut);
  EXPECT_EQ(duckdb.one("SELECT discreet_like(" + longer + ", '%b%')"), "false");
  EXPECT_EQ(duckdb.one("SELECT discreet_like(substr(" + longer + ", 2), '%b%')"), "true");
  EXPECT_EQ(duckdb.one("SELECT discreet_text(" + longer + ") = repeat('é', 1000)"), "true");
  // A vector of short texts is passed on as it is, one with a long text is cut; NULLs stay.
  for (const char* longest : {"3", "5000"})
    EXPECT_EQ(duckdb.one(fmt::format(
                  "SELECT count(*) FILTER (WHERE discreet_text(s) IS DISTINCT FROM left(s, 1000)) "
                  "|| ' of ' || count(*) FROM (SELECT CASE WHEN i % 7 > 0 THEN repeat('aé', "
                  "CAST(i % {} AS INTEGER)) || i END AS s FROM range(10000) r(i))",
                  longest)),
              "0 of 10000");
}

}  // namespace
}  // namespace discreet::engine::duckdb
