// First policies: links that are found by name, and texts that are policies.
#include "discreet/policy/draft.h"

#include <gtest/gtest.h>

#include "discreet/policy/toml_text.h"

namespace discreet::policy {
namespace {

DraftTable table(const std::string& name, const std::vector<std::string>& columns) {
  DraftTable out{name, name + ".csv", {}};
  for (const std::string& column : columns) out.columns.push_back({column});
  return out;
}

// "visits.visit_id" for a link, "key" for a key, "" for neither.
std::string way_of(const DraftTable& table) {
  if (table.link) return table.link->column + "=" + table.link->table + "." + table.link->target;
  return table.key.empty() ? "" : "key " + table.key;
}

std::vector<std::string> ways(std::vector<DraftTable> tables) {
  Draft draft;
  draft.key = "patient_id";
  draft.tables = std::move(tables);
  EXPECT_TRUE(connect(draft));
  std::vector<std::string> out;
  for (const DraftTable& one : draft.tables) out.push_back(way_of(one));
  return out;
}

using Ways = std::vector<std::string>;

TEST(Draft, TablesAreLinkedByIdsTheyShare) {
  EXPECT_EQ(ways({table("labs", {"visit_id", "result"}),
                  table("visits", {"visit_id", "Patient_ID", "ward"})}),
            (Ways{"visit_id=visits.visit_id", "key Patient_ID"}));
  // over several tables, whatever the order they are given in
  EXPECT_EQ(ways({table("c", {"b_id"}), table("b", {"b_id", "a_id"}),
                  table("a", {"a_id", "patient_id"})}),
            (Ways{"b_id=b.b_id", "a_id=a.a_id", "key patient_id"}));
  EXPECT_EQ(ways({table("visits", {"patient_id", "visitId"}), table("labs", {"visitId"})}),
            (Ways{"key patient_id", "visitId=visits.visitId"}));
  EXPECT_EQ(ways({table("visits", {"patient_id", "visit"}), table("labs", {"visit"})}),
            (Ways{"key patient_id", "visit=visits.visit"}));
}

TEST(Draft, WhatIsSharedAndNoIdLinksNothing) {
  // ward and day are in both, and `id` is each one's own; paid only ends like one
  EXPECT_EQ(ways({table("visits", {"patient_id", "id", "ward", "day", "paid"}),
                  table("wards", {"id", "ward", "day", "paid"})}),
            (Ways{"key patient_id", ""}));
}

TEST(Draft, TheTableThatAnIdIsNamedAfterIsTheFirstChoice) {
  Draft draft;
  draft.key = "patient_id";
  draft.tables = {table("bills", {"patient_id", "visit_id"}),
                  table("visits", {"patient_id", "visit_id"}), table("labs", {"visit_id"})};
  ASSERT_TRUE(connect(draft));
  EXPECT_EQ(way_of(draft.tables[2]), "visit_id=visits.visit_id");
  ASSERT_EQ(draft.tables[2].other_links.size(), 1u);
  EXPECT_EQ(draft.tables[2].other_links[0].table, "bills");
}

TEST(Draft, SomeTableHasTheKey) {
  Draft draft;
  draft.key = "patiend_id";
  draft.tables = {table("visits", {"patient_id"})};
  const Status found = connect(draft);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().parameter, "key");
  EXPECT_NE(found.error().text().find("did you mean 'patient_id'?"), std::string::npos);
  draft.tables[0].columns[0] = {"patiend_id", Type::kText, "of a type that is not read"};
  EXPECT_FALSE(connect(draft));
}

TEST(Draft, WhatIsMeasuredIsDeclaredAndNothingElse) {
  Draft draft;
  draft.name = "clinic", draft.unit = "patient", draft.key = "patient_id";
  draft.tables = {table("visits", {"patient_id", "cost", "day"})};
  draft.tables[0].columns[2].type = Type::kDate;
  ASSERT_TRUE(connect(draft));
  const std::string plain = write(draft, {});
  EXPECT_EQ(plain.find("\nmax_groups"), std::string::npos);
  EXPECT_EQ(plain.find("\ncolumns."), std::string::npos);
  const std::string measured =
      write(draft, {{"visits",
                     {.max_groups = 3,
                      .max_rows_per_group = 2,
                      .ranges = {{"cost", {-1, Rational(1, 2)}}, {"day", {0, 365}}}}}});
  for (const char* line :
       {"\nmax_groups = 3 ", "\nmax_rows_per_group = 2 ", "\ncolumns.cost = { range = [-1, 0.5] }",
        "\ncolumns.day = { range = [\"1970-01-01\", \"1971-01-01\"] }"})
    EXPECT_NE(measured.find(line), std::string::npos) << line << measured;
}

TEST(Draft, NamesThatNeedCare) {
  EXPECT_EQ(table_name("visits.2024"), "visits_2024");
  EXPECT_EQ(table_name("2024"), "t_2024");
  EXPECT_EQ(table_name(""), "data");
  EXPECT_EQ(unit_of("patient_id"), "patient");
  EXPECT_EQ(unit_of("CustomerId"), "customer");
  EXPECT_EQ(unit_of("id"), "person");
  EXPECT_EQ(unit_of("who"), "person");
  EXPECT_EQ(toml_text("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000Ad\"");
  EXPECT_EQ(toml_key("a b"), "\"a b\"");
  EXPECT_EQ(toml_key(""), "\"\"");
  for (const char* number : {"0", "1", "0.5", "1e-6", "10.25E+3"})
    EXPECT_EQ(toml_number(number), number);
  for (const char* text : {"ln(3)", "1/3", "01", ".5", "1.", "1e", "", "-1"})
    EXPECT_EQ(toml_number(text), toml_text(text));
}

}  // namespace
}  // namespace discreet::policy
