// Which record may follow which. Whoever may write the ledger's file could append any of them, with
// a hash that is right: what was never done isn't believed.
#include "discreet/ledger/book.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "discreet/ledger/testing/places.h"

namespace discreet::ledger {
namespace {

// A book of one data set with ε = 1.
class Books : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(add(book_, {{"kind", "init"}, {"accountant", "approx"}, {"epsilon", "1"}}));
  }

  static bool add(Book& book, Json body) {
    const std::uint64_t record = book.records() + 1;
    body["record"] = record;
    body["time"] = utc(1794780000 + static_cast<std::int64_t>(record));
    body["delta"] = "0";
    Row row{record, *canonical(body), "", {}};
    row.hash = chain_hash(book.head(), row.body);
    return book.apply(row).has_value();
  }
  // The number of the release.
  static std::uint64_t reserve(Book& book) {
    EXPECT_TRUE(add(book, {{"kind", "reserve"},
                           {"plan", "p"},
                           {"epsilon", "1/4"},
                           {"rho", "1/32"},
                           {"part_delta", "0"},
                           {"accounts", {"", "ana"}}}));
    return book.records();
  }
  static Json about(const char* kind, std::uint64_t release) {
    Json out{{"kind", kind}, {"release", release}};
    if (out["kind"] == "reuse") out["accounts"] = {"bo"};
    return out;
  }
  // After these records about one release: is it true that this one may follow?
  bool follows(const std::vector<const char*>& before, const char* kind) const {
    Book book = book_;
    const std::uint64_t release = reserve(book);
    for (const char* one : before) EXPECT_TRUE(add(book, about(one, release))) << one;
    return add(book, about(kind, release));
  }

  Book book_;
};

TEST_F(Books, OnlyWhatWasGivenIsGivenAgain) {
  EXPECT_TRUE(follows({"commit"}, "reuse"));
  EXPECT_FALSE(follows({}, "reuse"));
  EXPECT_FALSE(follows({"abandon"}, "reuse"));
}

TEST_F(Books, WhatIsReservedEndsOnce) {
  for (const char* end : {"commit", "abandon"}) {
    EXPECT_TRUE(follows({}, end));
    for (const char* before : {"commit", "abandon"}) EXPECT_FALSE(follows({before}, end));
  }
}

TEST_F(Books, WhoIsGivenAnAnswerAgainPaysOnce) {
  const std::uint64_t release = reserve(book_);
  ASSERT_TRUE(add(book_, about("commit", release)));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(add(book_, about("reuse", release)));
    for (const char* name : {"", "ana", "bo"})
      EXPECT_EQ(book_.spent(name, 0).epsilon, testing::rational("1/4")) << name;
  }
}

}  // namespace
}  // namespace discreet::ledger
