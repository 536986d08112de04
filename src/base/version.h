#pragma once

#include <string_view>

namespace discreet {

std::string_view version();  // "0.1.0"

}  // namespace discreet
