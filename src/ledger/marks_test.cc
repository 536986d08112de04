// By what a file is found again: its inode while it lives, its bytes where it was copied, and
// nothing of either without the key.
#include "discreet/ledger/marks.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "discreet/base/digest.h"
#include "discreet/ledger/testing/places.h"

namespace discreet::ledger {
namespace {

using testing::Folder;

const std::string kKey(64, 'a');

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string mark(const std::string& path, Mark::Of of,
                 const std::optional<std::string>& key = kKey) {
  Terms terms;
  terms.files = {path};
  for (const Mark& one : marks_of(terms, key))
    if (one.of == of) return one.name;
  return "";
}
std::string content(const std::string& path, const std::optional<std::string>& key = kKey) {
  return mark(path, Mark::Of::kContent, key);
}
std::string inode(const std::string& path) { return mark(path, Mark::Of::kFile); }

TEST(Marks, AnInodeStaysWithItsFile) {
  const Folder folder;
  const std::string file = folder / "a", other = folder / "b";
  write(file, "rows");
  const std::string first = inode(file);
  ASSERT_FALSE(first.empty());
  write(file, "other rows, and more of them");
  EXPECT_EQ(inode(file), first);
  std::filesystem::create_hard_link(file, other);
  EXPECT_EQ(inode(other), first);
  std::filesystem::remove(file);
  EXPECT_EQ(inode(other), first);
  EXPECT_EQ(inode(file), "");
  std::filesystem::create_symlink(other, file);
  EXPECT_EQ(inode(file), first);
  EXPECT_EQ(inode(folder / "."), "");
}

// An inode's number is soon another file's: the moment it was made tells them apart, where the file
// system has one.
TEST(Marks, AnInodeThatIsUsedAgainIsAnotherFile) {
  const Folder folder;
  const std::string file = folder / "a";
  std::set<std::string> seen;
  constexpr int kTimes = 5;
  for (int i = 0; i < kTimes; ++i) {
    write(file, "rows");
    if (inode(file).find(" of ") == std::string::npos)
      GTEST_SKIP() << "this file system doesn't know when a file was made";
    seen.insert(inode(file));
    std::filesystem::remove(file);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // its clock ticks
  }
  EXPECT_EQ(seen.size(), std::size_t{kTimes});
}

TEST(Marks, ContentsAreKnownByTheirEndsAndTheirSize) {
  const Folder folder;
  const std::string a = folder / "a", b = folder / "b";
  const std::string rows(100'000, 'r');
  write(a, rows);
  write(b, rows);
  EXPECT_EQ(content(a), content(b));
  EXPECT_EQ(content(a).size(), std::string("content ").size() + 32);
  for (const std::size_t at : {0U, 16383U, 83'616U, 99'999U}) {
    std::string changed = rows;
    changed[at] = 'x';
    write(b, changed);
    EXPECT_NE(content(a), content(b)) << at;
  }
  write(b, rows + "r");
  EXPECT_NE(content(a), content(b));
  write(b, rows.substr(1));
  EXPECT_NE(content(a), content(b));
  // All of a small file, at every size around a block and two.
  for (const std::size_t size : {1U, 16383U, 16384U, 16385U, 32767U, 32768U}) {
    write(a, std::string(size, 'r'));
    const std::string whole = content(a);
    ASSERT_FALSE(whole.empty());
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::string changed(size, 'r');
      changed[at] = 'x';
      write(a, changed);
      EXPECT_NE(content(a), whole) << size << " " << at;
    }
  }
}

// A database's ends may be the same whatever its rows are; its blocks' checksums aren't.
TEST(Marks, DatabasesAreKnownByTheChecksumsOfTheirBlocks) {
  const Folder folder;
  const std::string a = folder / "a", b = folder / "b";
  const std::string blocks(12'288 + 4 * 262'144, 'r');
  write(a, blocks);
  for (const std::size_t block : {1U, 2U, 3U}) {
    std::string changed = blocks;
    changed[12'288 + block * 262'144 + 7] = 'x';
    write(b, changed);
    EXPECT_NE(content(a), content(b)) << block;
  }
}

// An unkeyed digest, or one of a key that others have, would tell whether a guess is right.
TEST(Marks, ContentsSayNothingWithoutTheKey) {
  const Folder folder;
  const std::string a = folder / "a";
  write(a, "patient,ill\n1,yes\n");
  EXPECT_EQ(content(a, std::nullopt), "");
  EXPECT_NE(content(a), content(a, std::string(64, 'b')));
  EXPECT_EQ(content(a).find(hex(sha256("patient,ill\n1,yes\n")).substr(0, 32)), std::string::npos);
  EXPECT_EQ(content(a).find(hex(sha256("18\npatient,ill\n1,yes\n")).substr(0, 32)),
            std::string::npos);
}

TEST(Marks, WhatIsNoFileHasNone) {
  const Folder folder;
  write(folder / "empty", "");
  EXPECT_EQ(content(folder / "empty"), "");
  EXPECT_EQ(content(folder / "none"), "");
  EXPECT_EQ(content(folder / "."), "");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(content(folder / "pipe"), "");  // and doesn't wait for a writer
  EXPECT_EQ(inode(folder / "pipe"), "");
  EXPECT_EQ(content("/dev/zero"), "");
  Terms terms;
  terms.numbers = {{"server#public.t", "server#oid=1"}};
  const auto marks = marks_of(terms, kKey);
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0].name, "server#oid=1");
  EXPECT_EQ(marks[0].of, Mark::Of::kTable);
}

}  // namespace
}  // namespace discreet::ledger
