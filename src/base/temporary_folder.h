// A folder of this process's own, in TMPDIR, that goes away with its object; and with all others at
// once where a process has to end without saying goodbye to its objects.
//
//   auto folder = *TemporaryFolder::make();
//   std::string path = folder.path();
#pragma once

#include <string>
#include <utility>

#include "discreet/base/error.h"

namespace discreet {

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();

  TemporaryFolder() = default;  // none
  ~TemporaryFolder() { remove(); }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }

  const std::string& path() const { return path_; }
  void remove();

 private:
  std::string path_;  // empty: none
};

// All that there are now. Objects may outlive their folders.
void remove_temporary_folders();

}  // namespace discreet
