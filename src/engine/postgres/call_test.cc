// What the dialect makes of functions, at the ends of the doubles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <sstream>

#include "discreet/engine/postgres/dialect.h"
#include "discreet/ledger/testing/places.h"

namespace discreet::engine::postgres {
namespace {

using std::string;

// The server's C library may round another way than ours: nothing that it calculates is so near to
// the ends of the doubles that a unit in the last place would be an error.
TEST(Call, NoPowerHangsOnALastPlace) {
  const ledger::testing::Postgres server;
  server.run(
      "CREATE SEQUENCE risky; CREATE FUNCTION calm(float8) RETURNS float8 LANGUAGE sql AS $$ "
      "SELECT "
      "CASE WHEN abs($1) > '1.7976931348623153e308' OR abs($1) <= '5e-324' THEN nextval('risky') * "
      "0 + $1 ELSE $1 END $$");
  constexpr double kMost = std::numeric_limits<double>::max(),
                   kLeast = std::numeric_limits<double>::denorm_min();
  // So many doubles on both sides.
  const auto around = [](const std::vector<double>& centers) {
    std::vector<double> out;
    for (const double center : centers) {
      double up = center, down = center;
      for (int i = 0; i < 60; ++i) {
        for (const double one : {up, down, -up, -down})
          if (std::isfinite(one)) out.push_back(one);
        up = std::nextafter(up, INFINITY);
        down = std::nextafter(down, 0);
      }
    }
    return out;
  };
  const policy::Catalog nothing;
  const auto check = [&](const sql::Expr& call, const std::string& name,
                         const std::vector<double>& at, const std::function<double(double)>& ours) {
    string sql = *Dialect(nothing).call(call, {"x"});
    const auto called = sql.find(" " + name + "(x");
    ASSERT_NE(called, string::npos) << sql;
    const auto end = sql.find(" END", called);
    sql.insert(end, ")");
    sql.insert(called + 1, "public.calm(");
    string values;
    for (std::size_t i = 0; i < at.size(); ++i)
      values += fmt::format("{}({}, '{}'::float8)", i ? ", " : "", i, at[i]);
    std::istringstream lines(server.run(fmt::format(
        "SELECT string_agg(CAST({} AS text), ' ' ORDER BY n) FROM (VALUES {}) AS v(n, x)", sql,
        values)));
    string line;
    for (const double one : at) {
      ASSERT_TRUE(lines >> line) << sql;
      const double theirs = std::strtod(line.c_str(), nullptr), wanted = ours(one);
      EXPECT_TRUE(theirs == wanted || (std::isnan(theirs) && std::isnan(wanted)))
          << name << " " << one << ": " << line << ", not " << wanted << " by " << sql;
    }
    EXPECT_EQ(server.run("SELECT is_called FROM risky"), "f") << sql;
  };
  sql::Expr call;
  call.function = sql::Function::kPower;
  call.args.resize(2);
  for (const double to :
       {2.0, 3.0, 7.0, 300.0, 1.5, 1.0625, 0.5, -0.5, -0.96, -1.0, -1.5, -2.0, -3.0, -300.0}) {
    call.args[1].literal = policy::Value::number(to);
    check(call, "power",
          around({std::pow(kMost, 1 / to), std::pow(kLeast, 1 / to), std::exp2(-1075 / to)}),
          [to](double x) { return std::pow(x, to); });
  }
  call.function = sql::Function::kExp;
  call.args.resize(1);
  check(call, "exp",
        around({709.782712893384, -745.1332191019411, -744.44, -744.1, -744.0346068132731}),
        [](double x) { return std::exp(x); });
}

}  // namespace
}  // namespace discreet::engine::postgres
