#include "discreet/service/default_delta.h"

#include <algorithm>

namespace discreet::service {

Rational default_delta(const ledger::Balances& balances) {
  if (!balances.data_set.budget) return 0;
  Rational most = balances.data_set.budget->delta / 100;
  if (const auto& cap = balances.terms.max_delta_per_query) most = std::min(most, *cap);
  const Rational least(Integer(1), Integer("1" + std::string(300, '0')));
  if (most < least) return 0;
  Rational unit = 1;
  while (unit > most) unit /= 10;
  const Rational digits = most / unit;
  const Integer digit = digits.get_num() / digits.get_den();
  return digit * unit;
}

}  // namespace discreet::service
