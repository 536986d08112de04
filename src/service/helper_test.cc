// Questions in helper processes are answered as they are here, from many threads too, and what
// isn't the same question on both sides isn't asked. (What happens when one ends:
// tests/isolation_test.py.)
#include "discreet/service/helper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "discreet/plan/testing/forger.h"
#include "discreet/service/service.h"
#include "discreet/service/stored.h"

namespace discreet::service {
namespace {

using std::string;

TEST(HelperMessages, TextsComeBack) {
  const std::vector<string> texts = {"", "a", string("\0\xff\n", 3), string(100'000, 'x')};
  EXPECT_EQ(parted(joined(texts), 4), texts);
  EXPECT_FALSE(parted(joined(texts), 3));
  const string whole = joined({"ab", "c"});
  for (std::size_t cut = 1; cut < whole.size(); ++cut)
    EXPECT_FALSE(parted(whole.substr(0, cut), 2)) << cut;
  EXPECT_FALSE(parted(string(8, '\xff'), 1));
}

TEST(HelperMessages, QuestionsComeBack) {
  Preparing asked;
  asked.text = "SELECT '\xff'";
  asked.options.epsilon = Rational(1, 3);
  asked.options.max_rows = 7;
  asked.options.selection = "";
  asked.options.unit_column = "who";
  asked.options.assume_bounds = true;
  asked.options.default_delta = Rational(0);
  asked.known.add({"ROWS", 2, {1, -2, 3}, Rational(1, 20)});
  asked.only_surveys = true;
  asked.presenting = {Rational(99, 100), true};
  asked.fingerprint = "f";
  const auto read = read_preparing(message_of(asked));
  ASSERT_TRUE(read);
  EXPECT_EQ(message_of(*read), message_of(asked));
  EXPECT_EQ(read->options.selection, "");
  EXPECT_FALSE(read->options.delta);
  EXPECT_EQ(read->known.histograms(), asked.known.histograms());
  EXPECT_FALSE(read_preparing("nonsense"));

  const Opening opening{"text", "path", "directory", "folder", {5, 6, 7}};
  const auto opened = read_opening(message_of(opening));
  ASSERT_TRUE(opened);
  EXPECT_EQ(message_of(*opened), message_of(opening));
  string other = message_of(opening);  // of another version
  other[8] = 'x';
  EXPECT_FALSE(read_opening(other));

  const auto error = read_error(message_of(Error{Code::kRefused, "no", "why", {}, {}}));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text(), "no (why)");
  EXPECT_EQ(error->code, Code::kRefused);
  EXPECT_FALSE(read_error(joined({"77", "a", "b"})));
}

class InHelpers : public ::testing::Test {
 protected:
  void SetUp() override {
    string folder = (std::filesystem::temp_directory_path() / "discreet-helpers-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    place_ = folder;
    std::ofstream rows(place_ + "/visits.csv");
    rows << "who,ward,cost\n";
    for (int who = 0; who < 300; ++who)
      for (int visit = 0; visit <= who % 3; ++visit)
        rows << fmt::format("{},{},{}\n", who, who % 2 ? "a\xc3\xa4" : "b", who % 10);
    std::ofstream wards(place_ + "/wards.csv");
    wards << "ward\na\xc3\xa4\nb\nnone\n";
    std::ofstream(place_ + "/policy.toml")
        << "[policy]\nname = \"p\"\nunit = \"person\"\n"
           "budget = { epsilon = 1000000, delta = 0.9 }\n"
           "[tables.visits]\nsource = \"visits.csv\"\nkey = \"who\"\n"
           "columns.who = { type = \"integer\" }\ncolumns.ward = { type = \"text\" }\n"
           "columns.cost = { type = \"integer\" }\n"
           "[tables.wards]\nsource = \"wards.csv\"\npublic = true\n"
           "columns.ward = { type = \"text\" }\n";
    setenv("XDG_STATE_HOME", (place_ + "/state").c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  std::unique_ptr<Service> open(Service::Runs runs, unsigned queries = 1) {
    auto service =
        Service::open(place_ + "/policy.toml",
                      {.memory = 400'000'000, .threads = 1, .queries = queries}, {}, runs);
    EXPECT_TRUE(service) << service.error().text();
    return std::move(*service);
  }
  static sql::Options options() {
    sql::Options out;
    out.epsilon = Rational(10000);
    out.delta = Rational(1, 100000);
    return out;
  }
  static Asking by(const string& analyst) {
    Asking out;
    out.analyst = analyst;
    return out;
  }

  string place_;
};

TEST_F(InHelpers, AreAnsweredAsHere) {
  const auto here = open(Service::Runs::kHere), there = open(Service::Runs::kInHelpers);
  for (const string query :
       {"SELECT COUNT(*) FROM visits", "SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward",
        "SELECT w.ward, COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY w.ward "
        "ORDER BY 2 DESC",
        "SELECT AVG(cost), MEDIAN(cost), COUNT(DISTINCT who) FROM visits",
        "SELECT 'x' AS k, COUNT(*) FROM visits UNION ALL SELECT 'y', COUNT(*) FROM visits WHERE "
        "cost > 4",
        "SELECT COUNT(*) FROM wards"}) {
    const auto plan = here->plan(query, options()), same = there->plan(query, options());
    ASSERT_TRUE(plan && same) << query << (plan ? "" : plan.error().text());
    // Nobody knows more than the other.
    const auto a = here->ask(*plan, by("ana " + query)), b = there->ask(*same, by("bob " + query));
    ASSERT_TRUE(a) << query << a.error().text();
    ASSERT_TRUE(b) << query << b.error().text();
    EXPECT_EQ(a->answer.columns, b->answer.columns);
    EXPECT_EQ(a->answer.types, b->answer.types);
    EXPECT_EQ(a->answer.unseen, b->answer.unseen);
    EXPECT_EQ(a->answer.clamps, b->answer.clamps);
    EXPECT_EQ(a->answer.left_out.has_value(), b->answer.left_out.has_value());
    EXPECT_EQ(a->plan->settled(), b->plan->settled());
    EXPECT_EQ(a->guarantee.epsilon, b->guarantee.epsilon);
    EXPECT_EQ(a->receipt.has_value(), b->receipt.has_value());
    ASSERT_EQ(a->answer.rows.size(), b->answer.rows.size()) << query;
    for (std::size_t r = 0; r < a->answer.rows.size(); ++r)
      for (std::size_t c = 0; c < a->answer.columns.size(); ++c) {
        const auto& [x, x_range] = a->answer.rows[r][c];
        const auto& [y, y_range] = b->answer.rows[r][c];
        EXPECT_EQ(x.type, y.type);
        EXPECT_EQ(x_range.has_value(), y_range.has_value());
        if (x.type == policy::Type::kText)
          EXPECT_EQ(x.string, y.string);
        else
          EXPECT_NEAR(x.as_number(), y.as_number(), 0.05 * std::abs(x.as_number()) + 1) << query;
      }
  }
}

TEST_F(InHelpers, ProfilesAreBoughtAndUsed) {
  const auto service = open(Service::Runs::kInHelpers);
  const auto plan = service->plan("SELECT COUNT(*), SUM(cost) FROM visits", options());
  ASSERT_TRUE(plan);
  ASSERT_FALSE(plan->settled());
  const auto bought = service->profile(*plan, by("ana"));
  ASSERT_TRUE(bought) << bought.error().text();
  EXPECT_TRUE(bought->receipt);
  EXPECT_TRUE(bought->plan.settled());
  // Asked as it was, and with what is known put in by the caller.
  for (const plan::Plan& asked : {*plan, *service->with_profile(*plan, "ana")}) {
    const auto reply = service->ask(asked, by("ana"));
    ASSERT_TRUE(reply) << reply.error().text();
    EXPECT_NEAR(reply->answer.rows[0][0].value.as_number(), 600, 30);
  }
}

TEST_F(InHelpers, APlanThatTheTextDoesNotLeadToIsNotRun) {
  const auto service = open(Service::Runs::kInHelpers);
  sql::Options few = options();
  few.max_rows = 1;
  few.max_groups = 1;
  const auto plan = service->plan("SELECT COUNT(*) FROM visits", few);
  ASSERT_TRUE(plan && plan->settled());
  const auto forged = plan::PlanForger::altered(
      *plan, [](plan::PlanPart& part) { part.select.outputs[0].name = "another"; });
  const auto refused = service->ask(forged, by("ana"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("nothing was reserved"), string::npos);
  EXPECT_EQ(service->balances()->data_set.spent.epsilon, 0);
  EXPECT_TRUE(service->ask(*plan, by("ana")));
}

TEST_F(InHelpers, ManyThreadsShareAFew) {
  constexpr int kThreads = 12;
  const auto service = open(Service::Runs::kInHelpers, 3);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      sql::Options one = options();
      one.max_rows = 3;
      one.max_groups = 1;
      const auto plan =
          service->plan(fmt::format("SELECT COUNT(*) FROM visits WHERE cost = {}", i % 10), one);
      if (!plan) return;
      const auto reply = service->ask(*plan, by("ana"));
      if (reply && std::abs(reply->answer.rows[0][0].value.as_number() - 60) < 5) ++right;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads);
  EXPECT_EQ(service->balances()->data_set.spent.epsilon, kThreads * 10000);
}

}  // namespace
}  // namespace discreet::service
