#include "discreet/mechanism/entry.h"

#include "discreet/base/try.h"

namespace discreet::mechanism {

Result<MechanismPointer> Entry::make(const Parameters& given) const {
  return maker(TRY(checked(name, parameters, given)));
}

const Parameter* Entry::parameter(std::string_view wanted) const {
  for (const Parameter& each : parameters)
    if (each.name == wanted) return &each;
  return nullptr;
}

}  // namespace discreet::mechanism
