// The engine alone: passes give the same integers, limits end in fixed words, and DuckDB is locked
// whatever reaches it.
#include "discreet/engine/duckdb/duckdb.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "discreet/bound/weights.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/database.h"
#include "discreet/engine/duckdb/dialect.h"
#include "discreet/engine/testing/one_table.h"
#include "discreet/engine/testing/told.h"
#include "discreet/mechanism/door.h"
#include "discreet/plan/shape.h"
#include "discreet/random/generator.h"
#include "discreet/random/testing/sources.h"
#include "discreet/sql/rows_of.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;

using Engine = testing::OneTable;

struct Opened : mechanism::Door {
  template <class T>
  static const T& look(const mechanism::Exact<T>& exact) {
    return open(exact);
  }
};

TEST_F(Engine, PassesGiveTheSameIntegers) {
  {
    std::ofstream rows(place_ + "/t.csv");
    rows << "u,k,x\n";
    for (int i = 0; i < 1'500'000; ++i)
      rows << i % 700'000 << "," << i % 7 << "," << i % 1001 << "\n";
  }
  random::testing::Seeded source(5);
  const bound::Secret secret = *bound::Secret::draw(source);
  std::vector<std::vector<std::int64_t>> seen[2];
  std::vector<string> keys[2];
  int at = 0;
  // The units' kept rows (700 000 of five words) at once, and in passes.
  for (const std::size_t memory : {std::size_t{400'000'000}, std::size_t{3'000'000}}) {
    const auto engine = open("t.csv", {.memory = memory, .threads = 2});
    ASSERT_TRUE(engine);
    const plan::Plan asked =
        plan("SELECT k, COUNT(*), SUM(x), COUNT(DISTINCT x), COUNT(DISTINCT u) FROM t GROUP BY k");
    std::uint32_t most_passes = 0;
    Watch watch;
    watch.pass = [&](std::uint32_t, std::uint32_t passes) {
      most_passes = std::max(most_passes, passes);
    };
    auto out = engine->run(asked.parts[0], catalog_, secret, watch);
    ASSERT_TRUE(out) << out.error().text();
    EXPECT_EQ(most_passes > 1, at == 1);
    keys[at] = Opened::look(out->keys());
    seen[at].push_back(Opened::look(out->units()));
    std::vector<std::size_t> groups(keys[at].size());
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g] = g;
    for (std::size_t t = 0; t < asked.parts[0].statistics.size(); ++t)
      seen[at].push_back(Opened::look(*out->total(t, groups)));
    ++at;
  }
  EXPECT_EQ(keys[0].size(), 7u);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(seen[0], seen[1]);
}

// Where one row a unit is promised DuckDB adds up by itself. Every tenth row is nobody's.
TEST_F(Engine, ThePromisedWayAddsUpWhatTheBoundedOneDoes) {
  {
    std::ofstream rows(place_ + "/t.csv");
    rows << "u,k,x\n";
    for (int i = 0; i < 3000; ++i)
      rows << (i % 10 == 0 ? "" : std::to_string(i)) << "," << i % 7 << "," << (i * 37) % 1200 - 100
           << "\n";
  }
  const auto engine = open("t.csv", {.threads = 1}, "rows_per_unit = 1\n");
  ASSERT_TRUE(engine);
  const plan::Plan asked = plan(
      "SELECT k, COUNT(*), COUNT(x), SUM(x), AVG(x), "
      "VAR_SAMP(x, contribution_bounds_per_row => (0, 1e8)) FROM t GROUP BY k");
  const plan::PlanPart& direct = asked.parts[0];
  ASSERT_TRUE(direct.direct);
  plan::PlanPart bounded = direct;
  bounded.direct = false;
  // There is something to be off by: a middle, and squares on a grid of their own.
  const auto any = [&](const auto& is) {
    return std::any_of(direct.statistics.begin(), direct.statistics.end(), is);
  };
  using Kind = plan::Statistic::Kind;
  ASSERT_TRUE(any([](const auto& one) { return one.kind == Kind::kSum && one.center != 0; }));
  ASSERT_TRUE(any([](const auto& one) { return one.kind == Kind::kSquares && one.shift > 0; }));
  random::testing::Seeded source(5);
  const bound::Secret secret = *bound::Secret::draw(source);
  const auto added = [&](const plan::PlanPart& part) {
    auto out = engine->run(part, catalog_, secret, {});
    EXPECT_TRUE(out) << out.error().text();
    return out ? engine::testing::told(*out, part) : std::vector<string>{};
  };
  EXPECT_EQ(added(direct).size(), 7U);
  EXPECT_EQ(added(direct), added(bounded));
}

