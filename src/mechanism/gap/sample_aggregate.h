// Subsample-and-aggregate (Nissim, Raskhodnikova and Smith 2007; deck 004): any function of rows
// becomes private. The units are split into m blocks at random, the function is asked on each
// block, and the m answers are put together by a mechanism that one answer can't sway.
//
//   #include <span>
//   #include "discreet/mechanism/gap/rank.h"
//   struct Visit { std::string patient; double minutes; };
//   std::vector<Visit> visits = {{"ada", 12}, {"bob", 30}, {"ada", 14}};
//   const auto longest = [](std::span<const Visit> block) -> std::optional<Rational> {
//     if (block.empty()) return {};  // fails: the default counts instead
//     double most = 0;
//     for (const Visit& visit : block) most = std::max(most, visit.minutes);
//     return *exactly(most);
//   };
//   auto answers = *block_answers(*Assignment::draw(50), std::span<const Visit>(visits),
//                                 [](const Visit& v) -> std::string_view { return v.patient; },
//                                 longest, Rational(0));
//   auto median = *RankChoice::create({.epsilon = 1, .low = 0, .high = 240});
//   auto told = *median.release(answers);
//
// What is proved. A unit is in one block (assignment.h), so that a unit that comes or goes changes
// one of the m answers, whatever the function does; m is public. A mechanism that is (ε, δ)-DP when
// one answer is *replaced* is therefore (ε, δ)-DP when a unit is added or removed. One that is
// private only when an answer is added or removed is not enough. Nothing is told of a block that
// failed: its answer is the default, which is public.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "discreet/mechanism/exact.h"
#include "discreet/mechanism/gap/assignment.h"

namespace discreet::mechanism::gap {

// One answer for each block, in the blocks' order; blocks without rows are asked too. A function
// that gives nothing, or throws, has failed. It must not keep anything from one block to the next:
// what it returns may depend on the block's rows alone.
template <class Row, class UnitOf, class Function, class Answer>
Result<Exact<std::vector<Answer>>> block_answers(const Assignment& assignment,
                                                 std::span<const Row> rows, const UnitOf& unit_of,
                                                 const Function& function,
                                                 const Answer& otherwise) {
  std::vector<std::vector<Row>> blocks(static_cast<std::size_t>(assignment.blocks()));
  for (const Row& row : rows) {
    auto block = assignment.block_of(unit_of(row));
    if (!block) return forward_error(block);
    blocks[static_cast<std::size_t>(*block)].push_back(row);
  }
  std::vector<Answer> answers;
  answers.reserve(blocks.size());
  for (const std::vector<Row>& block : blocks) {
    std::optional<Answer> answer;
    try {
      answer = function(std::span<const Row>(block));
    } catch (...) {  // which one, and why, would tell something of the rows
      answer.reset();
    }
    answers.push_back(answer ? std::move(*answer) : otherwise);
  }
  return Exact<std::vector<Answer>>::from_private(std::move(answers));
}

}  // namespace discreet::mechanism::gap
