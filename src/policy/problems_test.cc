// What is wrong with a policy is said once, and what follows from it isn't.
#include "discreet/policy/problems.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace discreet::policy {
namespace {

using std::string;

TEST(Problems, AServerThatIsNotUnderstoodHasNoFiles) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("discreet-problems-{}.toml", getpid());
  const auto said = [&](const string& head, const string& table) {
    std::ofstream(path) << fmt::format(
        "[policy]\nname = \"p\"\nunit = \"patient\"\nbudget = {{ epsilon = 1 }}\n{}\n"
        "[tables.visits]\nsource = \"visits\"\nkey = \"id\"\n{}\n",
        head, table);
    std::vector<Error> problems;
    const Policy policy = read_with_problems(path, problems);
    EXPECT_TRUE(policy.tables.empty());
    string out;
    for (const Error& one : problems) out += one.text() + "\n";
    return out;
  };
  const auto lines = [](const string& text) { return std::count(text.begin(), text.end(), '\n'); };
  for (const char* head :
       {"engine = \"mysql\"", "engine = \"postgres\"", "engine = \"trino\"",
        "engine = \"postgres\"\ndsn = \"env:DISCREET_NOWHERE_AT_ALL\"", "dsn = \"host=h\"",
        "url = \"https://h\"", "engine = 7", "engine = \"trino\"\nurl = \"h\""}) {
    const string text = said(head, "foreign = \"trusted\"\nformat = \"csv\"");
    EXPECT_EQ(lines(text), 1) << head << "\n" << text;
    EXPECT_EQ(text.find("tables.visits"), string::npos) << text;
    // What is wrong with the table itself is said too.
    EXPECT_EQ(lines(said(head, "max_grops = 1")), 2) << head;
  }
  EXPECT_NE(said("", "").find("visits"), string::npos);
  EXPECT_NE(said("engine = \"duckdb\"", "").find("visits"), string::npos);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace discreet::policy
