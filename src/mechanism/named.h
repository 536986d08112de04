// Public names of what an input lists: of candidates, values or cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/mechanism/value.h"

namespace discreet::mechanism {

// One name for each of `count` things, or none at all; `things` is what they are called.
Status check_names(const std::vector<std::string>& names, std::size_t count,
                   std::string_view things);

// The label of the thing at this place.
Label label_at(const std::vector<std::string>& names, std::size_t index);

}  // namespace discreet::mechanism
