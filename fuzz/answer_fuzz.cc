// Answers that a ledger kept, given again.
#include "discreet/service/stored.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

// A plan with one column of each type.
sql::Plan plan() {
  sql::Plan out;
  out.parts.emplace_back();
  std::size_t index = 0;
  for (const sql::Type type : {sql::Type::kBool, sql::Type::kInt, sql::Type::kDouble,
                               sql::Type::kText, sql::Type::kDate, sql::Type::kTimestamp}) {
    out.parts[0].select.outputs.push_back({"c" + std::to_string(index), sql::column(index, type)});
    ++index;
  }
  return out;
}

// Intervals are compared as they are stored: around NULL they aren't, and NaN is no equal of NaN.
bool same(const sql::Cell& a, const sql::Cell& b) {
  return a.value.type == b.value.type && a.value == b.value;
}

}  // namespace

void target(std::string_view bytes) {
  static const sql::Plan kPlan = plan();
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
