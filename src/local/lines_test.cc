#include "discreet/local/lines.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace discreet::local {
namespace {

using Texts = std::vector<std::string>;

// Collects the lines in order; fails on a line that is "bad".
struct Collect final : Worker {
  explicit Collect(Texts& all) : all_(all) {}
  Status work(std::string_view lines) override {
    mine_.clear();
    Status out;
    for_each_line(lines, [&](std::string_view line) {
      if (line.starts_with("bad") && out) out = fail(Code::kUsage, std::string(line));
      mine_.emplace_back(line);
    });
    return out;
  }
  Status take() override {
    all_.insert(all_.end(), mine_.begin(), mine_.end());
    return {};
  }
  Texts& all_;
  Texts mine_;
};

// At most `step` bytes a call.
Fill in_steps(std::string_view text, std::size_t step) {
  return [inner = from_text(text), step](std::span<char> to) {
    return inner(to.first(std::min(to.size(), step)));
  };
}

Texts lines_of(std::string_view text, std::size_t step, std::size_t threads,
               std::size_t longest = 1000) {
  Texts out;
  Lines lines(in_steps(text, step), longest);
  EXPECT_TRUE(in_order(lines, threads, [&] { return std::make_unique<Collect>(out); }));
  return out;
}

TEST(Lines, WhereReadsEndDoesNotMatter) {
  const struct {
    std::string_view text;
    Texts lines;
  } cases[] = {
      {"", {}},
      {"a", {"a"}},
      {"a\n", {"a"}},
      {"a\n\n", {"a"}},
      {"a\r\n\r\n", {"a"}},
      {"\n", {}},
      {"\r\n", {}},
      {"\r", {}},
      {"\n\n", {""}},
      {"\n\r", {""}},
      {"a\n\r\n\r", {"a", ""}},
      {"\n\n\n", {"", ""}},
      {"a\n\nb", {"a", "", "b"}},
      {"a\r\nb\r\n", {"a", "b"}},
      {"a\r\n\r\nb\r", {"a", "", "b"}},
      {"\na\n", {"", "a"}},
      {"a\rb\n", {"a\rb"}},
      {std::string_view("\0a\n\0", 4), {std::string("\0a", 2), std::string("\0", 1)}},
  };
  for (const auto& each : cases)
    for (const std::size_t step : {1, 2, 3, 5, 1000})
      for (const std::size_t threads : {1, 3})
        EXPECT_EQ(lines_of(each.text, step, threads), each.lines)
            << testing::PrintToString(each.text) << " in steps of " << step;
}

TEST(Lines, ALongLineIsCutAndStaysTooLong) {
  const std::string text = "before\n" + std::string(5000, '1') + "\nafter\n";
  for (const std::size_t step : {1, 64, 10000}) {
    const Texts lines = lines_of(text, step, 2, 20);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0], "before");
    EXPECT_GT(lines[1].size(), 20U);
    EXPECT_EQ(lines[1].find_first_not_of('1'), std::string::npos);
    EXPECT_EQ(lines[2], "after");
  }
  const Texts open = lines_of("a\n" + std::string(5000, '1'), 7, 1, 20);
  ASSERT_EQ(open.size(), 2U);
  EXPECT_GT(open[1].size(), 20U);
  EXPECT_LT(open[1].size(), 100U);  // not held in memory
}

TEST(Lines, ManyBlocksStayInOrder) {
  std::string text;
  Texts expected;
  for (int i = 0; i < 20'000; ++i) {
    expected.push_back(std::to_string(i * 7919 % 10007));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(text, 97, 4), expected);
}

TEST(Lines, OfFailuresTheFirstInTheTextIsToldAndNothingBehindItTaken) {
  for (int turn = 0; turn < 20; ++turn) {
    Texts out;
    Lines lines(in_steps("1\n2\n3\nbad one\n4\nbad two\n5\n", 2), 100);
    const Status done = in_order(lines, 4, [&] { return std::make_unique<Collect>(out); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message.text(), "bad one");
    EXPECT_EQ(out, (Texts{"1", "2", "3"}));
  }
}

TEST(Lines, AFailureToReadIsPassedOn) {
  Texts out;
  int calls = 0;
  const Fill broken = [&](std::span<char> to) -> Result<std::size_t> {
    if (++calls > 2) return fail(Code::kFailure, "the disk is gone");
    to[0] = 'a', to[1] = '\n';
    return 2;
  };
  Lines lines(broken, 100);
  const Status done = in_order(lines, 2, [&] { return std::make_unique<Collect>(out); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message.text(), "the disk is gone");
  EXPECT_EQ(out, (Texts{"a", "a"}));
}

TEST(Lines, WhatAWorkerThrowsIsAFailureOfItsLines) {
  struct Greedy final : Worker {
    explicit Greedy(std::atomic<int>& taken) : taken_(taken) {}
    Status work(std::string_view lines) override {
      if (lines.starts_with("much")) throw std::bad_alloc();
      return {};
    }
    Status take() override {
      ++taken_;
      return {};
    }
    std::atomic<int>& taken_;
  };
  for (const std::size_t threads : {1, 4}) {
    std::atomic<int> taken = 0;
    Lines lines(in_steps("1\n2\nmuch\n4\n", 2), 100);
    const Status done = in_order(lines, threads, [&] { return std::make_unique<Greedy>(taken); });
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().text().find("memory"), std::string::npos);
    EXPECT_EQ(taken, 2);
  }
}

TEST(Lines, BlocksAreAsShortAsAsked) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::to_string(i % 10) + "\n";
  text += std::string(5000, '1') + "\n" + text;
  for (const std::size_t size : {2, 7, 64}) {
    Lines lines(from_text(text), 20, size);
    Lines::Block block;
    std::size_t longest = 0, count = 0;
    for (auto more = lines.next(block); more && *more; more = lines.next(block)) {
      longest = std::max(longest, block.size);
      for_each_line(block.text(), [&](std::string_view) { ++count; });
    }
    EXPECT_EQ(count, 601U);
    EXPECT_LE(longest, 32 + 2 * size);
  }
}

}  // namespace
}  // namespace discreet::local
