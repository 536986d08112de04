// The questions of tests/sql/*.test as far as planning takes them: what must be refused is refused,
// in the words that stand there, and what is answered can be planned. (tests/sql_test.py asks them
// through the command, for the answers.)
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "discreet/service/service.h"

namespace discreet::sql {
namespace {

using std::string;
namespace fs = std::filesystem;

struct Case {
  string place, head, query;
  std::vector<string> expected;  // pieces of a refusal's message
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const auto& entry : fs::directory_iterator(fs::path(DISCREET_SOURCE) / "tests/sql")) {
    if (entry.path().extension() != ".test") continue;
    std::ifstream file(entry.path());
    string line;
    enum class In { kNothing, kQuery, kExpected } in = In::kNothing;
    for (int number = 1; std::getline(file, line); ++number) {
      if (in == In::kNothing && (line.starts_with("answer") || line.starts_with("refuse"))) {
        out.push_back(
            {entry.path().filename().string() + ":" + std::to_string(number), line, {}, {}});
        in = In::kQuery;
      } else if (in == In::kQuery && line == "----") {
        in = In::kExpected;
      } else if (in == In::kQuery) {
        out.back().query += line + "\n";
      } else if (line.empty()) {
        in = In::kNothing;
      } else if (in == In::kExpected) {
        out.back().expected.push_back(line);
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const Case& a, const Case& b) { return a.place < b.place; });
  return out;
}

class Cases : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("discreet-cases-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    const string script =
        "import pathlib, sys; sys.path.insert(0, sys.argv[1]); import fixture; "
        "print(fixture.write(pathlib.Path(sys.argv[2])))";
    const string command = "PYTHONDONTWRITEBYTECODE=1 python3 -c '" + script + "' '" +
                           (fs::path(DISCREET_SOURCE) / "tests/sql").string() + "' '" +
                           (folder_ / "data").string() + "' > '" + (folder_ / "policy").string() +
                           "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    string policy;
    std::getline(std::ifstream(folder_ / "policy"), policy);
    auto opened = service::Service::open(policy, {.memory = 400'000'000, .threads = 1});
    ASSERT_TRUE(opened) << opened.error().text();
    service_ = opened->release();
  }
  static void TearDownTestSuite() {
    delete service_;
    fs::remove_all(folder_);
  }
  static Result<plan::Plan> planned(const string& query) {
    Options options;
    if (query.find("SELECT WITH DIFF") == string::npos) {
      options.epsilon = 5000;
      options.delta = Rational(1, 1000);
    }
    return service_->plan(query, options);
  }
  static inline fs::path folder_;
  static inline service::Service* service_ = nullptr;
};

TEST_F(Cases, WhatMustBeRefusedIsRefusedInTheseWords) {
  int refused = 0;
  for (const Case& one : cases()) {
    if (one.head != "refuse") continue;
    // How many rows a public subquery has is looked up when the question is asked.
    if (one.expected[0].find("stands for one value and has") != string::npos) continue;
    const auto plan = planned(one.query);
    EXPECT_FALSE(plan) << one.place << ": " << one.query;
    if (plan) continue;
    ++refused;
    EXPECT_EQ(plan.error().code, Code::kRefused) << one.place;
    for (const string& piece : one.expected)
      EXPECT_NE(plan.error().text().find(piece), string::npos)
          << one.place << ": " << plan.error().text();
  }
  EXPECT_GT(refused, 120);
}

TEST_F(Cases, WhatIsAnsweredCanBePlanned) {
  int made = 0;
  for (const Case& one : cases()) {
    if (one.head != "answer") continue;
    const auto plan = planned(one.query);
    EXPECT_TRUE(plan) << one.place << ": " << one.query << plan.error().text();
    made += plan.has_value();
  }
  EXPECT_GT(made, 200);
}

}  // namespace
}  // namespace discreet::sql
