// The cases of the ledger's contract, which every store passes (contract_test.cc runs them), and
// what they are written with.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "discreet/ledger/testing/places.h"

namespace discreet::ledger::testing {

struct Case {
  const char* name;
  void (*run)(const std::string& place);
};
std::vector<Case> clock_cases();  // contract_clock_test.cc
std::vector<Case> step_cases();   // contract_steps_test.cc

inline std::unique_ptr<Ledger> must_open(const Terms& terms, const Clock& clock = {}) {
  auto ledger = Ledger::open(terms, clock);
  EXPECT_TRUE(ledger) << ledger.error().text();
  return ledger ? std::move(*ledger) : nullptr;
}

inline Receipt must_release(Ledger& ledger, const Request& request,
                            const std::string& result = "{}") {
  auto reservation = ledger.reserve(request);
  EXPECT_TRUE(reservation) << reservation.error().text();
  if (!reservation) return {};
  auto receipt = ledger.commit(*reservation, result);
  EXPECT_TRUE(receipt) << receipt.error().text();
  return receipt ? *receipt : Receipt{};
}

inline Amount spent(Ledger& ledger) { return ledger.balances()->data_set.spent; }

}  // namespace discreet::ledger::testing