// One person with many rows, joined with themselves: more work than anyone waits for.
TEST_F(Engine, LimitsEndInFixedWords) {
  {
    std::ofstream rows(place_ + "/t.csv");
    rows << "u,k,x\n";
    for (int i = 0; i < 60'000; ++i) rows << "1,a," << i << "\n";
  }
  const auto engine = open("t.csv", {.memory = 400'000'000, .threads = 1});
  ASSERT_TRUE(engine);
  const plan::Plan asked = plan("SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.u = b.u");
  random::testing::Seeded source(5);
  const bound::Secret secret = *bound::Secret::draw(source);
  Watch late;
  late.timeout_seconds = 0.1;
  auto out = engine->run(asked.parts[0], catalog_, secret, late);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, Code::kFailure);
  EXPECT_EQ(out.error().message,
            "the query took longer than allowed; what was reserved for it stays spent");
  const std::atomic<bool> asked_to_stop{true};
  Watch stopped;
  stopped.stop = &asked_to_stop;
  out = engine->run(asked.parts[0], catalog_, secret, stopped);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, Code::kInterrupted);
  EXPECT_EQ(out.error().message, "interrupted; what was reserved for this query stays spent");
  // And the session goes on.
  EXPECT_TRUE(engine->run(plan("SELECT COUNT(*) FROM t").parts[0], catalog_, secret, {}));
}

// A line that nobody would wait for (the file has no blocks on the disk) has no rows between which
// DuckDB could stop.
TEST_F(Engine, ReadingCanBeStopped) {
  for (const char* name : {"t.csv", "t.jsonl", "t.json"}) {
    SCOPED_TRACE(name);
    const string path = place_ + "/" + name;
    std::ofstream(path) << (string(name) == "t.json" ? "[\"" : "u,k,x\n1,a,2\n3,\"");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 42);
    const auto engine = open(name, {.memory = 100'000'000, .threads = 2});
    ASSERT_TRUE(engine);
    random::testing::Seeded source(5);
    Watch late;
    late.timeout_seconds = 0.2;
    bool looked = false;
    late.progress = [&](double percent) { looked = looked || (percent >= 0 && percent <= 100); };
    const auto out = engine->run(plan("SELECT COUNT(*) FROM t").parts[0], catalog_,
                                 *bound::Secret::draw(source), late);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().message,
              "the query took longer than allowed; what was reserved for it stays spent");
    EXPECT_TRUE(looked);
  }
}

TEST_F(Engine, HostileNamesAreOnlyNames) {
  for (const char* name : {"it's.csv", "a; DROP TABLE t; --.csv", "say \"hi\".csv",
                           "per%20cent.csv", "'); ATTACH 'x' AS y; --.csv", "日本 .csv"}) {
    SCOPED_TRACE(name);
    std::ofstream(place_ + "/" + name) << "u,\"k\"\"'; DROP TABLE t; --\",x\n1,a,2\n2,b,3\n";
    const auto engine = open(name, {.memory = 100'000'000, .threads = 1});
    ASSERT_TRUE(engine);
    random::testing::Seeded source(5);
    auto out =
        engine->run(plan("SELECT COUNT(*), COUNT(\"k\"\"'; DROP TABLE t; --\") FROM t").parts[0],
                    catalog_, *bound::Secret::draw(source), {});
    ASSERT_TRUE(out) << out.error().text();
    EXPECT_EQ(Opened::look(*out->total(0, {0}))[0], 2 << bound::kWeightBits);
    EXPECT_EQ(Opened::look(*out->total(1, {0}))[0], 2 << bound::kWeightBits);
  }
}

// DuckDB would stop at the first malformed element; so that is what must not be asked of it.
TEST_F(Engine, ArraysOfJsonAreReadToTheirEnd) {
  std::ofstream(place_ + "/t.json")
      << R"([{"u": 1, "x": 5}, {"u": 2, "x": "five"}, {broken}, 7, {"u": "x", "x": 1},)"
      << "\n{\"u\": 3, \"x\": \"\xff\"}, {\"x\": 9}, {\"u\": 4, \"x\": 2000}, {\"u\": 5, \"x\": [";
  const auto engine = open("t.json", {.memory = 100'000'000, .threads = 2});
  ASSERT_TRUE(engine);
  random::testing::Seeded source(5);
  auto out = engine->run(plan("SELECT COUNT(*), COUNT(x), SUM(x) FROM t").parts[0], catalog_,
                         *bound::Secret::draw(source), {});
  ASSERT_TRUE(out) << out.error().text();
  const auto rows = [&](std::size_t total) {
    return Opened::look(*out->total(total, {0}))[0] >> bound::kWeightBits;
  };
  EXPECT_EQ(rows(0), 3);         // 1, 2 and 4
  EXPECT_EQ(rows(1), 2);         // 'five' is NULL
  EXPECT_EQ(rows(2), 5 + 1000);  // clamped
  // A file that went away is the engine's failure, in fixed words.
  std::filesystem::remove(place_ + "/t.json");
  out = engine->run(plan("SELECT COUNT(*) FROM t").parts[0], catalog_, *bound::Secret::draw(source),
                    {});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message,
            "the query could not be run; what was reserved for it stays spent");
}

