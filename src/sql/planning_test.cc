// Whatever a question nests or repeats, planning it ends soon: the work grows no faster than a
// small power of its length, and there is a most that is accepted. The work is counted in
// allocations, of all libraries together, from the text to the answer about three rows: they are
// the same on every machine, and neither an expression nor a relation is made without one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>

#include "discreet/service/testing/asked.h"
#include "discreet/service/testing/raw_parquet.h"

namespace {
std::atomic<std::size_t> allocations{0};
}

// (Not inlined: the compiler would take free for a mistake.)
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* made = std::malloc(size == 0 ? 1 : size)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*none*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* made) noexcept { std::free(made); }
[[gnu::noinline]] void operator delete(void* made, std::size_t /*size*/) noexcept {
  std::free(made);
}

namespace discreet::sql {
namespace {

using std::string;
namespace testing = service::testing;
using testing::Asked;

constexpr std::size_t kLongest = 1'000'000;  // of a text
// About a second.
constexpr std::size_t kMostWork = 20'000'000;
// Between a size and its double: at most its cube, beyond what a question takes anyway.
constexpr double kSteepest = 8;
constexpr std::size_t kAnyway = 200'000;

// `many` of a piece, {} its number.
string repeated(const char* piece, std::size_t many, const char* between = ", ") {
  string out;
  for (std::size_t i = 0; i < many && out.size() <= kLongest; ++i)
    out += (i == 0 ? "" : between) + fmt::format(fmt::runtime(piece), i);
  return out;
}

// @ in `around` is what it is put around, again and again.
string nested(const string& around, const string& start, std::size_t levels) {
  const std::size_t at = around.find('@');
  string before, after;
  const string head = around.substr(0, at), tail = around.substr(at + 1);
  for (std::size_t i = 0; i < levels && before.size() + after.size() <= kLongest; ++i) {
    before += head;
    after += tail;
  }
  return before + start + after;
}

struct Shape {
  const char* name;
  std::function<string(std::size_t)> query;
};

std::vector<Shape> shapes() {
  std::vector<Shape> out;
  // Expressions around expressions, as what is counted and as what is asked for.
  for (const char* around : {"(@)",
                             "(@ + 1)",
                             "(1 - @)",
                             "(- @)",
                             "sqrt(@)",
                             "abs(@)",
                             "round(@)",
                             "least(@, x)",
                             "greatest(x, @)",
                             "nullif(@, 1)",
                             "coalesce(@, x)",
                             "CAST(@ AS DOUBLE)",
                             "length(CAST(@ AS VARCHAR))",
                             "CASE WHEN @ > 1 THEN 1 ELSE 2 END",
                             "CASE @ WHEN 1 THEN 2 ELSE 3 END",
                             "CASE WHEN x > 1 THEN @ END",
                             "(@ % 7)",
                             "(@ // 2)",
                             "power(@, 2)",
                             "CAST((@ > 1) AS INTEGER)",
                             "CAST((@ BETWEEN 1 AND 2) AS INTEGER)",
                             "CAST((@ IN (1, 2)) AS INTEGER)",
                             "CAST(((@, 1) IN ((1, 1), (2, 2))) AS INTEGER)",
                             "CAST((@ IS NULL) AS INTEGER)",
                             "CAST((@ IS DISTINCT FROM 1) AS INTEGER)",
                             "CAST((NOT (@ > 1)) AS INTEGER)",
                             "CAST((@ > 1 AND x > 1) AS INTEGER)",
                             "CAST((@ > 1 OR x > 1) AS INTEGER)",
                             "(SELECT @)",
                             "(SELECT MAX(@) FROM p)",
                             "(SELECT COUNT(*) FROM p WHERE @ > 0)",
                             "(SELECT MAX(a) FROM p WHERE p.a = @)",
                             "CAST(EXISTS (SELECT 1 FROM p WHERE p.a = @) AS INTEGER)",
                             "CAST((@ IN (SELECT a FROM p)) AS INTEGER)"}) {
    out.push_back({around, [=](std::size_t n) {
                     return "SELECT COUNT(" + nested(around, "x", n) + ") FROM t";
                   }});
    out.push_back({around, [=](std::size_t n) {
                     return "SELECT COUNT(*) FROM t WHERE " + nested(around, "x", n) + " > 1";
                   }});
    out.push_back({around, [=](std::size_t n) {
                     return "SELECT " + nested(around, "x", n) + ", COUNT(*) FROM t GROUP BY x";
                   }});
    out.push_back({around, [=](std::size_t n) {
                     return "SELECT COUNT(*) FROM t GROUP BY " + nested(around, "x", n);
                   }});
    out.push_back({around, [=](std::size_t n) {
                     return "SELECT COUNT(*) FROM t HAVING " + nested(around, "COUNT(*)", n) +
                            " > 1 ORDER BY " + nested(around, "COUNT(*)", n);
                   }});
  }
  // Queries in queries.
  for (const char* around :
       {"SELECT u, x FROM (@)", "SELECT u, x + 1 AS x FROM (@) WHERE x > 1",
        "SELECT u, sqrt(x) AS x FROM (@)", "SELECT u, x * x AS x FROM (@)",
        "SELECT u, MAX(x) AS x FROM (@) GROUP BY u", "SELECT DISTINCT u, x FROM (@)",
        "SELECT a.u, a.x FROM (@) a JOIN t ON a.u = t.u",
        "SELECT a.u, a.x FROM t a SEMI JOIN (@) b ON a.u = b.u",
        "SELECT a.u, a.x FROM (@) a JOIN (VALUES (1), (2)) v(a) ON a.x = v.a",
        "SELECT u, x FROM (@) UNION ALL SELECT u, x FROM t", "WITH w AS (@) SELECT u, x FROM w",
        "SELECT u, x FROM (@) q WHERE EXISTS (SELECT 1 FROM p WHERE p.a = q.x)"})
    out.push_back({around, [=](std::size_t n) {
                     return "SELECT COUNT(*) FROM (" + nested(around, "SELECT u, x FROM t", n) +
                            ")";
                   }});
  for (const char* exists :
       {"EXISTS (SELECT 1 FROM (VALUES (1)) v(a) WHERE @)",
        "EXISTS (SELECT 1 FROM (VALUES (1)) v(a) WHERE v.a = x AND @)",
        "EXISTS (SELECT 1 FROM p WHERE p.a = x AND @)",
        "EXISTS (SELECT 1 FROM (SELECT a FROM p WHERE @) v WHERE v.a = x)",
        "EXISTS (WITH w AS (SELECT a FROM p WHERE @) SELECT 1 FROM w WHERE w.a = x)",
        "x IN (SELECT a FROM p WHERE @)", "NOT @", "(x > 1 AND @)", "(x > 1 OR @)",
        "(SELECT COUNT(*) FROM p WHERE p.a = x AND @) > 0",
        "(SELECT MAX(a) FROM (VALUES (1)) v(a) WHERE @) > 0"})
    out.push_back({exists, [=](std::size_t n) {
                     return "SELECT COUNT(*) FROM t WHERE " + nested(exists, "x = 1", n);
                   }});
  // Lists.
  const auto list = [&](const char* name, std::function<string(std::size_t)> query) {
    out.push_back({name, std::move(query)});
  };
  for (const auto& [piece, between] : {std::pair{"x > {}", " AND "},
                                       {"x = {}", " OR "},
                                       {"x IN ({}, 1)", " AND "},
                                       {"x BETWEEN {} AND 9", " AND "},
                                       {"EXISTS (SELECT 1 FROM p WHERE p.a = {})", " AND "},
                                       {"x > (SELECT MAX(a) + {} FROM p)", " AND "},
                                       {"x < {} = TRUE", " AND "},
                                       {"x IS NOT DISTINCT FROM {}", " OR "}})
    list(piece, [=](std::size_t n) {
      return "SELECT COUNT(*) FROM t WHERE " + repeated(piece, n, between);
    });
  for (const char* piece :
       {"{}", "x", "COUNT(*) + {}", "COUNT(*)", "SUM(LEAST(GREATEST(x, 0), {}))",
        "COUNT(*) FILTER (WHERE x = {})", "COUNT(DISTINCT x + {})", "MEDIAN(x)", "(SELECT {})",
        "CASE WHEN COUNT(*) > {} THEN 1 END"})
    list(piece, [=](std::size_t n) { return "SELECT " + repeated(piece, n) + " FROM t"; });
  list("sum of aggregates", [](std::size_t n) {
    return "SELECT " + repeated("COUNT(*) FILTER (WHERE x = {})", n, " + ") + " FROM t";
  });
  for (const char* key :
       {"x + {}", "x", "x > {}", "x % 2 = {}", "date_trunc('day', d) = d AND x > {}"})
    list(key, [=](std::size_t n) { return "SELECT COUNT(*) FROM t GROUP BY " + repeated(key, n); });
  list("GROUP BY ALL", [](std::size_t n) {
    return "SELECT COUNT(*), " + repeated("x + {}", n) + " FROM t GROUP BY ALL";
  });
  list("inner keys", [](std::size_t n) {
    return "SELECT COUNT(*) FROM (SELECT u FROM t GROUP BY u, " + repeated("x + {}", n) + ")";
  });
  list("inner aggregates", [](std::size_t n) {
    return "SELECT COUNT(*) FROM (SELECT u, " + repeated("MAX(x + {}) AS m{0}", n) +
           " FROM t GROUP BY u)";
  });
  list("columns", [](std::size_t n) {
    return "SELECT COUNT(*) FROM (SELECT u, " + repeated("x + {} AS c{0}", n) + " FROM t) WHERE " +
           repeated("c{} > 1", n, " AND ");
  });
  list("stars", [](std::size_t n) {
    return "SELECT COUNT(*) FROM (SELECT " + repeated("*", n) + " FROM t)";
  });
  list("ORDER BY", [](std::size_t n) {
    return "SELECT x, COUNT(*) FROM t GROUP BY x ORDER BY " + repeated("x + {}", n);
  });
  list("IN list", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t WHERE x IN (" + repeated("{}", n) + ")";
  });
  list("IN list of a key", [](std::size_t n) {
    return "SELECT x, COUNT(*) FROM t WHERE x IN (" + repeated("{}", n) + ") GROUP BY x";
  });
  list("IN list of texts", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t WHERE CAST(x AS VARCHAR) IN (" + repeated("'{}'", n) + ")";
  });
  list("IN list, nested", [](std::size_t n) {
    return "SELECT " +
           nested("abs(@)", "CASE WHEN x IN (" + repeated("{}", n) + ") THEN 1 END", 100) +
           ", COUNT(*) FROM t GROUP BY x";
  });
  list("rows of IN", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t WHERE (x, u) IN (" + repeated("({}, 1)", n) + ")";
  });
  list("IN query of rows", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t WHERE x IN (SELECT a FROM (VALUES " + repeated("({})", n) +
           ") v(a))";
  });
  for (const char* call : {"least", "greatest", "coalesce", "concat"})
    list(call, [=](std::size_t n) {
      return fmt::format("SELECT COUNT({}({})) FROM t", call,
                         repeated("CAST(x + {} AS VARCHAR)", n));
    });
  list("||", [](std::size_t n) {
    return "SELECT COUNT(" + repeated("CAST(x AS VARCHAR)", n, " || ") + ") FROM t";
  });
  list("+", [](std::size_t n) { return "SELECT COUNT(" + repeated("x", n, " + ") + ") FROM t"; });
  list("CASE", [](std::size_t n) {
    return "SELECT CASE " + repeated("WHEN x = {} THEN 'a{0}'", n, " ") +
           " END AS k, COUNT(*) FROM t "
           "GROUP BY k";
  });
  list("CASE x", [](std::size_t n) {
    return "SELECT COUNT(CASE x " + repeated("WHEN {} THEN 1", n, " ") + " END) FROM t";
  });
  list("VALUES", [](std::size_t n) {
    return "SELECT v.a, COUNT(*) FROM t JOIN (VALUES " + repeated("({})", n) +
           ") v(a) ON t.x = v.a GROUP BY v.a";
  });
  list("wide VALUES", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t, (VALUES (" + repeated("{}", n) + ")) v";
  });
  list("VALUES lists", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t" + repeated(", (VALUES (1), (2), (3)) v{}(a)", n, "");
  });
  list("joins", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t" + repeated(" JOIN t t{0} ON t.u = t{0}.u", n, "");
  });
  list("joins in parentheses", [](std::size_t n) {
    std::function<string(std::size_t, std::size_t)> tree = [&](std::size_t from,
                                                               std::size_t count) {
      if (count <= 1) return fmt::format("p p{}", from);
      return fmt::format("({} JOIN {} ON TRUE)", tree(from, count / 2),
                         tree(from + count / 2, count - count / 2));
    };
    return "SELECT COUNT(*) FROM t, " + tree(0, std::min<std::size_t>(n, 50'000));
  });
  list("LEFT joins", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t" + repeated(" LEFT JOIN p p{0} ON t.x = p{0}.a", n, "");
  });
  list("CTEs", [](std::size_t n) {
    return "WITH w0 AS (SELECT u, x FROM t)" +
           repeated(", w{}b AS (SELECT u, x FROM t WHERE x > {0})", n, "") +
           " SELECT COUNT(*) FROM w0";
  });
  const auto chain = [&](const char* name, const char* step) {
    list(name, [=](std::size_t n) {
      string out = "WITH w0 AS (SELECT u, x FROM t)";
      for (std::size_t i = 1; i <= n && out.size() <= kLongest; ++i)
        out += fmt::format(", w{} AS (", i) + fmt::format(fmt::runtime(step), i - 1) + ")";
      return out + fmt::format(" SELECT COUNT(*) FROM w{}", n);
    });
  };
  chain("chain of CTEs", "SELECT u, x FROM w{} WHERE x > 1");
  chain("chain of CTEs, columns twice", "SELECT u, x + x AS x FROM w{} WHERE x > 1");
  chain("chain of CTEs, tables twice", "SELECT a.u, a.x FROM w{0} a JOIN w{0} b ON a.u = b.u");
  chain("chain of CTEs, unions", "SELECT u, x FROM w{0} UNION ALL SELECT u, x FROM w{0}");
  chain("chain of CTEs, groups", "SELECT u, MAX(x) AS x FROM w{0} GROUP BY u");
  for (const char* part : {"SELECT COUNT(*) FROM t WHERE x = {}", "SELECT {}"})
    list(part, [=](std::size_t n) { return repeated(part, n, " UNION ALL "); });
  list("inner UNION ALL", [](std::size_t n) {
    return "SELECT COUNT(*) FROM (" + repeated("SELECT u, x + {} AS x FROM t", n, " UNION ALL ") +
           ")";
  });
  for (const char* literal : {"[{}]", "{{'a': {}}}", "ROW({})"})
    list(literal,
         [=](std::size_t n) { return "SELECT COUNT(" + repeated(literal, n, " = ") + ") FROM t"; });
  list("nested lists",
       [](std::size_t n) { return "SELECT COUNT(" + nested("[@]", "x", n) + ") FROM t"; });
  list("options", [](std::size_t n) {
    return "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(" + repeated("epsilon=1", n) +
           ") COUNT(*) FROM t";
  });
  list("options in parentheses", [](std::size_t n) {
    return "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=" + nested("(@)", "1", n) +
           ") COUNT(*) FROM t";
  });
  list("options of ln", [](std::size_t n) {
    return "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=" + nested("ln(@)", "3", n) +
           ") COUNT(*) FROM t";
  });
  list("comments",
       [](std::size_t n) { return "SELECT COUNT(*) FROM t " + repeated("/* {} */", n, " "); });
  list("comments in comments",
       [](std::size_t n) { return "SELECT COUNT(*) FROM t " + nested("/*@*/", "", n); });
  list("statements", [](std::size_t n) { return repeated("SELECT COUNT(*) FROM t", n, "; "); });
  list("a long name", [](std::size_t n) {
    return "SELECT COUNT(" + string(std::min(n * 10, kLongest), 'a') + ") FROM t";
  });
  list("a long text", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t WHERE CAST(x AS VARCHAR) = '" +
           string(std::min(n * 10, kLongest), 'a') + "'";
  });
  list("a long number", [](std::size_t n) {
    return "SELECT COUNT(*) FROM t WHERE x > 1" + string(std::min(n, kLongest), '0');
  });
  return out;
}

