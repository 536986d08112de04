// Any text, asked as a query and answered from a few rows: what was planned must run.
#include "discreet/service/service.h"
#include "discreet/service/stored.h"
#include "fixture.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

// Scalar subqueries over public tables, and questions about public tables alone.
void run_public(const plan::Plan& plan, const engine::Watch& watch) {
  for (const sql::Single& single : plan.question.singles)
    require(fixture().engine->run_open(*single.rows, fixture().catalog, watch).has_value(),
            "a public subquery can be counted");
  if (!plan.question.open) return;
  const auto rows = fixture().engine->run_open(*plan.question.open, fixture().catalog, watch);
  require(rows.has_value(), "a public question has an answer");
  for (const auto& row : *rows)
    require(row.size() == plan.question.open_names.size(), "a row has a value for each column");
}

}  // namespace

void target(std::string_view bytes) {
  const auto plan = plan_of(std::string(bytes), fixture().catalog);
  if (!plan) return;  // the target sql has said what there is to say
  service::Asking asking;
  asking.watch.timeout_seconds = 5;
  run_public(*plan, asking.watch);
  if (plan->question.open) return;
  const auto answer = service::run_plan(*fixture().engine, fixture().catalog, *plan, asking);
  require(answer.has_value(), "a planned question has an answer: " +
                                  (answer ? std::string() : answer.error().message.text()));
  const std::string stored = service::stored_json(*answer);
  const auto again = service::read_answer(stored, *plan);
  require(again && service::stored_json(*again) == stored, "an answer can be given again");
}

}  // namespace discreet::fuzz
