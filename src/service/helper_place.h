// Where the helper program is: beside the file that this code was loaded from.
#pragma once

#include <string>

#include "discreet/base/error.h"

namespace discreet::service {

// The path of a program that may be run; else an error that says where it was looked for.
Result<std::string> helper_place();

}  // namespace discreet::service
