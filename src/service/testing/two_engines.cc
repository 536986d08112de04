#include "discreet/service/testing/two_engines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace discreet::service::testing {
namespace {

using std::string;

// The world's policy for tables elsewhere: `source` names one by the letter that the world's own
// source ends with, its extension aside.
string rules_for(const string& policy, const string& head, const auto& source) {
  std::ifstream file(policy);
  string out;
  for (string line; std::getline(file, line);) {
    if (line == "format = \"array\"") continue;
    if (line.starts_with("source = \"")) {
      string name = line.substr(0, line.rfind('"'));
      if (const auto dot = name.rfind('.');
          name.find_first_not_of("abcdefghijklmnopqrstuvwxyz", dot + 1) == string::npos)
        name.resize(dot);
      line = fmt::format("source = \"{}\"", source(name.back()));
    }
    out += line + "\n";
    if (line == "unit = \"person\"") out += head + "\n";
  }
  return out;
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
                                     "repeat('9', 400)",
                                     "repeat('é', 1000) || 'a'",
                                     "repeat('é', 1000) || 'b'"};
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
  const auto with = [&](const string& where, const string& head, const auto& source) {
    std::filesystem::create_directories(folder_ / where);
    string path = folder_ / (where + "/policy.toml");
    std::ofstream(path) << rules_for(world_->policy(), head, source);
    return path;
  };
  std::filesystem::create_directories(folder_ / "file");
  std::filesystem::rename(folder_ / "copy.duckdb", folder_ / "file/all.duckdb");
  const engine::Limits limits{.memory = 1'000'000'000, .threads = 2};
  const auto opened = [&](const string& path) -> std::unique_ptr<Service> {
    auto service = Service::open(path, limits, {}, Service::Runs::kHere);
    EXPECT_TRUE(service) << service.error().text();
    return service ? std::move(*service) : nullptr;
  };
  here_ = opened(with("file", "", [](char t) { return fmt::format("all.duckdb#{}", t); }));
  there_ = opened(
      with("server", elsewhere.head(), [&](char t) { return fmt::format("{}.{}", schema, t); }));
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
