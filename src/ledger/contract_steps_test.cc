// The contract's part about work in steps: whatever is put back, copied or run twice, a step that
// counts as spent is not given out again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/ledger/record.h"
#include "discreet/ledger/store.h"
#include "discreet/ledger/testing/contract.h"

namespace discreet::ledger {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using Going = Ledger::Going;

// A checkpoint is gone on with from where the ledger stands; the one before it only where a crash
// may have left it; any other is refused.
void only_the_latest_goes_on(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  const Reservation mine = *ledger->reserve(ask("0.5"));
  const auto resumes = [&](const std::string& checkpoint) {
    // Another process would.
    return must_open(terms_at(place))->resume(mine, ask("0.5"), checkpoint);
  };
  EXPECT_EQ(resumes("").error().code, Code::kRefused);  // of an older version: the twin of a record
  EXPECT_EQ(resumes("c1").error().code, Code::kRefused);
  const auto first = ledger->advance(mine, {}, 10, "c1");
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(resumes("c1")->begun, 10U);
  EXPECT_EQ(resumes("").error().code, Code::kRefused);
  const auto second = ledger->advance(mine, *first, 20, "c2");
  ASSERT_TRUE(second);
  EXPECT_EQ(resumes("c2")->begun, 20U);
  EXPECT_EQ(resumes("c1")->begun, 20U) << "what was counted since is lost, never given out again";
  const auto third = ledger->advance(mine, *second, 30, "c3");
  ASSERT_TRUE(third);
  const auto old = resumes("c1");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, Code::kRefused);
  EXPECT_NE(old.error().text().find("not the latest"), std::string::npos) << old.error().text();
  EXPECT_EQ(resumes("c3")->begun, 30U);
  // Resumed, stopped in good order, and the copy from before put back.
  const auto again = resumes("c3");
  const auto on = ledger->advance(mine, *again, 40, "c4");
  ASSERT_TRUE(on);
  const auto stop = ledger->advance(mine, *on, 33, "c5", Going::kStopped);
  ASSERT_TRUE(stop) << stop.error().text();
  EXPECT_EQ(resumes("c5")->begun, 33U);
  EXPECT_FALSE(resumes("c3"));
  EXPECT_EQ(resumes("c4")->begun, 33U);  // killed before c5 took its place
  EXPECT_TRUE(ledger->commit(mine, "{}", stop->record));
  EXPECT_FALSE(resumes("c5")) << "it is closed";
  EXPECT_FALSE(ledger->advance(mine, *stop, 50, "c6"));
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.5"));
  EXPECT_TRUE(ledger->verify({}));
  EXPECT_EQ(ledger->history()->size(), 2U);  // the start and one release
}

// Of two that go on with the same checkpoint one does; the other ends with its next record.
void two_copies_at_once(const std::string& place) {
  auto one = must_open(terms_at(place)), two = must_open(terms_at(place));
  const Reservation mine = *one->reserve(ask("0.5"));
  const auto begun = one->advance(mine, {}, 10, "c1");
  ASSERT_TRUE(begun);
  const auto first = one->resume(mine, ask("0.5"), "c1");
  const auto second = two->resume(mine, ask("0.5"), "c1");
  ASSERT_TRUE(first && second);
  const auto went = two->advance(mine, *second, 20, "c2");
  ASSERT_TRUE(went);
  const std::uint64_t records = one->balances()->records;
  for (const Progress& overtaken : {*first, *begun, Progress{}, Progress{99, 30, "c1"}}) {
    const auto late = one->advance(mine, overtaken, 30, "c3");
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::kRefused);
    EXPECT_FALSE(one->advance(mine, overtaken, 5, "c3", Going::kStopped));
    EXPECT_FALSE(one->commit(mine, "{}", overtaken.record));
  }
  EXPECT_FALSE(one->commit(mine, "{}"));
  EXPECT_FALSE(one->abandon(mine, "as if nothing was read"));
  EXPECT_EQ(one->balances()->records, records);
  // Taken over while it runs: what the first had counted isn't drawn by the second.
  const auto over = one->resume(mine, ask("0.5"), "c1");
  ASSERT_TRUE(over);
  EXPECT_EQ(over->begun, 20U);
  ASSERT_TRUE(one->advance(mine, *over, 30, "c3"));
  EXPECT_FALSE(two->advance(mine, *went, 40, "c4"));
  EXPECT_FALSE(two->commit(mine, "{}", went->record));
}

// What counts as spent doesn't count back, but at a stop, and no further than it had counted.
void steps_are_not_given_back(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  const Reservation mine = *ledger->reserve(ask("0.5"));
  const auto at = ledger->advance(mine, {}, 20, "c1");
  ASSERT_TRUE(at);
  EXPECT_FALSE(ledger->advance(mine, *at, 19, "c2"));
  EXPECT_FALSE(ledger->advance(mine, *at, 21, "c2", Going::kStopped));
  const auto same = ledger->advance(mine, *at, 20, "c2");
  ASSERT_TRUE(same);
  EXPECT_TRUE(ledger->advance(mine, *same, 15, "c3", Going::kStopped));
  EXPECT_FALSE(ledger->advance({mine.record, kNoHash}, *same, 30, "c4"));
  EXPECT_FALSE(ledger->advance({1, kNoHash}, {}, 30, "c4"));
  // A question's reservation has no steps, and nothing changes for it.
  must_release(*ledger, ask("0.1"));
}

// A chain whose hashes fit, and that goes on from somewhere else than where it stood.
void a_forged_way_on(const std::string& place) {
  const Reservation mine = *must_open(terms_at(place))->reserve(ask("0.5"));
  ASSERT_TRUE(must_open(terms_at(place))->advance(mine, {}, 10, "c1"));
  auto store = make_store(place);
  ASSERT_TRUE((*store)->line_up(0));
  auto snapshot = (*store)->begin(0);
  Row row{snapshot->rows.size() + 1, "", "", {}};
  row.body = fmt::format(
      R"({{"after":0,"begun":0,"checkpoint":"c1","kind":"progress","record":{},"release":{},"time":"{}"}})",
      row.record, mine.record, utc(snapshot->now));
  row.hash = chain_hash(snapshot->rows.back().hash, row.body);
  ASSERT_TRUE((*store)->finish({row}));
  const auto damaged = Ledger::open(terms_at(place));
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.text().find("another record than the last"), std::string::npos)
      << damaged.error().text();
}

}  // namespace

std::vector<Case> testing::step_cases() {
  return {
      {"only_the_latest_goes_on", only_the_latest_goes_on},
      {"two_copies_at_once", two_copies_at_once},
      {"steps_are_not_given_back", steps_are_not_given_back},
      {"a_forged_way_on", a_forged_way_on},
  };
}

}  // namespace discreet::ledger
