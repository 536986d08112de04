#include "discreet/mechanism/mechanism.h"

namespace discreet::mechanism {

privacy::Event Mechanism::event() const {
  const privacy::Guarantee all = guarantee();
  return {privacy::Approximate{all.epsilon, all.delta}};
}

Result<Pmf> Mechanism::pmf(const Value&, const Window&) const {
  return fail(Code::kUsage, "pmf: the exact distribution of this mechanism isn't known");
}

}  // namespace discreet::mechanism
