// What the analyst writes × what a row holds: every function, operator and pattern with constants
// that an adversary would choose, over rows that one would store. Whether a question is answered is
// up to the question alone: it is refused, in the same words, for the ordinary people and for those
// and one odd person, or it is answered for both.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/service/testing/private_tables.h"

namespace discreet::service {
namespace {

using std::string;
using Strings = std::vector<string>;

string repeated(const string& text, std::size_t times, const char* between = "") {
  string out;
  for (std::size_t i = 0; i < times; ++i) out += (i > 0 ? between : "") + text;
  return out;
}

// One text function inside of another.
string nested(const string& function, std::size_t depth) {
  return repeated(function + "(", depth) + "s" + string(depth, ')');
}

// Texts as DuckDB's SQL: long ones of one letter, of letters that change their length with their
// case, of what patterns and numbers are made of.
const Strings kTexts = {"''",
                        "CAST(NULL AS VARCHAR)",
                        "'Long road 17, 12345 Village, far away it is'",
                        "repeat('a', 900000)",
                        "repeat('a', 1000)",
                        "repeat('ab', 2000)",
                        "repeat('😀', 100000)",
                        "repeat('İ', 5000)",
                        "repeat('ﬃ', 2000)",
                        "repeat('%', 2000)",
                        "repeat('_', 2000)",
                        "repeat('(', 2000)",
                        "repeat('\\', 2000)",
                        "repeat('1', 70000)",
                        "'1e' || repeat('9', 2000)",
                        "repeat(' ', 5000)",
                        "repeat(chr(8202), 5000)"};

// What the largest constants make of a text; {0} is refused or not, but never by a row.
Strings conditions() {
  Strings out = {
      // LIKE: the most %, the longest piece, the most _; and far beyond
      "s LIKE '" + repeated("%a", 20) + "'",
      "s LIKE '" + repeated("%a", 79'000) + "'",
      "s ILIKE '" + repeated("%a", 79'000) + "'",
      "s NOT LIKE '" + repeated("%a", 60'000) + "b'",
      "s LIKE '" + repeated("%_", 14) + "%#'",
      "s LIKE '" + repeated("%_", 20) + "'",
      "s ILIKE '" + repeated("%_", 14) + "%#'",
      "s LIKE '" + repeated("_", 1000) + "'",
      "s LIKE '%" + repeated("_", 999) + "'",
      "s LIKE '%a__________%#'",
      "s LIKE '%a___________%#'",
      "s LIKE '%" + repeated("a", 110) + "b%'",
      "s LIKE '%" + repeated("a", 998) + "b%'",
      "s LIKE '" + repeated("%", 1000) + "'",
      "s LIKE '" + repeated("😀", 250) + "'",
      "s LIKE '\\%\\_'",
      "s ILIKE '%İ%ﬃ%'",
      "s SIMILAR TO '(a|b)*c'",
      // the growing texts of the first attack
      "replace(lpad(s, 1000, '😀') || lpad(s, 1000, '😀'), '😀', 'aaaa') ILIKE '%a%a%a'",
      "replace(lpad(s, 1000, '😀') || lpad(s, 1000, '😀'), '😀', 'a') ILIKE '%a%a%a'",
      "lpad(s, 10000, '😀') = 'x'",
      "lpad(s, 1000, '" + repeated("😀", 1000) + "') = 'x'",
      "lpad(s, 1000, '" + repeated("a", 1001) + "') = 'x'",
      "rpad(s, -10000, 'ab') = 'x'",
      // regular expressions: nested quantifiers, wide classes, many pieces
      "regexp_matches(s, '((a|b){1,30}){1,30}c')",
      "regexp_matches(s, '(a|b)*a(a|b){90}c')",
      "regexp_matches(left(s, 100), '(a|b)*a[ab]{90}c')",
      "regexp_matches(s, '(a*)*b')",
      "regexp_matches(s, '(a|aa)+$')",
      "regexp_matches(s, '^(([a-z])+.)+[A-Z]([a-z])+$')",
      "regexp_matches(s, '" + repeated("a?", 10) + repeated("a", 10) + "')",
      "regexp_matches(s, '" + repeated("(", 60) + "a" + repeated(")", 60) + "')",
      "regexp_full_match(s, '[ab]*a[ab]{11}c')",
      "regexp_full_match(s, '(.|a)*')",
      // the largest numbers and positions
      "substr(s, -10000, 10000) = 'x'",
      "substr(s, 10000, -10000) = 'x'",
      "left(s, -10000) = right(s, -10000)",
      "split_part(s, 'a', 10000) = 'x'",
      "split_part(s, 'a', -10000) = 'x'",
      "split_part(s, '', 10000) = 'x'",
      "split_part(s, '" + repeated("a", 1000) + "', 2) = 'x'",
      "replace(s, '" + repeated("a", 500) + "', '" + repeated("b", 500) + "') = 'x'",
      "contains(s, '" + repeated("a", 100) + "b')",
      "contains(s, s)",
      "starts_with(s, s || s)",
      "ends_with(s, s)",
      "strpos(s, 'a') = 7",
      "CAST(s AS DOUBLE) > 1e308",
      "CAST(s AS BIGINT) > 9223372036854775806",
      "CAST(s AS BOOLEAN)",
      // depth and width
      nested("lower", 5) + " = 'x'",
      nested("lower", 150) + " = 'x'",
      nested("trim", 40) + " = 'x'",
      nested("upper", 2) + " = 'x'",
      nested("upper", 20) + " = 'x'",
      repeated("s", 20, " || ") + " = 'x'",
      repeated("s LIKE '%a%'", 40, " OR "),
      repeated("s LIKE '%a%'", 5'000, " OR "),
      repeated("s < 'b'", 1'000, " AND "),
      "s IN (" + repeated("'a'", 20'000, ", ") + ")",
      "CASE WHEN s LIKE '%a%b%c%' THEN s || s ELSE lower(s) END ILIKE '%aa%'",
  };
  return out;
}

class Adversary : public ::testing::Test, protected testing::PrivateTables {
 protected:
  void ask_all(const testing::Elsewhere* elsewhere) {
    string odd = "SELECT 1 AS id, 'a' AS s UNION ALL SELECT 2, 'b'";
    const string ordinary = odd;
    for (std::size_t i = 0; i < kTexts.size(); ++i)
      odd += fmt::format(" UNION ALL SELECT {}, {}", 100 + i, kTexts[i]);
    fill({{"t", ordinary}, {"o", odd}}, elsewhere);
    std::size_t answered = 0, refused = 0;
    for (const string& condition : conditions()) {
      SCOPED_TRACE(condition.substr(0, 200));
      const auto ask_of = [&](const char* table) {
        const auto found = ask(fmt::format("SELECT COUNT(*) FROM {} WHERE {}", table, condition));
        return std::pair(found.size(), refusal().substr(0, refusal().find('\n')));
      };
      const auto without = ask_of("t"), with = ask_of("o");
      EXPECT_EQ(without, with);
      EXPECT_EQ(without.first, without.second.empty() ? 1U : 0U);
      (without.first == 1 ? answered : refused) += 1;
    }
    // Neither kind is all there is.
    EXPECT_GT(answered, 30U);
    EXPECT_GT(refused, 10U);
  }
};

TEST_F(Adversary, TellsNoRowsApartInFiles) { ask_all(nullptr); }
TEST_F(Adversary, TellsNoRowsApartInPostgres) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  ask_all(&elsewhere);
}

// Patterns have the same limits everywhere; what a row may cost is by the engine's prices.
TEST_F(Adversary, IsRefusedByTheQuestionAlone) {
  fill({{"t", "SELECT 1 AS id, 'a' AS s"}}, nullptr);
  const auto refused = [&](const string& condition, const char* words) {
    EXPECT_TRUE(ask("SELECT COUNT(*) FROM t WHERE " + condition).empty())
        << condition.substr(0, 99);
    EXPECT_NE(refusal().find(words), string::npos) << refusal();
  };
  refused("s ILIKE '" + repeated("%a", 79'000) + "'", "the pattern has 158000 bytes");
  refused("s LIKE '" + repeated("%a", 21) + "'", "the pattern has 21 %");
  refused("s LIKE '%a___________'", "the pattern has 11 _");
  refused("replace(s, '😀', 'aaaa') = 'x'", "the second no longer than the first");
  refused("regexp_matches(s, '((a|b){1,30}){1,30}c')", "more than 200 characters and classes");
  refused("contains(s, '" + repeated("é", 1001) + "')", "reads texts up to 1000 characters");
  refused(nested("lower", 150) + " = 'x'", "one row could take about");
  refused(repeated("s LIKE '%a%'", 5'000, " OR "), "one row could take about");
  // … through subqueries, which an engine would merge
  string below = "t";
  for (int i = 0; i < 8; ++i)
    below = fmt::format("(SELECT id, lower(s) || upper(s) AS s FROM {} AS x{})", below, i);
  EXPECT_TRUE(ask(fmt::format("SELECT COUNT(*) FROM {} AS y WHERE s = 'x'", below)).empty());
  EXPECT_NE(refusal().find("one row could take about"), string::npos) << refusal();
  // Ordinary ones are not.
  for (const string& condition :
       {repeated("lower(s) LIKE '%york%'", 5, " OR "), repeated("s LIKE '%york%'", 20, " OR "),
        string("regexp_matches(s, '^[^@]+@[^@]+\\.[a-z]{2,}$')"),
        string("regexp_matches(s, 'diabetes|insulin|metformin|glucose')"),
        repeated("lower(left(s, 50)) LIKE '%york%'", 70, " OR "),
        // … and in files neither are those of many functions.
        repeated("lower(s) = 'york'", 10, " OR "), repeated("s ILIKE '%york%'", 10, " OR "),
        repeated("CAST(s AS DOUBLE) = 1", 6, " OR ")})
    EXPECT_EQ(ask("SELECT COUNT(*) FROM t WHERE " + condition).size(), 1U) << refusal();
}

// A server's prices are its own.
TEST_F(Adversary, IsRefusedByThePricesOfTheServer) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  fill({{"t", "SELECT 1 AS id, 'a' AS s"}}, &elsewhere);
  for (const string& condition :
       {repeated("lower(s) = 'york'", 10, " OR "), repeated("upper(s) = 'YORK'", 2, " OR "),
        repeated("CAST(s AS DOUBLE) = 1", 6, " OR ")}) {
    EXPECT_TRUE(ask("SELECT COUNT(*) FROM t WHERE " + condition).empty());
    EXPECT_NE(refusal().find("one row could take about"), string::npos) << refusal();
  }
  for (const char* condition : {"upper(s) = 'A'", "lower(s) = 'a'", "s ILIKE 'A'"})
    EXPECT_EQ(ask(fmt::format("SELECT COUNT(*) FROM t WHERE {}", condition)).size(), 1U)
        << refusal();
}

// Texts are read by their beginnings, everywhere alike.
class Beginnings : public Adversary {
 protected:
  void are_read(const testing::Elsewhere* elsewhere) {
    fill({{"t",
           "SELECT i AS id, repeat('é', 999 + CAST(i % 2 AS INTEGER)) || 'bc' AS s FROM range(100) "
           "AS r(i)"}},
         elsewhere);
    // The 1,000th character is b in every second row; c is never read.
    const std::pair<const char*, double> known[] = {
        {"s LIKE '%b'", 50},
        {"s LIKE '%b%'", 50},
        {"s LIKE '%c'", 0},
        {"s ILIKE '%B'", 50},
        {"contains(s, 'b')", 50},
        {"ends_with(s, 'b')", 50},
        {"strpos(s, 'b') = 1000", 50},
        {"length(s) = 1000", 100},
        {"right(s, 1) = 'b'", 50},
        {"lower(s) = s", 0},
        {"substr(s, 1000) = 'b'", 50},
        {"regexp_matches(s, 'b$')", 50},
        {"length(s || s) = 1000", 100},
        {"split_part(s, 'b', 2) = ''", 100},
        {"length(replace(s, 'b', '')) = 999", 50},
        // but compared whole
        {"s LIKE 'é%'", 100},
        {"s = 'x'", 0},
    };
    for (const auto& [condition, count] : known) {
      const auto found = ask(fmt::format("SELECT COUNT(*) FROM t WHERE {}", condition));
      ASSERT_EQ(found.size(), 1U) << condition << ": " << refusal();
      EXPECT_NEAR(found[0], count, 0.4) << condition;
    }
    EXPECT_NEAR(ask("SELECT COUNT(DISTINCT s) FROM t").at(0), 2, 0.4);
  }
};

TEST_F(Beginnings, AreReadInFiles) { are_read(nullptr); }
TEST_F(Beginnings, AreReadInPostgres) {
  const ledger::testing::Postgres server;
  const testing::InPostgres elsewhere(server);
  are_read(&elsewhere);
}

}  // namespace
}  // namespace discreet::service
