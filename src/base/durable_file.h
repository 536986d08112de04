// Files that are whole or not there at all, whenever the power goes.
#pragma once

#include <optional>
#include <string>

#include "discreet/base/error.h"

namespace discreet {

// Replaces the file's content: written beside it, synced, renamed over it, the folder synced. On
// return the new content is on the disk, for the owner alone; at any moment before, the old or the
// new one is there, whole. Callers take turns (the name beside it is fixed).
Status write_durably(const std::string& path, const std::string& content);

// The content; nothing where there is no such file.
Result<std::optional<std::string>> read_file(const std::string& path);

// Makes a folder and those above it, durably, for the owner alone.
Status make_folders(const std::string& path);

}  // namespace discreet
