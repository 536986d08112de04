// Groups that are public by a public table, a range of days or the query's own words: the same on
// neighbouring data, whoever is the only one in a group, and another question where they change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "discreet/ledger/testing/places.h"
#include "discreet/plan/canonical.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"

namespace discreet::service {
namespace {

using std::string;

class PublicKeys : public ::testing::Test {
 protected:
  // Passengers 0 to 8 fly with "AA" in spring; `last`, perhaps, is the only one of a row of their
  // own.
  string write(const string& name, const string& last) {
    const string place = folder_ / name;
    std::filesystem::create_directories(place);
    std::ofstream flights(place + "/flights.csv");
    flights << "passenger,carrier,day,city\n";
    for (int i = 0; i < 9; ++i) flights << i << ",AA,2024-03-0" << i + 1 << ",Rome\n";
    flights << last;
    write_airlines(place, "");
    std::ofstream(place + "/policy.toml")
        << "[policy]\nname = \"air\"\nunit = \"passenger\"\nbudget = { epsilon = 1000000 }\n"
           "[tables.flights]\nsource = \"flights.csv\"\nkey = \"passenger\"\n"
           "columns.day = { type = \"date\", range = [\"2024-01-01\", \"2024-12-31\"] }\n"
           "[tables.airlines]\nsource = \"airlines.csv\"\npublic = true\n";
    return place;
  }
  static void write_airlines(const string& place, const string& more) {
    std::ofstream(place + "/airlines.csv") << "carrier,name\nAA,Alpha\nBB,Beta\nCC,Gamma\n" << more;
  }
  static std::unique_ptr<Service> open(const string& place) {
    auto opened = Service::open(place + "/policy.toml", {.memory = 200'000'000, .threads = 1}, {},
                                Service::Runs::kHere);
    EXPECT_TRUE(opened) << opened.error().text();
    return opened ? std::move(*opened) : nullptr;
  }
  static sql::Options options() {
    sql::Options out;
    out.epsilon = 10'000;
    return out;
  }
  Result<Reply> ask(Service& service, const string& query, bool reuse = false) {
    auto plan = service.plan(query, options());
    if (!plan) return forward_error(plan);
    return service.ask(*plan,
                       {.analyst = "ana",
                        .presenting = {},
                        .watch = {},
                        .reuse = reuse,
                        .stale = reuse,
                        .or_ask = true},
                       source_);
  }
  // The groups, "a b c".
  static string groups(const Reply& reply) {
    string out;
    for (const auto& row : reply.answer.rows) out += (out.empty() ? "" : " ") + row[0].value.show();
    return out;
  }

  ledger::testing::Folder folder_;
  random::testing::Seeded source_{5};
};

const char* const kByName =
    "SELECT a.name, COUNT(*) FROM flights f JOIN airlines a ON f.carrier = a.carrier GROUP BY "
    "a.name";

TEST_F(PublicKeys, AreTheSameForNeighbours) {
  auto with = open(write("with", "9,BB,2024-07-07,Oslo\n"));
  auto outside = open(write("outside", "9,ZZ,2031-01-01,Oslo\n"));
  auto without = open(write("without", ""));
  for (const string& query : std::vector<string>{
           string(kByName),
           string("SELECT carrier, COUNT(*) FROM flights JOIN airlines USING "
                  "(carrier) GROUP BY carrier"),
           string("SELECT a.name, COUNT(*) FROM flights f LEFT JOIN airlines a ON f.carrier = "
                  "a.carrier GROUP BY a.name"),
           string("SELECT month(day), COUNT(*) FROM flights GROUP BY month(day)"),
           string("SELECT day, COUNT(*) FROM flights GROUP BY day"),
           string(
               "SELECT city, COUNT(*) FROM flights WHERE city IN ('Oslo', 'Rome') GROUP BY city"),
           string("SELECT city, COUNT(*) FROM flights WHERE city = 'Oslo' GROUP BY city")}) {
    auto plan = with->plan(query, options());
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_EQ(plan->cost.delta, 0);
    const auto answer = ask(*with, query);
    ASSERT_TRUE(answer) << answer.error().text();
    for (Service* other : {outside.get(), without.get()}) {
      EXPECT_EQ(plan::canonical(*plan), plan::canonical(*other->plan(query, options())));
      EXPECT_EQ(groups(*answer), groups(*ask(*other, query))) << query;
    }
  }
  // What only one person has shows where it is listed, and nowhere else: the twin, a key that
  // nobody lists, needs a δ.
  EXPECT_EQ(groups(*ask(*with, kByName)), "Alpha Beta Gamma");
  auto twin = with->plan("SELECT city, COUNT(*) FROM flights GROUP BY city", options());
  ASSERT_FALSE(twin);
  EXPECT_EQ(twin.error().code, Code::kUsage);
}

TEST_F(PublicKeys, OutsideOfTheRangeADayFormsNoGroup) {
  auto service =
      open(write("outside", "9,ZZ,2031-01-01,Oslo\n10,ZZ,,Oslo\n11,ZZ,9999-12-31,Oslo\n"));
  const auto reply = ask(*service, "SELECT day, COUNT(*) FROM flights GROUP BY day");
  ASSERT_TRUE(reply) << reply.error().text();
  ASSERT_EQ(reply->answer.rows.size(), 366u);
  std::int64_t counted = 0;
  for (const auto& row : reply->answer.rows) counted += row[1].value.whole;
  EXPECT_EQ(counted, 9);
}

TEST_F(PublicKeys, AnAnswerIsFoundAgainWhileThePublicTableIsTheSame) {
  const string place = write("reuse", "");
  auto service = open(place);
  ASSERT_TRUE(ask(*service, kByName));
  const auto again = ask(*service, kByName, true);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(again->reused);
  write_airlines(place, "DD,Delta\n");
  const auto changed = ask(*service, kByName, true);
  ASSERT_TRUE(changed) << changed.error().text();
  EXPECT_FALSE(changed->reused);
  EXPECT_EQ(groups(*changed), "Alpha Beta Delta Gamma");
}

TEST_F(PublicKeys, AreExplained) {
  auto service = open(write("explained", ""));
  auto plan = service->plan(kByName, options());
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_NE(plan::json(*plan).find("\"public_groups\":3"), string::npos) << plan::json(*plan);
  EXPECT_NE(plan::words(*plan, "passenger").find("All groups are public (3)"), string::npos);
}

// More rows of a public table than may be shown: its keys are as private as others.
TEST_F(PublicKeys, OfATableThatIsTooLargeAreChosenPrivately) {
  const string place = write("large", "");
  {
    std::ofstream airlines(place + "/airlines.csv");
    airlines << "carrier,name\n";
    for (int i = 0; i <= 1'000'000; ++i) airlines << "c" << i << ",n" << i << "\n";
  }
  auto service = open(place);
  const auto plan = service->plan(kByName, options());
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().text().find("chosen privately"), string::npos) << plan.error().text();
}

}  // namespace
}  // namespace discreet::service
