// Whose budget a source is: any of its names joins, none that differs refuses, and what is in a
// file that a ledger knows decides nothing.
#include "discreet/ledger/identity.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "discreet/base/durable_file.h"
#include "discreet/ledger/testing/contract.h"

namespace discreet::ledger {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class Identity : public ::testing::Test {
 protected:
  Terms terms(const std::string& name, const std::string& file) {
    Terms out = terms_at(folder_ / (name + ".ledger"));
    out.policy = name;
    out.sources = out.files = {folder_ / file};
    return out;
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file, std::ios::binary | std::ios::trunc) << text;
  }
  // Uses it once; what it was refused for, or nothing.
  static std::string use(const Terms& terms) {
    auto ledger = Ledger::open(terms);
    if (!ledger) return ledger.error().message.text();
    must_release(**ledger, ask("0.01"));
    return "";
  }
  // Only looks.
  static std::string look(const Terms& terms) {
    auto ledger = Ledger::open(terms);
    return ledger ? "" : ledger.error().message.text();
  }

  Folder folder_;
};

TEST_F(Identity, LinksAndCopiesAreTheSameSource) {
  write("a", "patient\n1\n");
  ASSERT_EQ(use(terms("first", "a")), "");
  std::filesystem::create_hard_link(folder_ / "a", folder_ / "linked");
  std::filesystem::copy_file(folder_ / "a", folder_ / "copied");
  EXPECT_NE(look(terms("second", "linked")).find("the same file under another name"),
            std::string::npos);
  EXPECT_NE(look(terms("second", "copied")).find("a copy of a file there"), std::string::npos);
  EXPECT_NE(look(terms("second", "linked")).find("already has a budget"), std::string::npos);
  write("other", "patient\n2\n");
  EXPECT_EQ(use(terms("second", "other")), "");
  // A source that is added to a ledger is as new as a ledger's first.
  Terms more = terms("second", "other");
  more.sources.push_back(folder_ / "copied");
  more.files.push_back(folder_ / "copied");
  EXPECT_NE(look(more).find("a copy of a file there"), std::string::npos);
  // Rewritten, its first bytes are still known.
  write("a", "patient\n1\n3\n");
  ASSERT_EQ(use(terms("first", "a")), "");
  EXPECT_NE(look(terms("third", "copied")).find("a copy of a file there"), std::string::npos);
  // Renamed, and its old name another's: the inode is what it was.
  std::filesystem::rename(folder_ / "a", folder_ / "b");
  write("a", "patient\n7\n");
  EXPECT_NE(look(terms("third", "b")).find("the same file"), std::string::npos);
}

// What stands in files decides nothing once a ledger knows them: two that become equal are asked
// about as before. A link is no matter of rows, and joins.
TEST_F(Identity, RowsOfAKnownSourceRefuseNothing) {
  write("a", "patient\n1\n");
  write("b", "patient\n2\n");
  ASSERT_EQ(use(terms("first", "a")), "");
  ASSERT_EQ(use(terms("second", "b")), "");
  write("b", "patient\n1\n");
  EXPECT_EQ(use(terms("second", "b")), "");
  EXPECT_EQ(use(terms("first", "a")), "");
  std::filesystem::remove(folder_ / "b");
  std::filesystem::create_hard_link(folder_ / "a", folder_ / "b");
  EXPECT_NE(use(terms("second", "b")).find("the same file"), std::string::npos);
}

// A file that was put in the place of another since its ledger was used: linked elsewhere, it is
// still what lies there.
TEST_F(Identity, WhatLiesThereNowCounts) {
  write("a", "patient\n1\n");
  ASSERT_EQ(use(terms("first", "a")), "");
  std::filesystem::remove(folder_ / "a");
  write("a", "patient\n5\n");
  std::filesystem::create_hard_link(folder_ / "a", folder_ / "b");
  EXPECT_NE(look(terms("second", "b")).find("the same file"), std::string::npos);
}

TEST_F(Identity, TablesAreKnownByTheirNumbers) {
  const auto table = [&](const std::string& policy, const std::string& name, int number) {
    Terms out = terms_at(folder_ / (policy + ".ledger"));
    out.sources = {"server#public." + name};
    out.numbers = {{out.sources[0], "server#oid=" + std::to_string(number)}};
    return out;
  };
  ASSERT_EQ(use(table("first", "visits", 1)), "");
  EXPECT_NE(look(table("second", "renamed", 1)).find("the same table under another name"),
            std::string::npos);
  EXPECT_NE(look(table("second", "visits", 2)).find("already has a budget"), std::string::npos);
  EXPECT_EQ(use(table("second", "renamed", 3)), "");
  // Made anew under its name, it keeps its budget, and has another number from then on.
  ASSERT_EQ(use(table("first", "visits", 4)), "");
  EXPECT_NE(look(table("third", "x", 4)).find("already has a budget"), std::string::npos);
  EXPECT_NE(look(table("third", "x", 1)).find("already has a budget"), std::string::npos);
}

TEST_F(Identity, SharedAndReplacedByMarksToo) {
  write("a", "patient\n1\n");
  ASSERT_EQ(use(terms("first", "a")), "");
  std::filesystem::create_hard_link(folder_ / "a", folder_ / "b");
  ASSERT_TRUE(Ledger::start(terms("second", "b"), {false, true, "owner", "another study"}));
  EXPECT_EQ(use(terms("second", "b")), "");
  EXPECT_EQ(use(terms("first", "a")), "");
  std::filesystem::create_hard_link(folder_ / "a", folder_ / "c");
  auto fresh = Ledger::start(terms("third", "c"), {true, false, "owner", "starting over"});
  ASSERT_TRUE(fresh) << fresh.error().text();
  EXPECT_EQ(use(terms("third", "c")), "");
  EXPECT_NE(use(terms("first", "a")).find("was replaced"), std::string::npos);
  EXPECT_NE(use(terms("second", "b")).find("was replaced"), std::string::npos);
}

// Looking makes neither a key nor an entry.
TEST_F(Identity, LookingMakesNoKey) {
  write("a", "patient\n1\n");
  EXPECT_EQ(look(terms("first", "a")), "");
  EXPECT_FALSE(std::filesystem::exists(folder_.registry()));
  EXPECT_EQ(use(terms("first", "a")), "");
  EXPECT_TRUE(std::filesystem::exists(folder_.registry() + "/key"));
  ASSERT_TRUE(write_durably(folder_.registry() + "/key", "cut"));
  EXPECT_NE(use(terms("first", "a")).find("key is damaged"), std::string::npos);
  // Without it copies aren't known; everything else is.
  std::filesystem::remove(folder_.registry() + "/key");
  std::filesystem::create_hard_link(folder_ / "a", folder_ / "b");
  EXPECT_NE(look(terms("second", "b")).find("the same file"), std::string::npos);
  EXPECT_EQ(use(terms("first", "a")), "");
}

}  // namespace
}  // namespace discreet::ledger
