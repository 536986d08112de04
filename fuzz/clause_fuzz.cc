// SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(…), found in any text by ourselves and not by the
// parser.
#include "discreet/sql/clause.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

// A space in place of the clause (or of the r in r'…'), "name" for `name`, TRY_CAST for SAFE_CAST.
bool respelt(const std::string& before, const std::string& after, std::size_t at) {
  if (after[at] == before[at] || after[at] == ' ') return true;
  if (before[at] == '`') return after[at] == '"';
  for (std::size_t back = 0; back <= at && back < 9; ++back)
    if (after.compare(at - back, 9, "TRY_CAST ") == 0) return true;
  return false;
}

}  // namespace

void target(std::string_view bytes) {
  const std::string before(bytes);
  std::string after = before;
  sql::Options options;
  const auto lifted = sql::lift_clause(after, options);
  if (!lifted) {
    require_refusal(lifted.error(), {Code::kUsage, Code::kRefused});
  } else {
    require(after.size() == before.size(), "lifting the clause moves nothing");
    for (std::size_t i = 0; i < after.size(); ++i)
      require(respelt(before, after, i),
              "nothing but the clause and BigQuery's spelling is changed");
    std::string again = after;
    sql::Options none;
    require(sql::lift_clause(again, none) && again == after && !none.epsilon,
            "there is one clause, and it is gone");
    if (options.epsilon) require(*options.epsilon > 0, "an ε is above 0");
    if (options.delta)
      require(*options.delta >= 0 && *options.delta < 1, "a δ is from 0 to below 1");
    for (const auto& count : {options.max_groups, options.max_rows, options.min_units})
      if (count) require(*count >= 1, "a bound is at least 1");
  }
  const std::size_t end = sql::statement_end(before);
  if (end != std::string::npos) {
    require(end >= 1 && end <= before.size() && before[end - 1] == ';',
            "a statement ends behind a semicolon");
    require(sql::statement_end(before.substr(0, end)) == end, "the first semicolon is the first");
  }
  (void)sql::has_words(before);
}

}  // namespace discreet::fuzz
