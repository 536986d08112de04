#include "discreet/base/version.h"

namespace discreet {

std::string_view version() { return DISCREET_VERSION; }

}  // namespace discreet
