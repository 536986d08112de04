// The tables that SQL targets ask about: fixture/policy.toml and its few rows. They are only read.
#pragma once

#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/plan/plan.h"

namespace discreet::fuzz {

struct Fixture {
  policy::Policy policy;
  std::unique_ptr<engine::duckdb::Duckdb> engine;
  policy::Catalog catalog;
};

Fixture& fixture();
std::string fixture_folder();

// From a text to a plan, as a session goes; what the text doesn't say of ε and δ is 1/2 and 10^-6.
Result<plan::Plan> plan_of(const std::string& text, const policy::Catalog& catalog);

// What a plan is charged covers what its noise costs, by the theorems.
void require_paid(const plan::Plan& plan);

}  // namespace discreet::fuzz
