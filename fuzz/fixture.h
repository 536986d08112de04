// The tables that SQL targets ask about: fixture/policy.toml and its few rows. They are only read.
#pragma once

#include "discreet/engine/duckdb.h"
#include "discreet/sql/plan.h"

namespace discreet::fuzz {

struct Fixture {
  sql::Policy policy;
  std::unique_ptr<engine::Duckdb> engine;
  sql::Catalog catalog;
};

Fixture& fixture();
std::string fixture_folder();

// From a text to a plan, as a session goes; what the text doesn't say of ε and δ is 1/2 and 10^-6.
Result<sql::Plan> plan_of(const std::string& text, const sql::Catalog& catalog);

// What a plan is charged covers what its noise costs, by the theorems.
void require_paid(const sql::Plan& plan);

}  // namespace discreet::fuzz
