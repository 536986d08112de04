// Every block's answer: the function asked on each of them, by several threads.
//
//   Question question{.otherwise = "0", .numbers = true};
//   auto program = Program::open({.path = "./average", .header = "id,age\n"});
//   if (!program) return forward_error(program);
//   auto answers = block_answers(*program, {"1,30\n", "2,50\n"}, question);
//
// What is told while it runs is how many blocks are done, never how they ended. How long a block
// takes can depend on its rows, though, and whoever holds a watch can see that: `slot` makes each
// block take the same time.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "discreet/engine/sample/program.h"
#include "discreet/mechanism/exact.h"
#include "discreet/mechanism/value.h"

namespace discreet::engine::sample {

struct Question {
  std::string otherwise = {};  // the public default: the answer of a block that fails
  bool numbers = false;  // answers are numbers; one that isn't has failed. So must the default be
  unsigned jobs = 0;     // 0: as many as there are processors
  double slot = 0;  // seconds that every block takes, if it takes no longer; 0: as long as it takes
  std::function<void()> done = {};  // after each block, from one thread at a time
  const std::atomic<bool>* stop = nullptr;
};

// Labels, or Numbers if these are asked for: one for each block, in their order. The one error that
// there can be once rows are read is that somebody stopped it.
Result<mechanism::Exact<mechanism::Value>> block_answers(const Function& function,
                                                         const std::vector<std::string>& blocks,
                                                         const Question& question);

}  // namespace discreet::engine::sample
