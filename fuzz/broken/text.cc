// The planted defect: quotes that let everything through.
#include "discreet/base/quote.h"

namespace discreet {

std::string quote(std::string_view text) { return "'" + std::string(text.substr(0, 60)) + "'"; }

}  // namespace discreet
