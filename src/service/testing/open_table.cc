#include "discreet/service/testing/open_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace discreet::service::testing {

using std::string;

OpenTable::OpenTable(const ledger::testing::Folder& folder, const string& where,
                     const string& source) {
  const string path = folder / (where.empty() ? "here.toml" : "there.toml");
  std::ofstream(path) << fmt::format(
      "[policy]\nname = \"open\"\nunit = \"person\"\n{}\nbudget = {{ epsilon = 1 }}\n"
      "[tables.open]\nsource = \"{}\"\npublic = true\n",
      where, source);
  auto service =
      Service::open(path, {.memory = 1'000'000'000, .threads = 1}, {}, Service::Runs::kHere);
  EXPECT_TRUE(service) << service.error().text();
  if (service) service_ = std::move(*service);
}

string OpenTable::refusal(const string& question) const {
  const auto plan = service_->plan(question, {});
  return plan ? "" : plan.error().message.text();
}

std::vector<std::vector<policy::Value>> OpenTable::rows(const string& question) const {
  std::vector<std::vector<policy::Value>> out;
  if (!service_) return out;
  auto plan = service_->plan(question, {});
  EXPECT_TRUE(plan) << plan.error().text();
  if (!plan) return out;
  const auto reply = service_->ask(*plan, {});
  EXPECT_TRUE(reply) << reply.error().text();
  if (!reply) return out;
  for (const auto& row : reply->answer.rows) {
    out.emplace_back();
    for (const auto& cell : row) out.back().push_back(cell.value);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace discreet::service::testing
