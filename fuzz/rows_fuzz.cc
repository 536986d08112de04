// A question and the rows that it is asked about, both made of the bytes
// (service/testing/hostile.h): what is answered without one person is answered with them, and ends.
#include <fmt/format.h>

#include <fstream>

#include "discreet/service/service.h"
#include "discreet/service/testing/hostile.h"
#include "fixture.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using service::testing::Hostile;
using service::testing::HostileRow;

// One of two neighbours: the policy and the engine stay, the rows are written for each question.
class Side {
 public:
  explicit Side(const std::string& name) : path_(folder() / (name + ".csv")) {
    write({});
    const auto policy = policy::Policy::parse(
        fmt::format("[policy]\nname = \"rows\"\nunit = \"person\"\nbudget = {{ epsilon = 1000, "
                    "delta = 0.5 }}\n[tables.t]\nsource = \"{}\"\n{}",
                    path_.string(), service::testing::hostile_rules()),
        "rows.toml", folder().string());
    require(policy.has_value(), "the policy can be read");
    auto engine = engine::duckdb::Duckdb::open(*policy, {.memory = 1'000'000'000, .threads = 1});
    require(engine.has_value(), "the engine starts");
    engine_ = std::move(*engine);
    catalog_ = *policy::make_catalog(*policy, *engine_->schemas());
  }

  void write(const std::vector<HostileRow>& rows) const {
    std::ofstream(path_, std::ios::binary) << service::testing::csv(rows);
  }
  const policy::Catalog& catalog() const { return catalog_; }

  // Nothing where there is an answer, else what is wrong.
  std::string ask(const plan::Plan& plan) {
    service::Asking asking;
    asking.watch.timeout_seconds = 8;
    const auto answer = service::run_plan(*engine_, catalog_, plan, asking);
    return answer ? std::string() : answer.error().text();
  }

 private:
  std::filesystem::path path_;
  std::unique_ptr<engine::duckdb::Duckdb> engine_;
  policy::Catalog catalog_;
};

Waypoint& answered() {
  static Waypoint one("an answer from a table of hostile rows");
  return one;
}

}  // namespace

void target(std::string_view bytes) {
  static Side with("with"), without("without");
  Waypoint& reached = answered();
  const Hostile made = service::testing::hostile(bytes);
  const auto plan = plan_of(made.question, with.catalog());
  if (!plan) return require_refusal(plan.error(), {Code::kUsage, Code::kRefused});
  with.write(made.rows);
  without.write(service::testing::without_999(made.rows));
  const std::string there = with.ask(*plan), gone = without.ask(*plan);
  require(there == gone, "neighbours are told the same: " + made.question.substr(0, 2000) + ": " +
                             there + " / " + gone);
  require(there.empty(), "a planned question has an answer: " + there);
  reached.pass();
}

}  // namespace discreet::fuzz
