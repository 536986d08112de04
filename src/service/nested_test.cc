// Short questions that double at each level: answered, or refused in a sentence, in little memory.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <iostream>

#include "discreet/service/testing/asked.h"
#include "discreet/service/testing/raw_parquet.h"

namespace discreet::service {
namespace {

using std::string;
using testing::Asked;

string replaced(string text, const string& by) {
  for (std::size_t at = text.find('@'); at != string::npos; at = text.find('@', at + by.size()))
    text.replace(at, 1, by);
  return text;
}

class NestedDeathTest : public testing::InAFolder {
 protected:
  [[noreturn]] void ask_nested() const {
    testing::write_parquet(place() + "/t.parquet",
                           {testing::raw_wholes("u", {1}), testing::raw_wholes("x", {1})});
    Asked t(place(), "source = \"t.parquet\"\nkey = \"u\"\n");
    const rlimit most{2'500'000'000, 2'500'000'000};
    setrlimit(RLIMIT_AS, &most);
    int bad = 0;
    const auto nested = [&](const char* around, int levels, const string& start, bool answered) {
      string made = start;
      for (int i = 0; i < levels; ++i) made = replaced(around, made);
      const string said = t.ask(fmt::format("SELECT COUNT({}) FROM t", made));
      if (said.empty() != answered || said.find("could not be run") != string::npos) {
        std::cerr << around << " " << levels << ": " << said << "\n";
        ++bad;
      }
    };
    nested("sqrt(@)", 60, "x", true);
    nested("sqrt(@)", 190, "x", true);
    nested("ln(@)", 60, "x", true);
    nested("(1 / @)", 60, "x", true);
    nested("(@ % 7)", 60, "x", true);
    nested("nullif(@, 1)", 60, "x", true);
    nested("CAST(CAST(@ AS VARCHAR) AS DATE)", 60, "CAST(x AS VARCHAR)", true);
    nested("(@ + INTERVAL 1 MONTH)", 60, "CAST(CAST(x AS VARCHAR) AS DATE)", true);
    nested("(@ BETWEEN FALSE AND TRUE)", 8, "(x > 1)", true);
    nested("(@ BETWEEN FALSE AND TRUE)", 60, "(x > 1)", false);
    nested("(@ IN (x > 1, x > 2, x > 3))", 60, "(x > 1)", true);
    nested("sqrt(@)", 400, "x", false);
    nested("(CASE @ WHEN 1 THEN 2 WHEN 2 THEN 3 END)", 40, "x", false);
    nested("((@, x) IN ((TRUE, 1), (FALSE, 2)))", 40, "(x > 1)", false);
    string inner = "SELECT u, x FROM t";
    for (int i = 0; i < 180; ++i)
      inner = fmt::format("SELECT u, x + 1 AS x FROM ({}) WHERE x > 1", inner);
    const string said = t.ask("SELECT COUNT(*) FROM (" + inner + ")");
    bad += said.empty() || said.find("could not be run") != string::npos ? 1 : 0;
    leave(bad);
  }
};

TEST_F(NestedDeathTest, QuestionsStaySmall) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the memory that is limited here is what a sanitizer needs for itself";
#endif
  EXPECT_EXIT(ask_nested(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace discreet::service
