// The contract's part about time: windows that renew, and clocks that are set back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/ledger/record.h"
#include "discreet/ledger/store.h"
#include "discreet/ledger/testing/contract.h"

namespace discreet::ledger {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kNoon = 1'800'000'000;  // where the tests' clocks begin

void windows_renew(const std::string& place) {
  std::int64_t time = kNoon;
  const Clock clock = [&] { return time; };
  Terms terms = terms_at(place);
  terms.renewal = std::chrono::hours(1);
  auto ledger = must_open(terms, clock);
  must_release(*ledger, ask("0.1"));  // windows count from the first record on
  EXPECT_EQ(ledger->balances()->window_end, utc(kNoon + 3600));
  time = kNoon + 3599;  // the last second of the first window
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.1"));
  EXPECT_EQ(ledger->reserve(ask("1")).error().code, Code::kBudget);
  time = kNoon + 3600;  // the first of the second
  EXPECT_EQ(spent(*ledger).epsilon, 0);
  must_release(*ledger, ask("1"));
  EXPECT_EQ(ledger->reserve(ask("0.5")).error().code, Code::kBudget);
  EXPECT_EQ(ledger->balances()->window_end, utc(kNoon + 7200));
  time = kNoon + 7200 + 10;
  must_release(*ledger, ask("0.5"));
  EXPECT_EQ(spent(*must_open(terms, clock)).epsilon, rational("0.5"));
  // What was left of earlier windows is not saved up, however long nobody asked.
  time = kNoon + 100 * 3600;
  EXPECT_EQ(ledger->balances()->data_set.remaining->epsilon, 1);
  EXPECT_EQ(ledger->check(ask("1.5")).error().code, Code::kBudget);
  must_release(*ledger, ask("0.25"));
  // A clock that stands a little back, into the window before: what has begun stays begun.
  time = kNoon + 100 * 3600 - 30;
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.25"));
  EXPECT_EQ(ledger->reserve(ask("1")).error().code, Code::kBudget);
}

// A reservation belongs to the window it was made in: given back in a later one, it adds nothing
// there.
void given_back_in_a_later_window(const std::string& place) {
  std::int64_t time = kNoon;
  const Clock clock = [&] { return time; };
  Terms terms = terms_at(place);
  terms.renewal = std::chrono::hours(1);
  auto ledger = must_open(terms, clock);
  auto early = ledger->reserve(ask("0.75"));
  ASSERT_TRUE(early);
  time += 3600;
  must_release(*ledger, ask("0.5"));
  ASSERT_TRUE(ledger->abandon(*early, "the file could not be opened"));
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.5"));
}

// Machines that share a ledger differ by a minute at most.
void a_clock_behind(const std::string& place) {
  std::int64_t time = kNoon;
  const Clock clock = [&] { return time; };
  auto ledger = must_open(terms_at(place), clock);
  must_release(*ledger, ask("0.1"));
  time = kNoon - 61;
  EXPECT_EQ(ledger->reserve(ask("0.1")).error().code, Code::kFailure);
  EXPECT_EQ(ledger->check(ask("0.1")).error().code, Code::kFailure);
  time = kNoon - 60;
  EXPECT_TRUE(ledger->check(ask("0.1")));
  must_release(*ledger, ask("0.1"));
  EXPECT_EQ((*ledger->history())[2].when, utc(kNoon - 60));
  // Not minute by minute either, nor by what may be recorded at any time.
  time = kNoon - 61;
  EXPECT_EQ(ledger->reserve(ask("0.1")).error().code, Code::kFailure);
  time = kNoon;
  auto reservation = ledger->reserve(ask("0.1"));
  ASSERT_TRUE(reservation);
  time = kNoon - 7200;
  EXPECT_TRUE(ledger->commit(*reservation, "{}"));
  EXPECT_EQ(ledger->reserve(ask("0.1")).error().code, Code::kFailure);
  EXPECT_EQ(ledger->reuse(ask("0.1"), false).error().code, Code::kFailure);
  EXPECT_EQ(must_open(terms_at(place), clock)->reserve(ask("0.1")).error().code, Code::kFailure);
}

// A window that has begun is never gone back to: else a cap would hold for what is left of the old
// one and for the new one, whoever moved the clock.
void no_cap_is_straddled(const std::string& place) {
  std::int64_t time = kNoon;
  const Clock clock = [&] { return time; };
  Terms terms = terms_at(place);
  terms.renewal = std::chrono::hours(1);
  auto ledger = must_open(terms, clock);
  for (const char* who : {"ana", "bo"})
    ASSERT_TRUE(ledger->grant(
        {who, "", rational("0.25"), rational("0"), Accountant::kApprox, "owner", ""}));
  time = kNoon + 3600 + 10;
  must_release(*ledger, ask("0.1"));  // ana is in the second window
  time = kNoon + 3600 - 20;           // bo's clock says the first one
  EXPECT_EQ(ledger->balances()->window_end, utc(kNoon + 7200));
  must_release(*ledger, ask("0.25", "0", "bo"));
  EXPECT_EQ(ledger->left_for("bo")->value().epsilon, 0);
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.35"));
  time = kNoon + 3600 + 20;
  EXPECT_EQ(ledger->left_for("bo")->value().epsilon, 0);
  EXPECT_EQ(ledger->reserve(ask("0.25", "0", "bo")).error().code, Code::kBudget);
  EXPECT_EQ(must_open(terms, clock)->reserve(ask("0.25", "0", "bo")).error().code, Code::kBudget);
  // What the owner records at another time moves no window either.
  time = kNoon + 20;
  ASSERT_TRUE(ledger->set_budget(1, rational("1e-6"), "owner", "that clock was wrong"));
  EXPECT_EQ(ledger->reserve(ask("0.25", "0", "bo")).error().code, Code::kBudget);
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.35"));
  time = kNoon + 7200;
  EXPECT_EQ(ledger->left_for("bo")->value().epsilon, rational("0.25"));
  must_release(*ledger, ask("0.25", "0", "bo"));
}

// At every second around a window's end, with a clock that jumps about: in no window is more spent
// than the budget has.
void each_window_holds(const std::string& place) {
  std::int64_t time = kNoon;
  const Clock clock = [&] { return time; };
  Terms terms = terms_at(place);
  terms.renewal = std::chrono::minutes(2);
  auto ledger = must_open(terms, clock);
  int granted = 0;
  for (const int second : {0,   119, 61,  120, 90,  119, 121, 180, 239, 181, 240, 239, 200, 241,
                           359, 300, 360, 301, 359, 361, 479, 420, 480, 479, 481, 300, 540, 599}) {
    time = kNoon + second;
    auto reservation = ledger->reserve(ask("0.6"));  // one a window
    if (reservation) ++granted;
  }
  EXPECT_EQ(granted, 5);  // windows from 0, 120, 240, 360 and 480
}

// A record whose time lies ahead: the clock was set back since.
void clock_set_back(const std::string& place) {
  must_release(*must_open(terms_at(place)), ask("0.1"));
  auto store = make_store(place);
  ASSERT_TRUE((*store)->line_up(0));
  auto snapshot = (*store)->begin(0);
  Row row{snapshot->rows.size() + 1, "", "", {}};
  row.body =
      fmt::format(R"({{"kind":"set","time":"{}","record":{},"epsilon":"1","delta":"0.000001"}})",
                  utc(snapshot->now + 7200), row.record);
  row.hash = chain_hash(snapshot->rows.back().hash, row.body);
  ASSERT_TRUE((*store)->finish({row}));
  auto ledger = must_open(terms_at(place));
  auto refused = ledger->reserve(ask("0.1"));
  EXPECT_EQ(refused.error().code, Code::kFailure);
  EXPECT_NE(refused.error().message.text().find("the clock says"), std::string::npos)
      << refused.error().text();
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.1"));
  ASSERT_TRUE(ledger->set_budget(1, rational("1e-6"), "owner", "that clock was wrong"));
  must_release(*ledger, ask("0.1"));
}

}  // namespace

std::vector<Case> testing::clock_cases() {
  return {
      {"windows_renew", windows_renew},
      {"given_back_in_a_later_window", given_back_in_a_later_window},
      {"a_clock_behind", a_clock_behind},
      {"no_cap_is_straddled", no_cap_is_straddled},
      {"each_window_holds", each_window_holds},
      {"clock_set_back", clock_set_back},
  };
}

}  // namespace discreet::ledger
