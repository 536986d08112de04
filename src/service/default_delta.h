// The δ that is taken where groups have to be chosen privately and none is given.
#pragma once

#include "discreet/ledger/ledger.h"

namespace discreet::service {

// A hundredth of the budget's, and no more than a query may have, rounded down to one digit: 1e-8
// of 1e-6. It doesn't depend on what is left, so that the same question asked again is the same
// question (--reuse). 0 where the budget has none.
Rational default_delta(const ledger::Balances& balances);

}  // namespace discreet::service
