#include "discreet/ledger/clock.h"

#include <ctime>

namespace discreet::ledger {

std::int64_t machine_time() { return std::time(nullptr); }

}  // namespace discreet::ledger
