// Any text, asked as a query: parsed, bound, checked and planned. No row is read.
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "target.h"

namespace discreet::fuzz {

void target(std::string_view bytes) {
  const std::string text(bytes);
  const policy::Catalog& catalog = fixture().catalog;
  const auto plan = plan_of(text, catalog);
  // A failure would be ours: a plan that doesn't add up, a calculation that DuckDB refuses.
  if (!plan) return require_refusal(plan.error(), {Code::kUsage, Code::kRefused});
  require_paid(*plan);
  const std::string said = plan::json(*plan);
  require(nlohmann::json::parse(said, nullptr, false).is_object(), "a plan's JSON can be read");
  require(!plan::words(*plan, "patient").empty(), "a plan can be told");
  const auto again = plan_of(text, catalog);
  require(again && plan::json(*again) == said, "the same question has the same plan");
  for (const plan::PlanPart& part : plan->parts) {
    require(sql::parse(engine::duckdb::Duckdb::sql_of(part, catalog)).has_value(),
            "a plan's SQL is SQL: " + engine::duckdb::Duckdb::sql_of(part, catalog));
    for (const auto& error : plan::expected_error(part, 1000, Rational(19, 20)))
      if (error) require(*error >= 0, "an expected error isn't negative");
  }
}

}  // namespace discreet::fuzz
