// What a ledger promises, whichever store it is in: each case runs on SQLite and on PostgreSQL.
#include "discreet/ledger/testing/contract.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "discreet/ledger/record.h"
#include "discreet/ledger/store.h"

namespace discreet::ledger {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// ε of 0.1 ten times is exactly 1; the eleventh is refused, with what was asked, what is left and
// what is missing.
void ten_tenths(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  for (int i = 0; i < 10; ++i) must_release(*ledger, ask("0.1"));
  EXPECT_EQ(spent(*ledger).epsilon, 1);
  auto refused = ledger->reserve(ask("0.1"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_NE(refused.error().message.text().find(
                "Requested: ε 0.1, δ 0; Remaining: ε 0, δ 1e-06; Missing: ε 0.1"),
            std::string::npos)
      << refused.error().text();
  EXPECT_EQ(ledger->check(ask("0.1")).error().text(), refused.error().text());
  EXPECT_EQ(spent(*ledger).epsilon, 1);
}

void what_would_fit(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  must_release(*ledger, ask("2/3"));
  auto refused = ledger->reserve(ask("0.5"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text(Notation::kOptions).find("--epsilon 0.333333 would fit"),
            std::string::npos)
      << refused.error().text();
  EXPECT_TRUE(ledger->check(ask("0.333333")));
  EXPECT_TRUE(ledger->reserve(ask("1/3")));  // exactly what is left
  EXPECT_EQ(spent(*ledger).epsilon, 1);
  auto delta = ledger->reserve(ask("0", "1e-5"));
  EXPECT_EQ(delta.error().code, Code::kBudget);
}

// A reservation that never committed counts as spent, also for whoever opens the ledger next.
void crash_leaves_it_spent(const std::string& place) {
  must_open(terms_at(place))->reserve(ask("0.75")).value();
  auto ledger = must_open(terms_at(place));
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.75"));
  EXPECT_EQ(ledger->balances()->unfinished, 1U);
  EXPECT_EQ(ledger->reserve(ask("0.5")).error().code, Code::kBudget);
}

void abandoned_before_reading(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  auto reservation = ledger->reserve(ask("0.75", "1e-7"));
  ASSERT_TRUE(reservation);
  EXPECT_TRUE(ledger->abandon(*reservation, "the file could not be opened"));
  EXPECT_EQ(spent(*ledger), (Amount{0, 0, {}}));
  EXPECT_FALSE(ledger->commit(*reservation, "{}")) << "an abandoned query has no answer";
  EXPECT_FALSE(ledger->abandon(*reservation, "twice"));
  auto second = ledger->reserve(ask("0.75"));
  must_open(terms_at(place))->commit(*second, "{}").value();  // by another process
  EXPECT_FALSE(ledger->commit(*second, "{}")) << "committed once only";
  EXPECT_FALSE(ledger->abandon(*second, "after the answer was shown"));
  EXPECT_FALSE(ledger->abandon({1, kNoHash}, "no reservation at all"));
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.75"));
}

void looking_creates_nothing(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  EXPECT_EQ(ledger->balances()->data_set.remaining->epsilon, 1);
  EXPECT_TRUE(ledger->check(ask("1")));
  EXPECT_EQ(ledger->check(ask("1.1")).error().code, Code::kBudget);
  EXPECT_EQ(ledger->reserve(ask("1.1")).error().code, Code::kBudget);
  EXPECT_TRUE(ledger->history()->empty());
  EXPECT_EQ(ledger->verify({})->records, 0U);
  EXPECT_EQ(must_open(terms_at(place))->balances()->records, 0U);
}

void two_see_each_other(const std::string& place) {
  auto one = must_open(terms_at(place)), two = must_open(terms_at(place));
  must_release(*one, ask("0.5"));
  EXPECT_EQ(spent(*two).epsilon, rational("0.5"));
  must_release(*two, ask("0.5"));
  EXPECT_EQ(one->reserve(ask("0.01")).error().code, Code::kBudget);
  EXPECT_EQ(one->balances()->head, two->balances()->head);
}

void sixteen_at_once(const std::string& place) {
  constexpr int kThreads = 16, kEach = 5;
  std::vector<std::thread> threads;
  std::array<int, kThreads> granted{}, refused{};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto ledger = Ledger::open(terms_at(place));
      if (!ledger) return;
      for (int i = 0; i < kEach; ++i) {
        auto reservation = (*ledger)->reserve(ask("1/50", "0", fmt::format("analyst{}", t)));
        if (reservation) {
          ++granted[static_cast<std::size_t>(t)];
          (void)(*ledger)->commit(*reservation, "{}");
        } else if (reservation.error().code == Code::kBudget) {
          ++refused[static_cast<std::size_t>(t)];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int all = 0, none = 0;
  for (int t = 0; t < kThreads; ++t)
    all += granted[static_cast<std::size_t>(t)], none += refused[static_cast<std::size_t>(t)];
  EXPECT_EQ(all, 50);
  EXPECT_EQ(none, kThreads * kEach - 50);
  auto ledger = must_open(terms_at(place));
  EXPECT_EQ(spent(*ledger).epsilon, 1);
  EXPECT_TRUE(ledger->verify({}));
  EXPECT_EQ(ledger->balances()->unfinished, 0U);
}

void analysts_and_groups(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  Grant own{"ana", "", rational("0.3"), rational("0"), Accountant::kApprox, "owner", ""};
  ASSERT_TRUE(ledger->grant(own));
  EXPECT_TRUE(ledger->grant(
      {"", "stats", rational("0.4"), rational("1e-7"), Accountant::kApprox, "owner", ""}));
  EXPECT_TRUE(ledger->grant({"ana", "stats", {}, {}, Accountant::kApprox, "owner", ""}));
  EXPECT_TRUE(ledger->grant({"bo", "stats", {}, {}, Accountant::kApprox, "owner", ""}));
  must_release(*ledger, ask("0.2"));
  EXPECT_NE(ledger->reserve(ask("0.2")).error().message.text().find("ana's budget"),
            std::string::npos);
  must_release(*ledger, ask("0.2", "0", "bo"));
  EXPECT_NE(ledger->reserve(ask("0.01", "0", "bo")).error().message.text().find("group stats"),
            std::string::npos);
  EXPECT_NE(ledger->reserve(ask("0.05", "0", "ana")).error().message.text().find("group stats"),
            std::string::npos);
  must_release(*ledger,
               ask("0.6", "0", "cleo"));  // no cap of her own; the data set's budget always binds
  EXPECT_NE(ledger->reserve(ask("0.05", "0", "cleo")).error().message.text().find("data set"),
            std::string::npos);
  auto balances = ledger->balances();
  ASSERT_EQ(balances->analysts.size(), 3U);
  EXPECT_EQ(balances->analysts[0].spent.epsilon, rational("0.2"));
  EXPECT_EQ(balances->groups[0].remaining->epsilon, 0);
  own.accountant = Accountant::kPure;
  EXPECT_EQ(ledger->grant(own).error().code, Code::kBudget) << "the accountant is chosen once";
  EXPECT_EQ(ledger->reserve(ask("0.05", "0", "@stats")).error().code, Code::kUsage);
}

void the_budget_is_copied(const std::string& place) {
  must_release(*must_open(terms_at(place)), ask("0.5"));
  Terms raised = terms_at(place);
  raised.epsilon = 5;
  auto ledger = must_open(raised);
  auto refused = ledger->reserve(ask("0.5"));
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_NE(refused.error().text().find("discreet budget set"), std::string::npos);
  EXPECT_EQ(ledger->balances()->data_set.budget->epsilon, 1);
  ASSERT_TRUE(ledger->set_budget(5, rational("1e-6"), "owner", "the board agreed"));
  must_release(*ledger, ask("2"));
  EXPECT_EQ(spent(*ledger).epsilon, rational("2.5"));
  EXPECT_EQ(must_open(terms_at(place))->reserve(ask("0.1")).error().code, Code::kBudget)
      << "the old policy no longer fits";
  Terms zcdp = raised;
  zcdp.accountant = Accountant::kZcdp;
  EXPECT_EQ(must_open(zcdp)->reserve(ask("0.1")).error().code, Code::kBudget);
  ASSERT_TRUE(ledger->set_budget(1, rational("1e-6"), "owner", "lowered below what is spent"));
  EXPECT_EQ(ledger->balances()->data_set.remaining->epsilon, 0);
}

void pure_and_zcdp(const std::string& place) {
  Terms pure = terms_at(place + "-pure");
  pure.accountant = Accountant::kPure;
  auto ledger = must_open(pure);
  EXPECT_NE(ledger->reserve(ask("0.1", "1e-9")).error().message.text().find("refuses δ > 0"),
            std::string::npos);
  must_release(*ledger, ask("0.1"));

  Terms terms = terms_at(place + "-zcdp");
  terms.accountant = Accountant::kZcdp;
  terms.sources = {"/data/other.parquet"};
  auto zcdp = must_open(terms);
  const Rational limit = *zcdp->balances()->data_set.budget->rho;
  Request gaussian = ask("0.1", "1e-9");
  gaussian.events = {
      {"gaussian(sigma=100)", gaussian.epsilon, gaussian.delta, rational("1/20000")}};
  must_release(*zcdp, gaussian);
  EXPECT_EQ(*zcdp->balances()->data_set.spent.rho, rational("1/20000"));
  must_release(*zcdp, ask("0.1", "1e-7"));
  EXPECT_EQ(*zcdp->balances()->data_set.spent.rho, rational("1/20000") + rational("0.005"));
  EXPECT_EQ(*zcdp->balances()->data_set.remaining->rho,
            limit - rational("1/20000") - rational("0.005"));
  EXPECT_EQ(zcdp->balances()->data_set.remaining->delta, rational("4e-7"));
  EXPECT_EQ(zcdp->reserve(ask("0.01", "5e-7")).error().code, Code::kBudget) << "Σδ ≤ δ/2";
  EXPECT_EQ(zcdp->reserve(ask("0.9")).error().code, Code::kBudget);
  const Rational fits = zcdp->balances()->data_set.remaining->epsilon;
  EXPECT_TRUE(zcdp->check(ask(to_decimal(fits))));
  EXPECT_FALSE(zcdp->check(ask(to_decimal(fits + rational("1e-6")))));
}

void per_query_maximum(const std::string& place) {
  Terms terms = terms_at(place);
  terms.max_epsilon_per_query = rational("0.25");
  auto ledger = must_open(terms);
  auto refused = ledger->reserve(ask("0.3"));
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_NE(refused.error().text(Notation::kOptions).find("--epsilon 0.25"), std::string::npos);
  must_release(*ledger, ask("0.25"));
  terms.max_delta_per_query = rational("1e-7");
  auto both = must_open(terms);
  auto delta = both->reserve(ask("0.1", "2e-7"));
  ASSERT_FALSE(delta);
  EXPECT_EQ(delta.error().code, Code::kBudget);
  EXPECT_NE(delta.error().text(Notation::kOptions).find("--delta 1e-07"), std::string::npos)
      << delta.error().text();
  EXPECT_FALSE(both->check(ask("0.1", "2e-7")));
  must_release(*both, ask("0.1", "1e-7"));
}

// A reservation is known by its record and its hash: a number alone, as a rolled back ledger or
// another one has it too, closes nothing.
void a_reservation_is_its_hash(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  const Reservation mine = *ledger->reserve(ask("0.1"));
  const Reservation next = *ledger->reserve(ask("0.1"));
  for (const Reservation& other :
       {Reservation{mine.record, next.hash}, Reservation{mine.record, kNoHash},
        Reservation{mine.record, ""}, Reservation{next.record, mine.hash},
        Reservation{1, mine.hash}, Reservation{99, mine.hash}}) {
    EXPECT_FALSE(ledger->commit(other, "{}"));
    EXPECT_FALSE(ledger->abandon(other, "not mine"));
  }
  EXPECT_EQ(ledger->balances()->unfinished, 2U);
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.2"));
  EXPECT_TRUE(ledger->commit(mine, "{}"));
  EXPECT_TRUE(ledger->abandon(next, "no data was read"));
}

void answers_are_reused(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  EXPECT_FALSE(ledger->reuse(ask("0.5"), false)->has_value()) << "nothing to reuse";
  EXPECT_EQ(ledger->balances()->records, 0U);
  EXPECT_TRUE(
      ledger->grant({"bo", "", rational("0.7"), rational("0"), Accountant::kApprox, "owner", ""}));
  const Receipt receipt = must_release(*ledger, ask("0.5"), R"({"rows":[[42]]})");
  auto again = ledger->reuse(ask("0.5"), false);
  ASSERT_TRUE(again && *again) << again.error().text();
  EXPECT_EQ((*again)->result, R"({"rows":[[42]]})");
  EXPECT_EQ((*again)->receipt.hash, receipt.hash);
  EXPECT_FALSE(ledger->reuse(ask("0.5", "0", "ana", "another plan"), false)->has_value());
  ASSERT_TRUE(*ledger->reuse(ask("0.5", "0", "bo"), false));
  ASSERT_TRUE(*ledger->reuse(ask("0.5", "0", "bo"), false)) << "paid for once";
  EXPECT_EQ(spent(*ledger).epsilon, rational("0.5")) << "the data set pays nothing";
  EXPECT_EQ(ledger->balances()->analysts[1].spent.epsilon, rational("0.5"));
  must_release(*ledger, ask("0.4", "0", "ana", "second"));
  EXPECT_EQ(ledger->reuse(ask("0.4", "0", "bo", "second"), false).error().code, Code::kBudget)
      << "bo's own cap";

  const std::string exported = *ledger->export_lines();
  EXPECT_EQ(exported.find("\"s1\""), std::string::npos) << "a source's size counts its rows";
  EXPECT_EQ(exported.find(sha256_hex("s1")), std::string::npos) << "a hash can be guessed";
  Request changed = ask("0.5");
  changed.source_stamp = "s2";
  auto stale = ledger->reuse(changed, false);
  EXPECT_EQ(stale.error().code, Code::kRefused);
  EXPECT_NE(stale.error().message.text().find("the data has changed"), std::string::npos)
      << stale.error().text();
  EXPECT_TRUE((*ledger->reuse(changed, true))->stale);
  Terms edited = terms_at(place);
  edited.policy_hash = "p2";
  EXPECT_EQ(must_open(edited)->reuse(ask("0.5"), false).error().code, Code::kRefused);
  EXPECT_TRUE(ledger->verify({}));
}

// The latest release that tells a text, each result once; not of other data, under another policy
// or by somebody who hasn't paid.
void what_was_told_is_found(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  Request first = ask("0.1"), second = ask("0.1", "0", "ana", "another plan");
  first.tells = {"rows", "values"};
  second.tells = {"values", "groups"};
  EXPECT_TRUE(ledger->known({"rows"}, first)->empty());
  must_release(*ledger, first, R"({"first":1})");
  must_release(*ledger, second, R"({"second":2})");
  const auto found = *ledger->known({"groups", "rows", "nothing", "values"}, ask("1"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].result, R"({"first":1})");
  EXPECT_EQ(found[0].texts, std::vector<std::string>{"rows"});
  EXPECT_EQ(found[1].result, R"({"second":2})");
  EXPECT_EQ(found[1].texts, (std::vector<std::string>{"groups", "values"}));

  Request changed = ask("1");
  changed.source_stamp = "s2";
  EXPECT_TRUE(ledger->known({"rows"}, changed)->empty());
  Terms edited = terms_at(place);
  edited.policy_hash = "p2";
  EXPECT_TRUE(must_open(edited)->known({"rows"}, ask("1"))->empty());
  EXPECT_TRUE(
      ledger->grant({"bo", "", rational("0.7"), rational("0"), Accountant::kApprox, "owner", ""}));
  EXPECT_TRUE(ledger->known({"rows"}, ask("1", "0", "bo"))->empty());
}

void receipts(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  const Receipt receipt = must_release(*ledger, ask("0.1"));
  must_release(*ledger, ask("0.1"));
  EXPECT_TRUE(ledger->verify(receipt));
  EXPECT_FALSE(ledger->verify(Receipt{receipt.id, kNoHash}));
  Receipt later = receipt;
  later.id.back() = '9';
  EXPECT_FALSE(ledger->verify(later));
  EXPECT_EQ(ledger->verify(Receipt{"nonsense", receipt.hash}).error().code, Code::kUsage);
  EXPECT_EQ(ledger->verify(receipt)->results, 2U);
}

void history_tells_all(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  must_release(*ledger, ask("0.1", "1e-8"));
  (void)ledger->reserve(ask("0.2", "0", "bo"));
  (void)ledger->set_budget(2, rational("1e-6"), "owner", "why not");
  auto history = ledger->history();
  ASSERT_TRUE(history);
  ASSERT_EQ(history->size(), 4U);
  EXPECT_EQ((*history)[0].kind, "init");
  EXPECT_EQ((*history)[1].state, "committed");
  EXPECT_EQ((*history)[1].cost.delta, rational("1e-8"));
  EXPECT_EQ((*history)[1].events[0].expression, "dp(epsilon=0.1,delta=1e-8)");
  EXPECT_EQ((*history)[2].state, "reserved");
  EXPECT_EQ((*history)[2].who, "bo");
  EXPECT_EQ((*history)[3].text, "why not");
  std::string lines = *ledger->export_lines();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 5);
}

// Records of before questions were kept as they were asked have the canonical text only.
void history_tells_what_was_asked(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  must_release(*ledger, ask("0.1"));
  EXPECT_EQ(ledger->history()->back().asked, "");
  EXPECT_EQ(ledger->export_lines()->find("\"asked\""), std::string::npos);
  Request written = ask("0.1");
  written.asked = "select  1";
  must_release(*ledger, written);
  EXPECT_EQ(ledger->history()->back().asked, "select  1");
  EXPECT_EQ(must_open(terms_at(place))->history()->back().asked, "select  1");
}

// The registry knows more records than the ledger has, or other ones.
void rolled_back(const std::string& place) {
  must_release(*must_open(terms_at(place)), ask("0.1"));
  auto store = make_store(place);
  auto before = (*store)->read(0);
  must_release(*must_open(terms_at(place)), ask("0.2"));
  ASSERT_TRUE((*store)->put_aside("-first"));
  ASSERT_TRUE((*store)->line_up(0) && (*store)->begin(0));
  ASSERT_TRUE((*store)->finish(before->rows));
  auto shorter = Ledger::open(terms_at(place));
  ASSERT_FALSE(shorter);
  EXPECT_EQ(shorter.error().code, Code::kFailure);
  EXPECT_NE(shorter.error().message.text().find("3 records, but 5 are known"), std::string::npos)
      << shorter.error().text();
  // A different history of the same length.
  ASSERT_TRUE((*store)->line_up(3) && (*store)->begin(3));
  std::vector<Row> forged;
  std::string head = before->rows.back().hash;
  for (std::uint64_t record : {4, 5}) {
    Row row{
        record,
        fmt::format(
            R"({{"kind":"set","time":"2020-01-01T00:00:00Z","record":{},"epsilon":"9","delta":"0"}})",
            record),
        "",
        {}};
    row.hash = head = chain_hash(head, row.body);
    forged.push_back(row);
  }
  ASSERT_TRUE((*store)->finish(forged));
  auto different = Ledger::open(terms_at(place));
  ASSERT_FALSE(different);
  EXPECT_NE(different.error().message.text().find("is not the one that is known"),
            std::string::npos)
      << different.error().text();
}

void missing_then_new(const std::string& place) {
  must_release(*must_open(terms_at(place)), ask("0.4"));
  ASSERT_TRUE((*make_store(place))->put_aside("-gone"));
  auto missing = Ledger::open(terms_at(place));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kFailure);
  EXPECT_NE(missing.error().message.text().find("missing"), std::string::npos);
  auto fresh = Ledger::start(terms_at(place), {true, false, "owner", "the disk died"});
  ASSERT_TRUE(fresh) << fresh.error().text();
  EXPECT_EQ(spent(**fresh).epsilon, 0);
  EXPECT_EQ((*(*fresh)->history())[0].text, "the disk died");
  EXPECT_NE((*fresh)->export_lines()->find(R"("replaces":[{"hash":)"), std::string::npos)
      << "the new one names the old one";
  must_release(*must_open(terms_at(place)), ask("0.4"));
  EXPECT_FALSE(Ledger::start(terms_at(place), {})) << "already there";
}

void removed_under_our_feet(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  auto reservation = ledger->reserve(ask("0.4"));
  ASSERT_TRUE((*make_store(place))->put_aside("-gone"));
  EXPECT_FALSE(ledger->commit(*reservation, "{}"));
  EXPECT_FALSE(ledger->reserve(ask("0.1")));
  EXPECT_FALSE(ledger->balances());
  EXPECT_FALSE(Ledger::open(terms_at(place)));
}

void sources_are_guarded(const std::string& place) {
  must_release(*must_open(terms_at(place)), ask("0.4"));
  Terms copy = terms_at(place + "-copy");
  auto refused = Ledger::open(copy);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kFailure);
  EXPECT_NE(refused.error().message.text().find("already has a budget"), std::string::npos)
      << refused.error().text();
  EXPECT_FALSE(Ledger::start(copy, {}));
  auto shared = Ledger::start(copy, {false, true, "owner", "another study"});
  ASSERT_TRUE(shared) << shared.error().text();
  must_release(**shared, ask("0.5"));
  must_release(*must_open(copy), ask("0.1"));
  must_release(*must_open(terms_at(place)), ask("0.1"));  // and the first one goes on
  Terms grown = terms_at(place);
  grown.sources.push_back("/data/new.csv");
  must_release(*must_open(grown), ask("0.1"));
  Terms third = terms_at(place + "-third");
  third.sources = {"/data/new.csv"};
  EXPECT_FALSE(Ledger::open(third));
}

void unknown_registry_is_no_obstacle(const std::string& place, const Folder& folder) {
  must_release(*must_open(terms_at(place)), ask("0.4"));
  folder.forget_everything();
  must_release(*must_open(terms_at(place)), ask("0.4"));
  EXPECT_EQ(must_open(terms_at(place))->verify({})->registered, 5U);
}

void odd_texts(const std::string& place) {
  auto ledger = must_open(terms_at(place));
  Request odd = ask("0.01", "0", "Zoë 'o\"Neil; DROP TABLE record; --");
  odd.query = std::string("SELECT '") + "\xE2\x82\xAC\n\t\\' FROM \"x\"";
  const std::string result = R"({"rows":[["it's \"quoted\" \\ \u0000"]]})";
  must_release(*ledger, odd, result);
  EXPECT_EQ((*ledger->reuse(odd, false))->result, result);
  EXPECT_EQ((*ledger->history())[1].text, odd.query);
  odd.query = "\xFF\xFE";
  EXPECT_EQ(ledger->reserve(odd).error().code, Code::kUsage);
  for (const char* name : {"", " ", "a\nb", "@g", " a", "a "})
    EXPECT_EQ(ledger->reserve(ask("0.01", "0", name)).error().code, Code::kUsage) << name;
  Request negative = ask("0.01");
  negative.epsilon = -1;
  EXPECT_EQ(ledger->reserve(negative).error().code, Code::kUsage);
  const Rational tiny = rational("1e-300") + rational("1/3");
  Request exact = ask("0.01");
  exact.epsilon = tiny;
  must_release(*ledger, exact);
  EXPECT_EQ(spent(*must_open(terms_at(place))).epsilon, tiny + rational("0.01"));
}

constexpr Case kCases[] = {
    {"ten_tenths", ten_tenths},
    {"what_would_fit", what_would_fit},
    {"crash_leaves_it_spent", crash_leaves_it_spent},
    {"abandoned_before_reading", abandoned_before_reading},
    {"looking_creates_nothing", looking_creates_nothing},
    {"two_see_each_other", two_see_each_other},
    {"sixteen_at_once", sixteen_at_once},
    {"analysts_and_groups", analysts_and_groups},
    {"the_budget_is_copied", the_budget_is_copied},
    {"pure_and_zcdp", pure_and_zcdp},
    {"per_query_maximum", per_query_maximum},
    {"a_reservation_is_its_hash", a_reservation_is_its_hash},
    {"answers_are_reused", answers_are_reused},
    {"what_was_told_is_found", what_was_told_is_found},
    {"receipts", receipts},
    {"history_tells_all", history_tells_all},
    {"history_tells_what_was_asked", history_tells_what_was_asked},
    {"rolled_back", rolled_back},
    {"missing_then_new", missing_then_new},
    {"removed_under_our_feet", removed_under_our_feet},
    {"sources_are_guarded", sources_are_guarded},
    {"odd_texts", odd_texts},
};

std::vector<Case> all_cases() {
  std::vector<Case> all(std::begin(kCases), std::end(kCases));
  for (const std::vector<Case>& more : {clock_cases(), step_cases()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Contract, Sqlite) {
  for (const Case& one : all_cases()) {
    SCOPED_TRACE(one.name);
    Folder folder;
    one.run(folder / "clinic.ledger");
  }
  Folder folder;
  unknown_registry_is_no_obstacle(folder / "clinic.ledger", folder);
}

TEST(Contract, Postgres) {
  Postgres server;
  for (const Case& one : all_cases()) {
    SCOPED_TRACE(one.name);
    Folder folder;
    one.run(server.ledger(one.name));
  }
  Folder folder;
  unknown_registry_is_no_obstacle(server.ledger("unknown"), folder);
}

}  // namespace
}  // namespace discreet::ledger
