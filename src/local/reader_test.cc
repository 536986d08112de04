#include "discreet/local/reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/local/form.h"
#include "discreet/local/registry.h"
#include "discreet/random/testing/sources.h"

namespace discreet::local {
namespace {

ProtocolPointer flat(std::size_t domain) {
  return *find("flat")->make({.epsilon = 1, .domain = domain});
}

std::uint64_t refused(const State& state, Fault fault) {
  return state.refused[static_cast<std::size_t>(fault)];
}

State read_all(const Protocol& protocol, std::string_view text, ReaderOptions options = {}) {
  Reader reader(protocol, options);
  EXPECT_TRUE(reader.add(from_text(text)));
  return reader.finish();
}

TEST(Reader, EveryLineIsCountedOnceByWhatItIs) {
  const auto protocol = flat(4);
  const std::string junk("\0\xff\x1b[31m", 7);
  const State state = read_all(
      *protocol, "3\r\n0\n3\n4\n99999999999999999999\n0110\n1 2 3\n1,2\n+1\n01x\n\n 1\n-2\n" +
                     junk + "\n" + std::string(3'000'000, '7') + "\n1\n2");
  EXPECT_EQ(state.users, 5U);
  EXPECT_EQ(state.counters, (std::vector<std::uint64_t>{1, 1, 1, 2}));
  EXPECT_EQ(refused(state, Fault::kOutOfRange), 3U);
  EXPECT_EQ(refused(state, Fault::kWrongProtocol), 4U);
  EXPECT_EQ(refused(state, Fault::kMalformed), 5U);
  EXPECT_EQ(state.rejected(), 12U);
}

TEST(Reader, ThreadsCountAsOneDoes) {
  const auto protocol = flat(1000);
  std::string text;
  for (long i = 0; i < 400'000; ++i) text += fmt::format("{}\n", i * 7919 % 1003);
  const State one = read_all(*protocol, text, {.keep = true, .threads = 1});
  const State many = read_all(*protocol, text, {.keep = true, .threads = 4});
  EXPECT_GT(text.size(), Lines::kBlock);
  EXPECT_EQ(one.serialise(), many.serialise());
  EXPECT_EQ(one.users + one.rejected(), 400'000U);
  EXPECT_EQ(one.reports.size(), one.users);
}

TEST(Reader, OfOneIdTheFirstGoodReportCounts) {
  const auto protocol = flat(4);
  const State state =
      read_all(*protocol,
               "ann\t9\nann\t1\nbob\t2\nann\t3\nbob\tx\n\t1\n2\n" + std::string(1001, 'i') +
                   "\t1\n" + std::string(1000, 'i') + "\t0\nbob\t2\n",
               {.keep = true, .ids = true});
  EXPECT_EQ(state.users, 3U);
  EXPECT_EQ(state.counters, (std::vector<std::uint64_t>{1, 1, 1, 0}));
  EXPECT_EQ(state.reports, (std::vector<Word>{1, 2, 0}));
  EXPECT_EQ(refused(state, Fault::kDuplicated), 2U);
  EXPECT_EQ(refused(state, Fault::kOutOfRange), 1U);
  EXPECT_EQ(refused(state, Fault::kMalformed), 4U);
  EXPECT_EQ(state.ids.size(), 3U);
  EXPECT_TRUE(state.check("state", *protocol));
}

TEST(Reader, IdsAreKnownAcrossFilesAndStates) {
  const auto protocol = flat(4);
  Reader reader(*protocol, {.ids = true});
  ASSERT_TRUE(reader.add(from_text("ann\t1\n")));
  ASSERT_TRUE(reader.add(from_text("ann\t1\ncy\t2\n")));
  State both = reader.finish();
  EXPECT_EQ(both.users, 2U);
  EXPECT_EQ(refused(both, Fault::kDuplicated), 1U);
  const std::string before = both.serialise();
  // a counter can't take back a report, so a state with a known client is refused as a whole
  EXPECT_FALSE(both.merge(read_all(*protocol, "cy\t0\ndan\t0\n", {.ids = true})));
  EXPECT_FALSE(both.merge(read_all(*protocol, "0\n")));
  EXPECT_EQ(both.serialise(), before);
  EXPECT_TRUE(both.merge(read_all(*protocol, "dan\t0\n", {.ids = true})));
  EXPECT_EQ(both.users, 3U);
}

TEST(Reader, AStateWithWordsThatAreNoReportsIsRefused) {
  const auto protocol = flat(4);
  State state = read_all(*protocol, "1\n2\n", {.keep = true});
  EXPECT_TRUE(state.check("state", *protocol));
  state.reports[1] = 4;
  EXPECT_FALSE(state.check("state", *protocol));
  state.reports = {1};
  EXPECT_FALSE(state.check("state", *protocol));
}

// The table of forms is true of what clients write, and no line is too long.
TEST(Reader, ReportsHaveTheirProtocolsForm) {
  random::testing::Seeded source(5);
  for (const Entry& entry : registry()) {
    const auto protocol = entry.make({.epsilon = 1, .domain = 100});
    ASSERT_TRUE(protocol) << entry.name;
    EXPECT_NE(forms_of_protocol(entry.name), kAnyForm) << entry.name;
    const std::size_t words = (*protocol)->constants().words;
    std::vector<Value> values(50);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Value>(2 * i);
    std::vector<Word> reports(words * values.size());
    ASSERT_TRUE((*protocol)->perturb(values, source, reports));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::string line;
      (*protocol)->write(std::span(reports).subspan(i * words, words), line);
      EXPECT_NE(forms_of(line) & forms_of_protocol(entry.name), 0) << entry.name << ": " << line;
      EXPECT_LE(line.size(), longest_report(**protocol));
    }
  }
}

TEST(Form, ALineMayHaveSeveral) {
  const struct {
    std::string_view line;
    Forms forms;
  } cases[] = {{"", 0},
               {"7", kNumber | kList},
               {"0", kNumber | kList | kBits},
               {"101", kNumber | kList | kBits},
               {"0110", kBits},
               {"07", 0},
               {"1 2 3", kSpaced},
               {"1 2", kSpaced},
               {"1  2", 0},
               {"1 2 ", 0},
               {" 1 2", 0},
               {"1,5", kList},
               {"1,", 0},
               {",1", 0},
               {"1,05", 0},
               {"1, 5", 0},
               {"+1", kSign},
               {"-1", kSign},
               {"-2", 0},
               {"0.5", 0}};
  for (const auto& each : cases) EXPECT_EQ(forms_of(each.line), each.forms) << each.line;
  EXPECT_TRUE(could_be_of_another("flat", "0110"));
  EXPECT_FALSE(could_be_of_another("flat", "101"));
  EXPECT_FALSE(could_be_of_another("optimised-unary", "101"));
  EXPECT_TRUE(could_be_of_another("optimised-unary", "7"));
  EXPECT_FALSE(could_be_of_another("subset", "7"));
}

}  // namespace
}  // namespace discreet::local
