// Rows for learning: every kind of file, rows that hold anything, one row a unit, and a ledger that
// is charged before a row is read.
#include "discreet/service/training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "discreet/ledger/testing/places.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service {
namespace {

using engine::duckdb::Matrix;
using engine::duckdb::MatrixColumn;
using policy::Type;
using policy::Value;
using random::testing::Seeded;
using std::string;

class Training : public ::testing::Test {
 protected:
  string write(const string& name, const string& text) {
    const string path = places_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // The rows of a file, in order.
  Matrix rows_of(const string& file, const std::vector<MatrixColumn>& columns,
                 const std::vector<std::pair<string, Type>>& types = {}) {
    auto table = TrainingTable::of_file(file, types, {.threads = 1});
    EXPECT_TRUE(table) << table.error().text();
    if (!table) return {};
    auto matrix = table->read(columns, {}, source_);
    EXPECT_TRUE(matrix) << matrix.error().text();
    return matrix ? *matrix : Matrix{};
  }

  ledger::testing::Folder places_;
  Seeded source_{1};
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  return true;
}

TEST_F(Training, EveryKindOfFileGivesTheSameNumbers) {
  const string csv = write("a.csv", "x,ward,y\n1,A,0\n2.5,B,1\n,C,1\nwhat,A,0\n");
  const string lines =
      write("a.jsonl",
            "{\"x\":1,\"ward\":\"A\",\"y\":0}\n{\"x\":2.5,\"ward\":\"B\",\"y\":1}\n"
            "{\"ward\":\"C\",\"y\":1}\n{\"x\":\"what\",\"ward\":\"A\",\"y\":0}\n");
  const string parquet = places_ / "a.parquet";
  testing::PlainDuckdb().run(
      "COPY (SELECT * FROM (VALUES (1.0::DOUBLE, 'A', 0), (2.5, 'B', 1), "
      "(NULL, 'C', 1), ('nan', 'A', 0)) t(x, ward, y)) TO '" +
      parquet + "' (FORMAT parquet)");
  const std::vector<MatrixColumn> columns = {
      {"x"}, {"ward", {Value::text("A"), Value::text("B")}}, {"y"}};
  for (const string& file : {csv, lines, parquet}) {
    const Matrix found =
        rows_of(file, columns, {{"x", Type::kDouble}, {"ward", Type::kText}, {"y", Type::kDouble}});
    ASSERT_EQ(found.rows, 4U) << file;
    EXPECT_TRUE(same(found.columns[0], {1, 2.5, NAN, NAN})) << file;
    EXPECT_TRUE(same(found.columns[1], {0, 1, NAN, 0})) << file;
    EXPECT_TRUE(same(found.columns[2], {0, 1, 1, 0})) << file;
  }
}

TEST_F(Training, NoRowMakesItFailOrChangesAnother) {
  const string good = "x,y\n1,0\n2,1\n";
  const Matrix before = rows_of(write("good.csv", good), {{"x"}, {"y"}});
  for (const string& row :
       {string("1e400,1\n"), string("\"a\nb\",\"\"\"\"\n"), string("nan,inf\n"), string(",,,,\n"),
        string("\xFF\xFE,1\n"), string("0x10,1\n"), string("1;2\n"), string("-9e999999999,1\n"),
        string(1 << 17, '9') + ",1\n", string("2024-01-01,true\n")}) {
    const Matrix with = rows_of(write("with.csv", "x,y\n" + row + "1,0\n2,1\n"), {{"x"}, {"y"}});
    // It has a row, or it is none; the others stand behind it as they were.
    ASSERT_GE(with.rows, 2U);
    ASSERT_LE(with.rows, 3U);
    for (std::size_t c = 0; c < 2; ++c)
      EXPECT_TRUE(same({with.columns[c].end() - 2, with.columns[c].end()}, before.columns[c]));
  }
}

TEST_F(Training, RefusalsNameTheColumn) {
  auto table = TrainingTable::of_file(write("a.csv", "age,ward\n1,A\n"), {{"ward", Type::kText}});
  ASSERT_TRUE(table);
  const auto unknown = table->read({{"agee"}}, {}, source_);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("age"), string::npos);
  EXPECT_FALSE(table->read({{"ward"}}, {}, source_));  // texts without choices
  EXPECT_FALSE(TrainingTable::of_file(places_ / "none.csv"));
}

string policy_text(const string& about) {
  return "[policy]\nname = \"clinic\"\nunit = \"patient\"\n"
         "budget = { epsilon = 2, delta = 1e-4 }\n[tables.visits]\nsource = \"visits.csv\"\n"
         "key = \"patient\"\ncolumns.x = { range = [0, 10] }\n" +
         about;
}

TrainingCost cost(const Rational& epsilon) {
  return {"ana",   "learn y",
          "lot=3", {privacy::Approximate{epsilon, Rational(1, 100000)}},
          epsilon, Rational(1, 100000)};
}

TEST_F(Training, RowsAreReadOnceTheLedgerIsCharged) {
  write("visits.csv", "patient,x\n1,3\n1,4\n2,5\n,9\n");
  const string policy = write("clinic.toml", policy_text(""));
  auto table = TrainingTable::of_policy(policy, "visits");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_TRUE(table->has_policy());
  const auto early = table->read({{"x"}}, {}, source_);
  ASSERT_FALSE(early);  // the twin of charging first
  ASSERT_TRUE(table->reserve(cost(1)));
  const auto matrix = table->read({{"x"}}, {}, source_);
  ASSERT_TRUE(matrix) << matrix.error().text();
  EXPECT_EQ(matrix->rows, 2U);  // one row a patient; nobody's row is nobody's
  const auto receipt = table->commit("{\"model\":1}");
  ASSERT_TRUE(receipt && *receipt);
  // Another training finds what is left, and no more.
  auto again = TrainingTable::of_policy(policy, "visits");
  ASSERT_TRUE(again);
  const Status over = again->reserve(cost(Rational(3, 2)));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::kBudget);
  EXPECT_TRUE(again->reserve(cost(1)));
  EXPECT_FALSE(TrainingTable::of_policy(policy, "visit"));
}

