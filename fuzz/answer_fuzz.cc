// Answers that a ledger kept, given again.
#include "discreet/plan/testing/forger.h"
#include "discreet/service/stored.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

// A plan with one column of each type.
plan::Plan plan() {
  plan::PlanPart out;
  std::size_t index = 0;
  for (const policy::Type type :
       {policy::Type::kBool, policy::Type::kInt, policy::Type::kDouble, policy::Type::kText,
        policy::Type::kDate, policy::Type::kTimestamp}) {
    out.select.outputs.push_back({"c" + std::to_string(index), sql::column(index, type)});
    ++index;
  }
  return plan::PlanForger::of({std::move(out)});
}

// Intervals are compared as they are stored: around NULL they aren't, and NaN is no equal of NaN.
bool same(const plan::Cell& a, const plan::Cell& b) {
  return a.value.type == b.value.type && a.value == b.value;
}

}  // namespace

void target(std::string_view bytes) {
  static const plan::Plan kPlan = plan();
  const auto answer = service::read_answer(std::string(bytes), kPlan);
  if (!answer) return require_refusal(answer.error(), {Code::kFailure});
  const std::string stored = service::stored_json(*answer);
  const auto again = service::read_answer(stored, kPlan);
  require(again && again->rows.size() == answer->rows.size(), "a stored answer reads back");
  for (std::size_t r = 0; r < answer->rows.size(); ++r) {
    require(answer->rows[r].size() == kPlan.parts[0].select.outputs.size() &&
                again->rows[r].size() == answer->rows[r].size(),
            "a row has a cell for each column");
    for (std::size_t i = 0; i < answer->rows[r].size(); ++i)
      require(same(answer->rows[r][i], again->rows[r][i]), "a cell reads back to the last digit");
  }
  require(service::stored_json(*again) == stored, "what is stored is stored the same again");
}

}  // namespace discreet::fuzz