class PlanningSearch : public testing::InAFolder {
 protected:
  void check(std::size_t first, std::size_t every) {
    testing::write_parquet(place() + "/t.parquet", {testing::raw_wholes("u", {1, 2, 3}),
                                                    testing::raw_wholes("x", {1, 2, 3})});
    testing::write_parquet(place() + "/p.parquet", {testing::raw_wholes("a", {1, 2, 3})});
    Asked t(place(),
            "source = \"t.parquet\"\nkey = \"u\"\ncolumns.x = { range = [0, 100] }\n"
            "[tables.p]\nsource = \"p.parquet\"\npublic = true\n",
            1);
    ASSERT_EQ(t.error, "");
    const std::vector<Shape> all = shapes();
    for (std::size_t i = first; i < all.size(); i += every) {
      std::size_t before = 0;
      for (std::size_t n = 4;; n *= 2) {
        const string query = all[i].query(n);
        if (query.size() > kLongest) break;
        const std::size_t start = allocations.load();
        const string said = t.ask(query);
        const std::size_t work = allocations.load() - start;
        const string which =
            fmt::format("{}, {} times ({} bytes): {} allocations, {}", query.substr(0, 70), n,
                        query.size(), work, said.empty() ? "answered" : said.substr(0, 90));
        if (std::getenv("DISCREET_PLANNING")) std::cerr << which << "\n";
        EXPECT_LE(work, kMostWork) << which;
        EXPECT_EQ(said.find("could not be run"), string::npos) << which;
        if (before > 0) {
          EXPECT_LE(static_cast<double>(work), kSteepest * static_cast<double>(before + kAnyway))
              << which;
        }
        if (work > kMostWork) break;  // and no further
        before = work;
      }
    }
  }
};

TEST_F(PlanningSearch, OfEveryNestingIsBounded0) { check(0, 4); }
TEST_F(PlanningSearch, OfEveryNestingIsBounded1) { check(1, 4); }
TEST_F(PlanningSearch, OfEveryNestingIsBounded2) { check(2, 4); }
TEST_F(PlanningSearch, OfEveryNestingIsBounded3) { check(3, 4); }

}  // namespace
}  // namespace discreet::sql