// A training that was killed goes on with what it reserved, once, and only the very same one does.
TEST_F(Training, AReservationIsResumedByTheSameTrainingOnly) {
  const string visits = write("visits.csv", "patient,x\n1,3\n1,4\n2,5\n");
  const string policy = write("clinic.toml", policy_text(""));
  const auto open = [&] { return TrainingTable::of_policy(policy, "visits"); };
  string reservation;
  {
    auto table = open();
    ASSERT_TRUE(table && table->reserve(cost(1)));
    reservation = table->reservation();
    ASSERT_FALSE(reservation.empty());
  }
  const auto resumes = [&](const TrainingCost& asked, const string& by) {
    auto table = open();
    return table && table->resume(asked, by, "digest") && table->read({{"x"}}, {}, source_);
  };
  EXPECT_FALSE(resumes(cost(1), reservation));  // no checkpoint was ever recorded
  {
    auto table = open();
    EXPECT_FALSE(table->advance(3, "digest"));  // nothing is reserved by this one
    ASSERT_TRUE(table->reserve(cost(1)) && table->advance(3, "digest"));
    reservation = table->reservation();
  }
  EXPECT_TRUE(resumes(cost(1), reservation));
  EXPECT_TRUE(resumes(cost(1), reservation));  // nothing was told yet
  // The twins: each is another training.
  TrainingCost other = cost(1);
  other.analyst = "bob";
  EXPECT_FALSE(resumes(other, reservation));
  other = cost(1);
  other.run = "lot=4";
  EXPECT_FALSE(resumes(other, reservation));
  other = cost(1);
  other.what = "learn z";
  EXPECT_FALSE(resumes(other, reservation));
  EXPECT_FALSE(resumes(cost(Rational(1, 2)), reservation));
  for (const string& text :
       {string(), string("1"), string(":"), string("x:y"), string("99:" + reservation.substr(2)),
        reservation + "0", string("1:") + string(64, '0')})
    EXPECT_FALSE(resumes(cost(1), text)) << text;
  const auto written = std::filesystem::last_write_time(visits);
  write("visits.csv", "patient,x\n1,3\n1,4\n2,5\n3,6\n");
  EXPECT_FALSE(resumes(cost(1), reservation));  // other data
  write("visits.csv", "patient,x\n1,3\n1,4\n2,5\n");
  std::filesystem::last_write_time(visits, written);
  write("clinic.toml", policy_text("# more\n"));
  EXPECT_FALSE(resumes(cost(1), reservation));  // another policy
  write("clinic.toml", policy_text(""));

  auto table = open();
  ASSERT_TRUE(table);
  // The ledger says how far it is, whatever the file says; a second one of the same is overtaken.
  auto other_one = open();
  ASSERT_TRUE(other_one && other_one->resume(cost(1), reservation, "digest"));
  const auto at = table->resume(cost(1), reservation, "digest");
  ASSERT_TRUE(at && *at);
  EXPECT_EQ(**at, 3U);
  EXPECT_EQ(table->reservation(), reservation);
  ASSERT_TRUE(table->read({{"x"}}, {}, source_));
  ASSERT_TRUE(table->advance(5, "second"));
  EXPECT_FALSE(other_one->advance(4, "another"));
  EXPECT_FALSE(other_one->commit("{}"));
  ASSERT_TRUE(table->advance(7, "third"));
  EXPECT_FALSE(resumes(cost(1), reservation));  // put back
  ASSERT_TRUE(table->commit("{}"));
  EXPECT_FALSE(open()->resume(cost(1), reservation, "third"));  // it is closed
  // Two were charged, each once: nothing is left.
  EXPECT_FALSE(open()->reserve(cost(Rational(1, 100))));
  // Without a policy there is nothing to resume under.
  auto file = TrainingTable::of_file(visits);
  ASSERT_TRUE(file);
  const auto without = file->resume(cost(1), "", "digest");
  EXPECT_TRUE(without && !*without);
  EXPECT_TRUE(file->advance(1, "digest"));
  EXPECT_FALSE(file->resume(cost(1), reservation, "digest"));
}

TEST_F(Training, EachRowOfAUnitIsAsLikely) {
  write("visits.csv", "patient,x\n1,0\n2,7\n1,1\n1,2\n");
  const string policy = write("clinic.toml", policy_text(""));
  auto table = TrainingTable::of_policy(policy, "visits", {.threads = 1});
  ASSERT_TRUE(table && table->reserve(cost(1)));
  std::map<double, int> times;
  constexpr int kTimes = 300;
  for (int i = 0; i < kTimes; ++i) {
    const auto matrix = table->read({{"x"}}, {}, source_);
    ASSERT_TRUE(matrix);
    ASSERT_EQ(matrix->rows, 2U);
    for (const double x : matrix->columns[0]) ++times[x];
  }
  EXPECT_EQ(times[7], kTimes);
  for (const double x : {0.0, 1.0, 2.0}) EXPECT_NEAR(times[x], kTimes / 3, 45) << x;
}

}  // namespace
}  // namespace discreet::service
