// Neighbouring files: with one unit's records taken out, every other unit's rows are what they
// were, whichever reader it is, whatever the records hold, and wherever they stand. This is asked
// of what the engine puts after FROM (source_of), and DuckDB's own readers of text must fail the
// same check.
#include <duckdb.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "discreet/engine/duckdb/dialect.h"
#include "discreet/engine/duckdb/rows_function.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;
// By unit: how many rows, and a hash of them all.
using Units = std::map<string, string>;

constexpr const char* kVictim = "victim";

class Neighbours : public ::testing::Test {
 protected:
  void SetUp() override {
    string folder = (std::filesystem::temp_directory_path() / "discreet-near-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    place_ = folder;
    ASSERT_EQ(duckdb_open(nullptr, &database_), DuckDBSuccess);
    ASSERT_EQ(duckdb_connect(database_, &connection_), DuckDBSuccess);
    std::set<string> files;
    for (const char* name : {"a.csv", "b.csv", "a.tsv", "a.jsonl", "b.jsonl", "a.json"})
      files.insert(place_ + "/" + name);
    ASSERT_TRUE(add_rows_function(connection_, kRowsFunction, files, &reading_));
    run("SET threads = 4");
    run("SET preserve_insertion_order = false");
  }
  void TearDown() override {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
    std::filesystem::remove_all(place_);
  }

  // Nothing: it failed.
  std::optional<Units> ask(const string& sql) {
    duckdb_result result{};
    std::optional<Units> out;
    if (duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess) {
      out.emplace();
      for (idx_t row = 0; row < duckdb_row_count(&result) && duckdb_column_count(&result) == 2;
           ++row) {
        char* unit = duckdb_value_varchar(&result, 0, row);
        char* rows = duckdb_value_varchar(&result, 1, row);
        (*out)[unit] = rows;
        duckdb_free(unit);
        duckdb_free(rows);
      }
    }
    duckdb_destroy_result(&result);
    return out;
  }
  void run(const string& sql) { ASSERT_TRUE(ask(sql)) << sql; }

  // What all units but the victim contribute.
  std::optional<Units> units(const string& from) {
    return ask(fmt::format(
        "SELECT u, count(*) || ':' || sum(hash(u, k, x) // 2) FROM {} WHERE u IS NOT NULL AND u <> "
        "'{}' GROUP BY u",
        from, kVictim));
  }

  policy::TableRule rule(std::vector<string> names, bool json_array = false) {
    policy::TableRule out;
    out.name = "t";
    policy::Files files;
    const string& first = names.front();
    files.form = json_array                  ? policy::Form::kArray
                 : first.ends_with(".csv")   ? policy::Form::kComma
                 : first.ends_with(".tsv")   ? policy::Form::kTab
                 : first.ends_with(".jsonl") ? policy::Form::kLines
                                             : policy::Form::kParquet;
    for (string& name : names) files.paths.push_back(place_ + "/" + name);
    out.from = std::move(files);
    return out;
  }
  string source(std::vector<string> names, bool json_array = false) {
    return source_of(rule(std::move(names), json_array), {"u", "k", "x"}, kRowsFunction);
  }
  void write(const string& name, const string& text) {
    std::ofstream(place_ + "/" + name, std::ios::binary) << text;
  }

  // What the engine must not use.
  string duckdb_csv() const {
    return fmt::format(
        "read_csv('{}/a.csv', auto_detect = false, header = true, delim = ',', quote = '\"', "
        "escape "
        "= '\"', nullstr = '', columns = {{u: 'VARCHAR', k: 'VARCHAR', x: 'VARCHAR'}}, "
        "ignore_errors "
        "= true, strict_mode = false)",
        place_);
  }

  string place_;
  Reading reading_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

constexpr std::size_t kUnits = 9000;
// Others' lines, of one length each, so that a record can be put near a given byte.
string lines(const char* form, int from, int to) {
  string out;
  for (int i = from; i < to; ++i)
    out += fmt::format(fmt::runtime(form), static_cast<std::size_t>(i) % kUnits, i % 97, i);
  return out;
}
constexpr const char* kCsvLine = "{:08},group_{:02},{:012}\n";  // 31 bytes
constexpr const char* kJsonLine = "{{\"u\":\"{:08}\",\"k\":\"{:02}\",\"x\":1{:09}}}\n";

string times(int count, const string& text) {
  string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

string doubled(const string& text) {
  string out;
  for (const char c : text) out += string(c == '"' ? 2 : 1, c);
  return out;
}

// Records of one person as any writer makes them: what is in quotes looks like others' lines.
std::vector<string> well_formed_csv() {
  const string forged = times(50'000, "00000007,forged,000000000001,,,,,,,,,\n");  // 1.9 MB
  std::vector<string> out;
  for (const string& text :
       {string("remark"), string("two\nlines"), string("\n"), string("\""), string("\"\"\n\"\n"),
        times(3, "00000007,group_01,000000000001\n"), "\n" + times(40, "00000007,\",\",\n"), forged,
        times(60'000, "\n\"00000007\",\"x\",\"y\"\n"), string(3'000'000, '"'),
        string(17'000'000, 'x'), times(9, forged)}) {
    out.push_back(fmt::format("{},\"{}\",1\n", kVictim, doubled(text)));
  }
  out.push_back(fmt::format("{},\"a\r\nb\",\"1\"\r\n", kVictim));
  return out;
}

// Records of one line that break the rules.
std::vector<string> malformed_csv() {
  return {fmt::format("{},\"never closed,1\n", kVictim),
          fmt::format("{},\"closed\" too early,1\n", kVictim),
          fmt::format("{},5\" pipe,1\n", kVictim),
          fmt::format("{}\n", kVictim),
          fmt::format("{},a,b,c,d,\"\n", kVictim),
          fmt::format("{},\xff\xfe,1\n", kVictim),
          string("victim,\0\0\n", 10),
          "\"\n",
          "\"\"\"\n",
          "\n\n\r\n",
          fmt::format("{},{},1\n", kVictim, string(3'000'000, 'y')),
          fmt::format("{},\"{},1\n", kVictim, string(3'000'000, 'y')),
          times(1000, fmt::format("{},\"x,1\n", kVictim))};
}

TEST_F(Neighbours, Csv) {
  const string from = source({"a.csv"});
  const string twin = duckdb_csv();
  std::vector<string> all = well_formed_csv();
  for (const string& bad : malformed_csv()) all.push_back(bad);
  int misread = 0;
  // Near the bytes where readers change hands: chunks of 2048 rows, our blocks of a megabyte,
  // DuckDB's eight.
  const std::size_t line = lines(kCsvLine, 0, 1).size();
  const auto near = [&](std::size_t byte) { return byte / line; };
  struct Case {
    std::size_t lines;
    std::vector<std::size_t> before;
  };
  for (const Case& one : {Case{80'000,
                               {0, 1, 2047, 2048, near(1 << 20) - 1, near(1 << 20),
                                near(1 << 20) + 1, near(2 << 20), 80'000}},
                          Case{300'000, {near(8'000'000) - 1, near(8'000'000)}}}) {
    const string rest = lines(kCsvLine, 0, static_cast<int>(one.lines));
    write("a.csv", "u,k,x\n" + rest);
    const auto without = units(from);
    ASSERT_TRUE(without);
    EXPECT_EQ(without->size(), kUnits);
    EXPECT_EQ(units(twin), without);
    for (const string& record : all)
      for (const std::size_t before : one.before) {
        // Every place for the small ones, two for those that take time.
        if (record.size() > 1'000'000 && before != near(1 << 20) && before != near(8'000'000))
          continue;
        write("a.csv",
              "u,k,x\n" + rest.substr(0, before * line) + record + rest.substr(before * line));
        EXPECT_TRUE(units(from) == without) << record.substr(0, 50) << " before line " << before;
        if (before == near(8'000'000)) misread += units(twin) != without;
      }
  }
  EXPECT_GT(misread, 2);
}

// Some of the review's reproductions by name: a remark of 1.9 MB, and ordinary ones of several
// lines.
TEST_F(Neighbours, RemarksOfSeveralLines) {
  string rest = "u,k,x\n", with = rest;
  for (int i = 0; i < 200'000; ++i) {
    const string line =
        fmt::format("{:08},\"Seen on Monday.\nPatient {} says \"\"fine\"\".\n\",{}\n", i, i % 7, i);
    rest += line;
    with += line;
    if (i % 1000 == 0) with += fmt::format("{},\"a\n00000001,b,c\n\"\"\n\",1\n", kVictim);
  }
  write("a.csv", rest);
  const auto without = units(source({"a.csv"}));
  ASSERT_TRUE(without);
  EXPECT_EQ(without->size(), 200'000u);
  write("a.csv", with);
  EXPECT_TRUE(units(source({"a.csv"})) == without);
  EXPECT_FALSE(units(duckdb_csv()) == without);
}

TEST_F(Neighbours, TsvAndGlobs) {
  const auto tabs = [](string text) {
    for (char& c : text) c = c == ',' ? '\t' : c;
    return text;
  };
  const string first = lines(kCsvLine, 0, 5000), second = lines(kCsvLine, 5000, 9000);
  const string head = "u,k,x\n";
  write("a.tsv", tabs(head + first + second));
  const auto without = units(source({"a.tsv"}));
  ASSERT_TRUE(without);
  EXPECT_EQ(without->size(), kUnits);
  std::vector<string> all = well_formed_csv();
  for (const string& bad : malformed_csv()) all.push_back(bad);
  for (const string& record : all) {
    SCOPED_TRACE(record.substr(0, 50));
    write("a.tsv", tabs(head + first + record + second));
    EXPECT_TRUE(units(source({"a.tsv"})) == without);
    // At the end of one file and the start of the next one, with and without its last line break.
    const string cut = record.substr(0, record.size() - 1);
    for (const auto& [a, b] : {std::pair{first + record, second},
                               {first + cut, second},
                               {first, record + second},
                               {first, second + cut}}) {
      write("a.csv", head + a);
      write("b.csv", head + b);
      EXPECT_TRUE(units(source({"a.csv", "b.csv"})) == without);
    }
  }
}

TEST_F(Neighbours, JsonLines) {
  const string from = source({"a.jsonl"});
  const string twin = fmt::format(
      "read_json('{}/a.jsonl', format = 'newline_delimited', columns = {{u: 'VARCHAR', k: "
      "'VARCHAR', x: 'VARCHAR'}}, ignore_errors = true, maximum_object_size = 67108864)",
      place_);
  constexpr int kLines = 30'000;
  write("a.jsonl", lines(kJsonLine, 0, kLines));
  const auto without = units(from);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->size(), kUnits);
  int misread = 0;
  const string row = fmt::format("{{\"u\":\"{}\",\"k\":", kVictim);
  for (const string& line : std::vector<string>{
           row + "\"a\\nb\"}",
           row + "{\"a\":[1,{\"u\":\"00000007\"}]}}",
           row + "\"" + string(3'000'000, 'x') + "\"}",
           row + "\"" + string(17'000'000, 'x') + "\"}",
           row + "\"" + string(70'000'000, 'x') + "\"}",
           row + "[",
           row + "{",
           row + "\"",
           row + "1}}",
           row + "1}\n}",
           "[",
           "[[[[",
           "[{\"u\":5000},",
           "{",
           "\"",
           "]",
           "]]]}}}",
           "{\"u\":\"\xff",
           string("\0\0", 2),
           string(5000, '['),
           string(3'000'000, '{'),
           row + "[\n1,\n2\n]}",
       })
    for (const int at : {0, 2048, (1 << 20) / 40, kLines}) {
      if (line.size() > 10'000'000 && at != 2048) continue;
      write("a.jsonl", lines(kJsonLine, 0, at) + line + "\n" + lines(kJsonLine, at, kLines));
      EXPECT_TRUE(units(from) == without) << line.substr(0, 50) << " before line " << at;
      if (at == 2048) misread += units(twin) != without;
    }
  EXPECT_GT(misread, 5);
  // The end of a file without a line break is the end of its line.
  write("a.jsonl", lines(kJsonLine, 0, 100) + row + "[");
  write("b.jsonl", lines(kJsonLine, 100, kLines));
  EXPECT_TRUE(units(source({"a.jsonl", "b.jsonl"})) == without);
}

TEST_F(Neighbours, JsonArrays) {
  const string from = source({"a.json"}, true);
  constexpr int kLines = 30'000;
  const auto array = [&](int at, const string& element) {
    string out = "[";
    for (int i = 0; i <= kLines; ++i) {
      if (i == at && !element.empty()) out += element + ",\n";
      string line = lines(kJsonLine, i, i + 1);
      line.back() = ',';
      if (i < kLines) out += line;
    }
    return out + "{}]";
  };
  write("a.json", array(0, ""));
  const auto without = units(from);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->size(), kUnits);
  const string row = fmt::format("{{\"u\":\"{}\",\"k\":", kVictim);
  for (const string& element : std::vector<string>{
           row + "\"a\\nb}],[{\"}",
           row + "\n{\"a\":\n[1,\n{\"u\":\"00000007\"}]}}",
           row + "[" + times(60'000, "\n{\"u\":\"00000007\",\"k\":1,\"x\":2},") + "0]}",
           row + "\"" + string(17'000'000, 'x') + "\"}",
           row + times(3000, "[") + times(3000, "]") + "}",
           // Malformed, its brackets in order.
           row + "{\"u\":\"00000007\"} 5}",
           row + "nul}",
           "7",
           "\"{\"",
           row + "\"\xff\"}",
           // Malformed, and contradicted by what follows.
           row + "1",
           row + "\"never closed",
           row + "[1}",
           "}]}",
       })
    for (const int at : {0, 2048, (1 << 20) / 41, kLines}) {
      write("a.json", array(at, element));
      EXPECT_TRUE(units(from) == without) << element.substr(0, 50) << " before element " << at;
    }
}

// What DuckDB itself stores: rows of one unit between those of others, over row groups.
TEST_F(Neighbours, ParquetAndTables) {
  const string rows =
      "SELECT (i % 5000)::VARCHAR AS u, 'k' || i AS k, i AS x FROM range(200000) t(i)";
  const string with = rows + fmt::format(
                                 " UNION ALL SELECT '{}', repeat('long', (i % 50)::INTEGER), i "
                                 "FROM range(30000) v(i) ORDER BY x",
                                 kVictim);
  run(fmt::format("COPY ({} ORDER BY x) TO '{}/a.parquet' (ROW_GROUP_SIZE 4096)", rows, place_));
  const auto without = units(source({"a.parquet"}));
  ASSERT_TRUE(without);
  EXPECT_EQ(without->size(), 5000u);
  run(fmt::format("COPY ({}) TO '{}/a.parquet' (ROW_GROUP_SIZE 4096)", with, place_));
  EXPECT_TRUE(units(source({"a.parquet"})) == without);
  const string file = place_ + "/a.duckdb";
  policy::TableRule stored;
  stored.from = policy::DuckdbTable{file, "t"};
  run(fmt::format("ATTACH '{}' AS {}", file, attached_name(file)));
  run(fmt::format("CREATE TABLE {} AS {}", source_of(stored, {}, kRowsFunction), with));
  EXPECT_TRUE(units(source_of(stored, {}, kRowsFunction)) == without);
  // The check can fail here too.
  run(fmt::format("UPDATE {} SET k = 'other' WHERE x = 77", source_of(stored, {}, kRowsFunction)));
  EXPECT_FALSE(units(source_of(stored, {}, kRowsFunction)) == without);
}

}  // namespace
}  // namespace discreet::engine::duckdb
