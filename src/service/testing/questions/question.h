// A whole random question: what a user asks, what plain DuckDB is asked instead, and what the
// answer then has to be.
//
//   Draw draw(7);
//   Question question = random_question(draw, world);
//   auto plan = session.plan(question.text, question.options);
//   auto wrong = differences(expected(question, *plan, world), question.limit.has_value(), rows);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/plan/plan.h"
#include "discreet/service/testing/questions/aggregates.h"
#include "discreet/service/testing/questions/expected.h"
#include "discreet/service/testing/questions/sources.h"

namespace discreet::service::testing::questions {

// One SELECT: its rows are a tag (of a UNION ALL's parts), keys, aggregates.
struct Part {
  std::string tag;
  Source source;
  Piece where;
  std::vector<Piece> keys;
  std::vector<Aggregate> aggregates;
  std::optional<double> more_than;  // HAVING the first aggregate, a count, above this
};

struct Question {
  std::string text;
  sql::Options options;
  std::vector<Part> parts;
  std::optional<std::size_t> limit;
  bool by_first = false, descending = false, nulls_first = false;  // ORDER BY 1
  bool chooses = false;                                            // quantiles and the like
  bool must_refuse = false;  // it would show the key or a hidden column
};

// The bounds that nobody reaches.
inline constexpr std::int64_t kMostGroups = 200, kMostRows = 5000;

Question random_question(Draw& draw, World& world);

// Does each unit stay within those bounds? (Joins can multiply rows beyond them.)
bool fits_bounds(const Question& question, World& world);

// What plain DuckDB says, as docs/sql.md changes it: public groups are all there, the others where
// the plan's selection shows groups of so many units; an empty group gives zeros, and the mean of
// nothing is anything between the bounds. Values are as exact as the plan's grids are.
std::vector<Expected> expected(const Question& question, const plan::Plan& plan, World& world);

// What the oracle is asked, for messages.
std::string oracle_text(const Question& question);

}  // namespace discreet::service::testing::questions
