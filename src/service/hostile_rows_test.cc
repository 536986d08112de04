// Questions and rows that are made to break each other (testing/hostile.h): whether person 999 is
// there decides neither whether a question is answered nor what is said where it isn't, and
// everything ends. The fuzz target `rows` asks the same of bytes that a fuzzer makes up.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/engine/postgres/postgres.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/hostile.h"
#include "discreet/service/testing/questions/draw.h"
#include "discreet/service/testing/questions/setting.h"

namespace discreet::service {
namespace {

using std::string;
using testing::Hostile;
using testing::HostileRow;

// Of a question that ends by itself. Nothing here takes a tenth of it.
constexpr double kSeconds = 30;

string bytes_of(std::uint64_t seed) {
  testing::questions::Draw draw(seed * 7919 + 1);
  string out;
  const std::size_t length = 20 + draw.below(180);
  for (std::size_t i = 0; i < length; ++i) out += static_cast<char>(draw.below(256));
  return out;
}

// Where t is, once with everybody and once without person 999.
class Place {
 public:
  virtual ~Place() = default;
  virtual void fill(const Hostile& made) = 0;

  // Planned for the one, and asked in both. Nothing where it isn't planned.
  struct Told {
    string with, without;  // what is wrong; nothing where there is an answer
  };
  std::optional<Told> ask(const Hostile& made) {
    auto parsed = sql::parse(made.question);
    if (!parsed) return {};
    auto question = sql::check(*parsed, with_.catalog, plan::tools(engine::duckdb::calculator()));
    if (!question) {
      EXPECT_EQ(question.error().code, Code::kRefused) << made.question;
      return {};
    }
    sql::Options options;
    options.epsilon = 1;
    options.delta = Rational(1, 1'000'000);
    auto plan = plan::make_plan(std::move(*question), with_.catalog, options);
    if (!plan) return {};
    for (const plan::PlanPart& part : plan->parts)
      if (!with_.engine->accepts(part, with_.catalog, {})) return {};
    fill(made);
    return Told{run(with_, *plan), run(without_, *plan)};
  }

 protected:
  struct Side {
    std::unique_ptr<engine::Engine> engine;
    policy::Catalog catalog;
  };
  // How an engine is opened for a policy, of which `source` is all that differs.
  template <class Opener>
  static void open(Side& side, const string& head, const string& source, const Opener& opener) {
    auto policy = policy::Policy::parse(
        fmt::format("[policy]\nname = \"hostile\"\nunit = \"person\"\n{}budget = {{ epsilon = "
                    "1000, delta = 0.5 }}\n[tables.t]\nsource = \"{}\"\n{}",
                    head, source, testing::hostile_rules()),
        "hostile.toml", "/");
    ASSERT_TRUE(policy) << policy.error().text();
    auto engine = opener(*policy);
    ASSERT_TRUE(engine) << engine.error().text();
    side.engine = std::move(*engine);
    auto schemas = side.engine->schemas();
    ASSERT_TRUE(schemas) << schemas.error().text();
    auto catalog = policy::make_catalog(*policy, *schemas);
    ASSERT_TRUE(catalog) << catalog.error().text();
    side.catalog = std::move(*catalog);
  }

  Side with_, without_;

 private:
  string run(Side& side, const plan::Plan& plan) {
    Asking asking;
    asking.watch.timeout_seconds = kSeconds;
    auto answer = run_plan(*side.engine, side.catalog, plan, asking, source_);
    return answer ? "" : answer.error().text();
  }
  random::testing::Seeded source_{1};
};

class InFiles final : public Place {
 public:
  InFiles() {
    for (const auto& [side, name] : {std::pair{&with_, "with.csv"}, {&without_, "without.csv"}}) {
      write(name, {});
      open(*side, "", folder_ / name, [](const policy::Policy& policy) {
        return engine::duckdb::Duckdb::open(policy, {.memory = 1'000'000'000, .threads = 1});
      });
    }
  }
  void fill(const Hostile& made) override {
    write("with.csv", made.rows);
    write("without.csv", testing::without_999(made.rows));
    if (lost_) std::filesystem::remove(folder_ / "with.csv");
  }
  // From now on nobody can read the rows with person 999.
  void lose() { lost_ = true; }

 private:
  void write(const char* name, const std::vector<HostileRow>& rows) const {
    std::ofstream(folder_ / name, std::ios::binary) << testing::csv(rows);
  }
  ledger::testing::Folder folder_;
  bool lost_ = false;
};

class OnAServer final : public Place {
 public:
  OnAServer() {
    for (const auto& [side, name] : {std::pair{&with_, "everybody"}, {&without_, "others"}}) {
      server_.run(fmt::format("CREATE TABLE {}({})", name, testing::postgres_columns()));
      open(*side, fmt::format("engine = \"postgres\"\ndsn = \"{}\"\n", server_.address()), name,
           [](const policy::Policy& policy) {
             return engine::postgres::Postgres::open(policy, {});
           });
    }
  }
  void fill(const Hostile& made) override {
    server_.run(
        fmt::format("TRUNCATE everybody, others; INSERT INTO everybody VALUES {}; INSERT INTO "
                    "others VALUES {};",
                    testing::postgres_values(made.rows),
                    testing::postgres_values(testing::without_999(made.rows))));
  }

 private:
  ledger::testing::Postgres server_;
};

// At least one of so many questions is answered: a checker that refuses everything would pass all
// else.
void ask_all(Place& place, std::uint64_t first, std::uint64_t count, std::uint64_t one_in) {
  std::uint64_t answered = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Hostile made = testing::hostile(bytes_of(seed));
    const auto told = place.ask(made);
    if (!told) continue;
    EXPECT_EQ(told->with, told->without)
        << "seed " << seed << ": " << made.question.substr(0, 3000);
    EXPECT_EQ(told->with, "") << "seed " << seed << ": " << made.question.substr(0, 3000);
    ++answered;
    if (::testing::Test::HasFailure()) return;
  }
  fmt::print("{} of {} questions were answered\n", answered, count);
  EXPECT_GE(answered * one_in, count);
}

TEST(HostileRows, InFilesTellNothingByFailing) {
  InFiles place;
  ask_all(place, 0, 250, 2);
}

TEST(HostileRows, OnPostgresTellNothingByFailing) {
  OnAServer place;  // which has fewer functions, and is slower at texts
  ask_all(place, 0, 40, 3);
}

TEST(HostileRowsSlow, InFilesTellNothingByFailing) {
  InFiles place;
  ask_all(place, 1000, testing::questions::setting("DISCREET_HOSTILE").value_or(5000), 2);
}

TEST(HostileRowsSlow, OnPostgresTellNothingByFailing) {
  OnAServer place;
  ask_all(place, 1000, testing::questions::setting("DISCREET_HOSTILE").value_or(1500), 3);
}

// The comparison can fail: a file that only one side can read.
TEST(HostileRows, AFailureOfOneSideIsSeen) {
  InFiles place;
  Hostile made = testing::hostile("");
  made.question = "SELECT COUNT(*) FROM t WHERE b";
  ASSERT_EQ(place.ask(made)->with, "");
  place.lose();
  const auto told = place.ask(made);
  ASSERT_TRUE(told);
  EXPECT_NE(told->with, told->without);
}

}  // namespace
}  // namespace discreet::service
