// What is asked of a service, and what it answers: data, for whoever shows it (the room render).
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "discreet/engine/engine.h"
#include "discreet/ledger/ledger.h"
#include "discreet/plan/plan.h"
#include "discreet/plan/release.h"

namespace discreet::service {

struct Asking {
  std::string analyst;
  plan::Presenting presenting;
  engine::Watch watch;
  bool reuse = false, stale = false;  // answer an identical question from the ledger, at no cost
  bool or_ask = false;     // … and where none is recorded, ask it; else that is refused
  std::string asked = {};  // the question as it was written, for the ledger's history
  // May be null. Set before anything is reserved: who ends the process then knows what to say.
  std::atomic<bool>* reserving = nullptr;
};

struct Reply {
  explicit Reply(plan::Plan asked) : plan(std::move(asked)) {}

  std::optional<plan::Plan> plan;  // as it was run, with its notes: what was assumed; never empty
  plan::Answer answer;
  privacy::Guarantee guarantee;
  std::optional<ledger::Receipt> receipt;  // none for public questions
  ledger::Balance data_set;                // afterwards; what is left is in it
  // … of an analyst whom a cap binds, their own or a group's; `remaining` is what these leave them
  std::optional<ledger::Balance> analyst;
  // How many more such answers what is left would pay for, the analyst's cap included.
  std::optional<std::int64_t> more_like_it;
  std::optional<std::string> reused;  // when it was first given, where it is given again at no cost
};

// A profile that was bought on purpose.
struct Profiled {
  plan::Plan plan;  // of the question, with the bounds that the profile leads to
  privacy::Guarantee guarantee;
  std::optional<ledger::Receipt> receipt;  // none: all of it was known already, at no cost
};

// Before anything is spent.
struct Explanation {
  plan::Plan plan;
  Status fits;  // the budget: an error of kBudget where it doesn't
  struct Row {
    std::size_t part = 0;  // of the plan
    std::int64_t group_size = 0;
    std::vector<std::optional<double>> errors;  // a half-width for each output column, or none
  };
  Rational confidence;
  std::vector<Row> expected;
};

}  // namespace discreet::service
