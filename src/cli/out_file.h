// Files that are written whole or not at all.
#pragma once

#include <functional>
#include <string>

#include "discreet/base/error.h"

namespace discreet::cli {

// Can a file be made at `path`? Tried by making one beside it and taking it away: asked before
// anything is spent.
Status can_write(const std::string& parameter, const std::string& path);

// `fill` writes a file beside `path`, which then takes its name; where it fails, `path` is as it
// was. Devices and pipes are written as they are.
Status write_whole(const std::string& parameter, const std::string& path,
                   const std::function<bool(const std::string& place)>& fill);
Status write_whole(const std::string& parameter, const std::string& path, const std::string& text);

}  // namespace discreet::cli
