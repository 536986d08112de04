// First policies of real files: whatever the rows are, the policy is the same, and can be asked.
#include "discreet/service/first_policy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "discreet/service/survey.h"
#include "discreet/service/testing/asked.h"
#include "discreet/service/testing/every_type.h"

namespace discreet::service {
namespace {

using std::string;
using testing::Database;

class FirstPolicy : public testing::InAFolder {
 protected:
  void write(const string& name, const string& text) const {
    std::ofstream(place() + "/" + name) << text;
  }
  Result<Begun> begin(const std::vector<string>& sources) const {
    Beginning beginning;
    for (const string& source : sources) beginning.sources.push_back(place() + "/" + source);
    beginning.key = "patient_id";
    beginning.folder = place();
    return begin_policy(beginning);
  }
  string text_of(const std::vector<string>& sources) const {
    auto begun = begin(sources);
    EXPECT_TRUE(begun) << begun.error().text();
    return begun ? begun->text : "";
  }
};

bool has(const string& text, const string& part) { return text.find(part) != string::npos; }

// The twin is what an engine's own reader would say: it guesses types from the rows.
TEST_F(FirstPolicy, NothingIsLearnedFromRows) {
  std::vector<string> texts;
  for (const char* rows : {"1,2,2020-01-01\n", "x,y,z\n", "", "1,true,\"a\nb\"\n9,9,9,9\n"}) {
    write("visits.csv", string("patient_id,cost,day\n") + rows);
    write("notes.jsonl", rows[0] == '1' ? "{\"patient_id\": 1, \"secret\": 2}\n" : "{}\n");
    Database made("");
    std::filesystem::remove(place() + "/bills.parquet");
    EXPECT_TRUE(
        made.run(fmt::format("COPY (SELECT i AS patient_id, i * {} AS price FROM range({}) "
                             "t(i)) TO '{}/bills.parquet'",
                             1 + texts.size(), texts.size(), place())));
    std::filesystem::remove(place() + "/shop.duckdb");
    {
      Database shop(place() + "/shop.duckdb");
      EXPECT_TRUE(shop.run("CREATE TABLE orders(patient_id VARCHAR, total INT)"));
      for (std::size_t i = 0; i < texts.size(); ++i)
        EXPECT_TRUE(shop.run(fmt::format("INSERT INTO orders VALUES ('{}', {})", i, i * 1000)));
    }
    texts.push_back(text_of({"visits.csv", "notes.jsonl", "bills.parquet", "shop.duckdb"}));
    EXPECT_FALSE(has(texts.back(), "secret"));
    EXPECT_EQ(texts.back(), texts.front());
  }
}

TEST_F(FirstPolicy, AKeyIsOfOneTypeInEveryTable) {
  Database made("");
  write("people.csv", "patient_id,city\n1,A\n");
  write("labs.tsv", "visit_id\tresult\n1\t2\n");
  ASSERT_TRUE(made.run(fmt::format(
      "COPY (SELECT 1::BIGINT AS patient_id, 7::INT AS visit_id) TO '{}/visits.parquet'",
      place())));
  const string text = text_of({"people.csv", "labs.tsv", "visits.parquet"});
  EXPECT_TRUE(has(text, "\ncolumns.patient_id = { type = \"integer\" }")) << text;
  EXPECT_TRUE(has(text, "\ncolumns.visit_id = { type = \"integer\" }")) << text;
  // where schemas differ, all are texts; a key that is no whole number is one already
  ASSERT_TRUE(
      made.run(fmt::format("COPY (SELECT 'p1' AS patient_id) TO '{}/names.parquet'", place())));
  EXPECT_TRUE(has(text_of({"people.csv", "names.parquet", "visits.parquet"}),
                  "\ncolumns.patient_id = { type = \"text\" }"));
  ASSERT_TRUE(made.run(
      fmt::format("COPY (SELECT 1::DECIMAL(20,0) AS patient_id) TO '{}/wide.parquet'", place())));
  EXPECT_FALSE(has(text_of({"people.csv", "wide.parquet"}), "\ncolumns.patient_id"));
}

TEST_F(FirstPolicy, ADatabaseIsAllOfItsTables) {
  {
    Database shop(place() + "/shop.duckdb");
    ASSERT_TRUE(
        shop.run("CREATE TABLE orders(order_id BIGINT, patient_id BIGINT, total DOUBLE)") &&
        shop.run("CREATE TABLE items(order_id BIGINT, sku VARCHAR, tags INT[])") &&
        shop.run("CREATE TABLE computed(patient_id BIGINT, b INT GENERATED ALWAYS AS (1))") &&
        shop.run("CREATE TABLE colours(colour VARCHAR)") &&
        shop.run("CREATE TABLE \"odd # name\"(patient_id BIGINT)") &&
        shop.run("CREATE VIEW seen AS FROM orders"));
  }
  auto begun = begin({"shop.duckdb"});
  ASSERT_TRUE(begun) << begun.error().text();
  std::map<string, string> found;
  for (const policy::DraftTable& table : begun->draft.tables)
    found[table.name] = table.link ? "link" : table.key.empty() ? "" : "key";
  EXPECT_EQ(found, (std::map<string, string>{{"colours", ""},
                                             {"computed", ""},
                                             {"items", "link"},
                                             {"odd___name", "key"},
                                             {"orders", "key"},
                                             {"seen", ""}}));
  for (const char* part :
       {"# [tables.colours]", "generated columns", "it is a view", "\"tags\" is of a type"})
    EXPECT_TRUE(has(begun->text, part)) << part;
  // one table alone, which must be readable
  EXPECT_TRUE(has(text_of({"shop.duckdb#orders"}), "[tables.orders]"));
  EXPECT_FALSE(begin({"shop.duckdb#computed"}));
  EXPECT_FALSE(begin({"shop.duckdb#nowhere"}));
  // the same name twice
  write("orders.csv", "patient_id\n1\n");
  EXPECT_TRUE(has(text_of({"orders.csv", "shop.duckdb#orders"}), "[tables.shop_orders]"));
}

TEST_F(FirstPolicy, OddNamesAreWrittenSoThatTheyAreReadBack) {
  write("a \"b\" \\.csv", "\"patient_id\",\"line\nbreak\",\"5\"\" pipe\",ünï\n1,2,3,4\n");
  write("visits.2024.csv", "patient_id,visit.id,visit_id\n1,2,3\n");
  write("labs.csv", "visit_id,x\n1,2\n");
  const string text = text_of({"a \"b\" \\.csv", "visits.2024.csv", "labs.csv"});
  EXPECT_TRUE(has(text, "to = \"visits_2024.visit_id\"")) << text;
}

}  // namespace
}  // namespace discreet::service
