#include "discreet/service/testing/two_engines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace discreet::service::testing {
namespace {

using std::string;

string text_of(const string& path) {
  std::ifstream file(path);
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

// Rows that have broken engines: ends of the doubles, texts that are rounded to them, groups whose
// halves are swapped, letters that become several, days before Christ and after the last. Each is a
// unit's only one, so that what the world promises of units stays true; no range is kept.
std::vector<string> hostile_rows(const string& unit_type) {
  const std::vector<string> reals = {"'5e-324'",
                                     "'-5e-324'",
                                     "'1.5e-310'",
                                     "'1.7976931348623157e308'",
                                     "'-0.0'",
                                     "'nan'",
                                     "'inf'",
                                     "'-1.7976931348623157e308'",
                                     "'-inf'",
                                     "'709.78271289338'",
                                     "'-745.1332191019411'",
                                     "'1.3407807929942597e154'",
                                     "'1.49e-154'"};
  const std::vector<string> wholes = {
      "1",          "4294967296",          "5", "21474836480",          "-1",        "-4294967296",
      "4294967295", "9223372036854775807", "0", "-9223372036854775808", "4294967297"};
  const std::vector<string> texts = {"'2.47032822920623272085e-324'",
                                     "'2.4703282292062327209e-324'",
                                     "'1.7976931348623157e308'",
                                     "'1.797693134862315808e308'",
                                     "'İßﬃΣ'",
                                     "'ΌΔΟΣ'",
                                     "'ǆŉΐ'",
                                     "'1e400'",
                                     "'4294967296'",
                                     "'nan'",
                                     "repeat('9', 400)"};
  const std::vector<string> days = {"'0044-03-15 (BC)'", "'infinity'",   "'-infinity'",
                                    "'10000-01-01'",     "'0001-01-01'", "'9999-12-31'"};
  const std::vector<string> moments = {"'9999-12-31 23:59:59.999999'", "'0044-03-15 (BC) 12:00:00'",
                                       "'infinity'", "'-infinity'", "'0001-01-01 00:00:00'"};
  std::vector<string> out;
  for (std::size_t n = 0; n < 2 * reals.size(); ++n) {
    const auto one = [&](const std::vector<string>& list, std::size_t step = 1) {
      return list[(n * step) % list.size()];
    };
    out.push_back(fmt::format(
        "INSERT INTO t_raw(id, u, x, y, i, j, m, k, w, d, z, b) VALUES ({0}, CAST('{0}' AS {1}), "
        "CAST({2} AS DOUBLE), CAST({3} AS DOUBLE), {4}, {5}, {6}, {7}, 'A', CAST({8} AS DATE), "
        "CAST({9} AS TIMESTAMP), {10})",
        1000 + n, unit_type, one(reals, 5), one(reals), n % 2 ? "-32768" : "32767", one(wholes),
        n % 2 ? "99999999999999.9999" : "-0.0001", one(texts), one(days), one(moments),
        n % 3 ? "TRUE" : "NULL"));
  }
  return out;
}

}  // namespace

TwoEngines::TwoEngines(std::uint64_t seed, const Elsewhere& elsewhere)
    : elsewhere_(elsewhere), world_(std::make_unique<questions::World>(seed, folder_ / "data")) {
  const string schema = fmt::format("w{}", seed);
  copy(schema);
  const string rules = text_of(world_->policy());
  const auto with = [&](const string& where, const string& source, const string& head) {
    std::filesystem::create_directories(folder_ / where);
    string text = std::regex_replace(rules, std::regex("format = \"array\"\n"), "");
    text = std::regex_replace(text, std::regex("source = \"[^\"]*?([tslp])(\\.[a-z]+)?\""),
                              fmt::format("source = \"{}\"", source));
    text = std::regex_replace(text, std::regex("unit = \"person\""), "unit = \"person\"\n" + head);
    string path = folder_ / (where + "/policy.toml");
    std::ofstream(path) << text;
    return path;
  };
  std::filesystem::create_directories(folder_ / "file");
  std::filesystem::rename(folder_ / "copy.duckdb", folder_ / "file/all.duckdb");
  const engine::Limits limits{.memory = 1'000'000'000, .threads = 2};
  const auto opened = [&](const string& path) -> std::unique_ptr<Service> {
    auto service = Service::open(path, limits);
    EXPECT_TRUE(service) << service.error().text();
    return service ? std::move(*service) : nullptr;
  };
  here_ = opened(with("file", "all.duckdb#$1", ""));
  there_ = opened(with("server", schema + ".$1", elsewhere.head()));
  if (!here_ || !there_) return;
  duckdb_ = std::move(*engine::duckdb::Duckdb::open(here_->policy(), limits));
  server_ = elsewhere.open(there_->policy(), limits);
}

void TwoEngines::copy(const string& schema) {
  auto& oracle = world_->oracle();
  oracle.run(fmt::format("ATTACH '{}' AS copy", folder_ / "copy.duckdb"));
  // An empty table stays one.
  if (oracle.run("SELECT count(*) FROM t_raw")[0][0] != "0") {
    const string unit = oracle.run("SELECT typeof(u) FROM t_raw LIMIT 1")[0][0];
    for (const string& row : hostile_rows(unit)) oracle.run(row);
  }
  elsewhere_.run("CREATE SCHEMA " + elsewhere_.schema(schema));
  for (const string table : {"t", "s", "l", "p"})
    testing::copy(oracle, table + "_raw", "copy." + table, elsewhere_,
                  elsewhere_.table(schema, table));
  oracle.run("DETACH copy");
}

}  // namespace discreet::service::testing
