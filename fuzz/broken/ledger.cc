// The planted defect: an abandoned release gives back what it had not cost.
#include "discreet/ledger/account.h"

namespace discreet::ledger {

Sums& Sums::operator-=(const Sums& other) {
  epsilon -= other.epsilon, delta -= other.delta, rho -= other.rho;
  part_delta -= 2 * other.part_delta;
  return *this;
}

}  // namespace discreet::ledger
