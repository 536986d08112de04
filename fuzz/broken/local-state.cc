// The planted defect: a state of the right protocol is believed, whatever its numbers say.
#include "discreet/local/state.h"

namespace discreet::local {

Status State::check(const std::string& name, const Reports& protocol) const {
  if (of != identity(protocol)) return fail(Code::kUsage, name + ": of another protocol");
  const Constants& c = protocol.constants();
  if (counters.size() != c.counters || reports.size() != (keeps ? users * c.words : 0))
    return fail(Code::kUsage, name + ": of another length");
  return {};
}

}  // namespace discreet::local
