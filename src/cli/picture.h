// Pictures are SVG files. A name that promises another kind is refused before anything is spent:
// one check for every command that has --plot, made where the command line has been read.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "discreet/base/error.h"

namespace discreet::cli {

// x.svg, in any case, or a device or pipe, whose name promises nothing.
Status is_picture_name(const std::string& path);

// Whatever is given for --plot in the command that was chosen.
Status check_pictures(const CLI::App& app);

}  // namespace discreet::cli
