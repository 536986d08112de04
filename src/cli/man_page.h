// discreet.1: the manual page, in the language of troff.
#pragma once

#include <string>

#include "discreet/cli/described.h"

namespace discreet::cli {

std::string man_page(const Described& root, const std::string& version);

}  // namespace discreet::cli
