// What a policy doesn't hold itself because others read it: "env:NAME" and "file:PATH" say where it
// is found.
#pragma once

#include <optional>
#include <string>

#include "discreet/base/error.h"

namespace discreet::policy {

// A path as a policy in `directory` means it.
std::string path_from(const std::string& directory, const std::string& written);

// The one line that is found there; nothing where the text says neither. `what` is expected, in
// words, and `example` is how it looks; no error shows what was found.
Result<std::optional<std::string>> found_elsewhere(const std::string& written,
                                                   const std::string& directory,
                                                   const std::string& what,
                                                   const std::string& example);

}  // namespace discreet::policy