// Suppose that a user's text did reach DuckDB, in the seat of a query.
TEST_F(Engine, DuckdbIsLocked) {
  std::ofstream(place_ + "/t.csv") << "u,k,x\n1,a,2\n";
  std::ofstream(place_ + "/secret.csv") << "a\n1\n";
  const Limits limits{.memory = 100'000'000, .threads = 1, .queries = 2};
  const auto engine = open("t.csv", limits);
  ASSERT_TRUE(engine);
  auto database = Database::open(policy_, limits);
  ASSERT_TRUE(database);
  // The first seat has locked the door behind it; the second came later.
  const auto first = (*database)->take({}), second = (*database)->take({});
  ASSERT_TRUE(first && second);
  const auto smuggle = [&](const string& statement) {
    const bool one = (*first)->execute(statement), other = (*second)->execute(statement);
    EXPECT_EQ(one, other) << statement;
    return one || other;
  };
  // The way in is open, or the rest would prove nothing.
  ASSERT_TRUE(smuggle("SELECT 42"));
  ASSERT_TRUE(smuggle("CREATE TEMP TABLE harmless (a INTEGER)"));
  ASSERT_TRUE(smuggle(fmt::format(
      "SELECT * FROM discreet_rows_0('comma', ['{}/t.csv'], ['u', 'k', 'x'])", place_)));
  for (const string& statement : std::vector<string>{
           "INSTALL httpfs", "INSTALL spatial FROM community", "LOAD httpfs", "LOAD icu_none",
           fmt::format("LOAD '{}/evil.duckdb_extension'", place_), "UPDATE EXTENSIONS",
           "SET enable_external_access = true", "SET lock_configuration = false",
           "RESET lock_configuration", "SET allowed_paths = ['/etc/passwd']",
           "SET allowed_directories = ['/']", "SET temp_directory = '/tmp'",
           "SET GLOBAL autoload_known_extensions = true", "SET memory_limit = '1TB'",
           "SET threads = 64", "SET TimeZone = 'Europe/Paris'", "PRAGMA memory_limit = '1TB'",
           "SET custom_extension_repository = 'http://localhost'",
           fmt::format("ATTACH '{}/other.duckdb' AS other", place_),
           "ATTACH '/etc/passwd' AS other (TYPE sqlite)",
           fmt::format("COPY (SELECT 1) TO '{}/out.csv'", place_),
           fmt::format("COPY (SELECT 1) TO '{}/out.parquet' (FORMAT parquet)", place_),
           fmt::format("EXPORT DATABASE '{}/export'", place_),
           fmt::format("IMPORT DATABASE '{}/export'", place_),
           fmt::format("SELECT * FROM read_csv('{}/secret.csv')", place_),
           fmt::format("SELECT * FROM '{}/secret.csv'", place_),
           fmt::format("SELECT * FROM read_csv('{}/*.csv')", place_),
           fmt::format("SELECT * FROM sniff_csv('{}/secret.csv')", place_),
           fmt::format("SELECT * FROM read_text('{}/./secret.csv')", place_),
           fmt::format("SELECT * FROM read_text('{}/t.csv/../secret.csv')", place_),
           fmt::format("SELECT * FROM discreet_rows_0('comma', ['{}/secret.csv'], ['a'])", place_),
           fmt::format(
               "SELECT * FROM discreet_rows_0('lines', ['{0}/t.csv', '{0}/secret.csv'], ['a'])",
               place_),
           // Text is for the engine's own reader only.
           fmt::format("SELECT * FROM read_csv('{}/t.csv')", place_),
           fmt::format("SELECT * FROM read_text('{}/t.csv')", place_),
           "SELECT * FROM read_text('/etc/passwd')",
           "SELECT * FROM read_blob('/proc/self/environ')",
           "SELECT * FROM read_json('/etc/passwd')", "SELECT * FROM read_csv('/dev/stdin')",
           "SELECT * FROM read_csv('https://localhost/x.csv')",
           "SELECT * FROM read_parquet('s3://bucket/x')",
           "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')"}) {
    EXPECT_FALSE(smuggle(statement)) << statement;
  }
  EXPECT_FALSE(std::filesystem::exists(place_ + "/out.csv"));
  EXPECT_FALSE(std::filesystem::exists(place_ + "/other.duckdb"));
  // Not even the policy's own source can be written.
  EXPECT_FALSE(smuggle(fmt::format("COPY (SELECT 1) TO '{}/t.csv'", place_)));
  EXPECT_EQ(std::filesystem::file_size(place_ + "/t.csv"), 12u);
  // Another file behind the policy's back.
  catalog_.tables[0].rule.from = policy::Files{policy::Form::kComma, {place_ + "/secret.csv"}};
  EXPECT_FALSE(engine->run_open(*sql::rows_of(catalog_, catalog_.tables[0]), catalog_, {}));
}

