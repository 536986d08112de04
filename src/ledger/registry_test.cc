#include "discreet/ledger/registry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "discreet/base/durable_file.h"
#include "discreet/ledger/head_file.h"
#include "discreet/ledger/record.h"
#include "discreet/ledger/testing/places.h"

namespace discreet::ledger {
namespace {

using testing::Folder;

Known known(std::uint64_t record, const std::string& id = "abc") {
  return {id,
          "/data/clinic.ledger",
          "clinic",
          {"/data/visits.csv"},
          {},
          record,
          sha256_hex(std::to_string(record)),
          ""};
}

Status remember(const Registry& registry, const Known& one) {
  return registry.remember(one, [&] { return one; });
}

TEST(Registry, HeadsOnlyMoveForward) {
  Folder folder;
  const Registry registry = *Registry::find();
  EXPECT_TRUE(registry.all()->empty());
  EXPECT_FALSE(registry.look_up("abc")->has_value());
  ASSERT_TRUE(remember(registry, known(3)));
  ASSERT_TRUE(remember(registry, known(5)));
  ASSERT_TRUE(remember(registry, known(4)));  // a process that comes late
  EXPECT_EQ((*registry.look_up("abc"))->record, 5U);
  EXPECT_EQ((*registry.look_up("abc"))->hash, known(5).hash);
  Known moved = known(4);
  moved.location = "/elsewhere";
  ASSERT_TRUE(remember(registry, moved));
  EXPECT_EQ((*registry.look_up("abc"))->location, "/elsewhere");
  EXPECT_EQ((*registry.look_up("abc"))->record, 5U);
  ASSERT_TRUE(registry.retire("abc", "replaced"));
  EXPECT_EQ((*registry.look_up("abc"))->retired, "replaced");
  EXPECT_EQ(registry.all()->size(), 1U);
}

// A mark that a ledger's source ever had stays its own, whoever comes with which of them.
TEST(Registry, MarksOnlyGrow) {
  Folder folder;
  const Registry registry = *Registry::find();
  Known one = known(3);
  ASSERT_TRUE(remember(registry, one));
  one.marks = {"content 1", "inode 1"};
  ASSERT_TRUE(remember(registry, one));  // the same head
  EXPECT_EQ((*registry.look_up("abc"))->marks, one.marks);
  one.marks = {"content 2", "inode 1"};
  one.record = 2;  // a process that comes late
  ASSERT_TRUE(remember(registry, one));
  const std::vector<std::string> all = {"content 1", "content 2", "inode 1"};
  EXPECT_EQ((*registry.look_up("abc"))->marks, all);
  EXPECT_EQ((*registry.look_up("abc"))->record, 3U);
  ASSERT_TRUE(remember(registry, known(9)));  // one that knows of none
  EXPECT_EQ((*registry.look_up("abc"))->marks, all);
  ASSERT_TRUE(registry.retire("abc", "replaced"));
  EXPECT_EQ((*registry.look_up("abc"))->marks, all);
}

// Entries of before there were marks are read as they are.
TEST(Registry, AnEntryWithoutMarks) {
  Folder folder;
  const Registry registry = *Registry::find();
  ASSERT_TRUE(remember(registry, known(3)));
  const std::string path = folder.registry() + "/abc.json";
  auto text = **read_file(path);
  Json body = *parse_body(text.substr(0, text.find('\n')));
  body.erase("marks");
  const std::string old = *canonical(body);
  ASSERT_TRUE(write_durably(path, old + "\n" + sha256_hex(old) + "\n"));
  ASSERT_TRUE(registry.look_up("abc")->has_value());
  EXPECT_TRUE((*registry.look_up("abc"))->marks.empty());
  body.erase("sources");
  const std::string damaged = *canonical(body);
  ASSERT_TRUE(write_durably(path, damaged + "\n" + sha256_hex(damaged) + "\n"));
  EXPECT_FALSE(registry.look_up("abc"));
}

TEST(Registry, TheKeyIsDrawnOnceAndForItsOwner) {
  Folder folder;
  const Registry registry = *Registry::find();
  EXPECT_FALSE(registry.key()->has_value());
  const std::string key = *registry.make_key();
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(*registry.make_key(), key);
  EXPECT_EQ(**registry.key(), key);
  const std::string path = folder.registry() + "/key";
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_TRUE(registry.all()->empty());
  std::filesystem::remove(path);
  EXPECT_NE(*registry.make_key(), key);
  for (const std::string& damaged :
       {std::string(), key, key.substr(1) + "\n", key + "\n\n", "X" + key.substr(1) + "\n"}) {
    ASSERT_TRUE(write_durably(path, damaged));
    EXPECT_FALSE(registry.key()) << damaged;
    EXPECT_FALSE(registry.make_key()) << damaged;
  }
}

TEST(Registry, ManyAtOnceEndWithTheLatest) {
  Folder folder;
  const Registry registry = *Registry::find();
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 1; i <= 40; ++i) EXPECT_TRUE(remember(registry, known(8 * i + t)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((*registry.look_up("abc"))->record, 8U * 40 + 7);
}

TEST(Registry, FollowsTheXdgRules) {
  Folder folder;
  ASSERT_TRUE(remember(*Registry::find(), known(1)));
  EXPECT_TRUE(std::filesystem::exists(folder.registry() + "/abc.head"));
  setenv("XDG_STATE_HOME", "relative", 1);
  setenv("HOME", (folder / "home").c_str(), 1);
  ASSERT_TRUE(remember(*Registry::find(), known(1)));
  EXPECT_TRUE(std::filesystem::exists(folder / "home/.local/state/discreet/ledgers/abc.head"));
}

// Whatever a crash leaves of the slot that was being written, the head before it is still there.
TEST(HeadFile, SurvivesATornWrite) {
  Folder folder;
  const std::string path = folder / "x.head";
  EXPECT_FALSE(read_head(path)->has_value());
  for (std::uint64_t record = 1; record < 6; ++record) {
    const auto before = record == 1 ? std::nullopt : read_file(path).value();
    ASSERT_TRUE(write_head(path, {record, known(record).hash}));
    ASSERT_EQ((*read_head(path))->record, record);
    if (!before) continue;
    const std::string after = **read_file(path);
    ASSERT_EQ(after.size(), 8192U);
    for (std::size_t cut = 0; cut < after.size(); cut += 64) {
      std::ofstream(path, std::ios::binary) << after.substr(0, cut) << before->substr(cut);
      ASSERT_GE((*read_head(path))->record, record - 1);
    }
    std::ofstream(path, std::ios::binary) << after;
  }
  std::ofstream(path, std::ios::binary) << std::string(8192, 'x');
  EXPECT_FALSE(read_head(path)) << "neither slot is whole";
}

TEST(Record, ChainAndTimes) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(chain_hash(kNoHash, "a"), chain_hash(chain_hash(kNoHash, "a"), "a"));
  EXPECT_EQ(utc(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(from_utc(utc(1794780000)), 1794780000);
  EXPECT_EQ(from_utc("yesterday"), -1);
  const Rational odd = testing::rational("1e-300") + testing::rational("1/3");
  EXPECT_EQ(*number(Json{{"x", number(odd)}}, "x"), odd);
  EXPECT_FALSE(number(Json{{"x", 0.1}}, "x")) << "only exact text counts";
  EXPECT_FALSE(canonical(Json{{"x", "\xFF"}}));
}

}  // namespace
}  // namespace discreet::ledger
