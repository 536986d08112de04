// The planted defect: a decimal that ends after twelve characters.
#include "discreet/base/number.h"

namespace discreet {

std::string to_decimal(const Rational& value) { return value.get_str().substr(0, 12); }

}  // namespace discreet