// Nothing of a query stays behind: the functions that its seat keeps are empty, and fail.
// A program may keep its engine in a static object. That is destroyed after what DuckDB keeps by
// thread, which closing a database needs: it was freed twice.
TEST_F(Engine, MayBeStatic) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("MALLOC_PERTURB_", "165", 1);  // the child's freed memory can't be used by luck
  std::ofstream(place_ + "/t.csv") << "u,x\n1,2\n";
  EXPECT_EXIT(
      {
        duckdb_database closed = nullptr;  // closing one leaves something of the thread's
        duckdb_open(nullptr, &closed);
        duckdb_close(&closed);
        static std::unique_ptr<Duckdb> kept = open("t.csv", {.threads = 2});
        plan("SELECT COUNT(*) FROM t");  // the parser and the calculator are static too
        std::exit(kept ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  unsetenv("MALLOC_PERTURB_");
}

TEST_F(Engine, NothingIsLeftBehindInASeat) {
  std::ofstream(place_ + "/t.csv") << "u,k,x\n1,a,2\n";
  ASSERT_TRUE(open("t.csv", {.threads = 1}));
  auto database = Database::open(policy_, {.memory = 100'000'000, .threads = 1, .queries = 1});
  ASSERT_TRUE(database);
  const bound::Shape shape = plan::shape_of(plan("SELECT SUM(x) FROM t").parts[0]);
  const auto secret = *bound::Secret::draw(random::thread_generator());
  bound::Bounder bounder(shape, secret, 1 << 26);
  Feed feed{&bounder, false, {bound::Column::Kind::kReal}, 0, {}};
  {
    const auto seat = (*database)->take({});
    ASSERT_TRUE(seat);
    ASSERT_EQ((*seat)->feed_function(feed), "discreet_feed_0");
    ASSERT_EQ((*seat)->grid_functions({shape.slots.begin(), shape.slots.end()}).size(), 1u);
    EXPECT_TRUE((*seat)->execute("SELECT discreet_feed_0(1::BIGINT, 2::DOUBLE)"));
    EXPECT_TRUE((*seat)->execute("SELECT discreet_slot_0_0(2::DOUBLE)"));
  }
  const auto seat = (*database)->take({});
  ASSERT_TRUE(seat);
  EXPECT_FALSE((*seat)->execute("SELECT discreet_feed_0(1::BIGINT, 2::DOUBLE)"));
  EXPECT_FALSE((*seat)->execute("SELECT discreet_slot_0_0(2::DOUBLE)"));
  // And while one sits, nobody else does.
  const std::atomic<bool> stop{true};
  Watch watch;
  watch.stop = &stop;
  const auto waiting = (*database)->take(watch);
  ASSERT_FALSE(waiting);
  EXPECT_EQ(waiting.error().code, Code::kInterrupted);
}

// Columns of CSV files are read by place: a glob's files must agree on them.
TEST_F(Engine, FilesOfAGlobHaveOneHeader) {
  std::ofstream(place_ + "/g1.csv") << "u,k,x\n1,a,2\n";
  std::ofstream(place_ + "/g2.csv") << "u,k,x\n2,a,3\n";
  EXPECT_TRUE(open("g*.csv", {.threads = 1}));
  std::ofstream(place_ + "/g3.csv") << "x,k,u\n3,a,4\n";
  const string folder = place_;
  policy::TableRule rule;
  rule.name = "t";
  rule.source = "g*.csv";
  policy::Files files{policy::Form::kComma, {folder + "/g1.csv", folder + "/g2.csv"}};
  rule.from = files;
  EXPECT_TRUE(csv_header(rule));
  files.paths.push_back(folder + "/g3.csv");
  rule.from = files;
  const auto refused = csv_header(rule);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("g3.csv"), string::npos);
}

}  // namespace
}  // namespace discreet::engine::duckdb
