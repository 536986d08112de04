#include "discreet/base/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>

namespace discreet {
namespace {

struct Folders {
  std::mutex mutex;
  std::set<std::string> paths;
};
// Never destroyed: static objects may hold folders.
Folders& folders() {
  static Folders& all = *new Folders;
  return all;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
  std::string path = (place / "discreet-XXXXXX").string();
  const std::lock_guard lock(folders().mutex);
  if (failed || mkdtemp(path.data()) == nullptr)
    return fail(Code::kFailure, "no temporary folder can be made",
                "set TMPDIR to a folder that you may write to");
  folders().paths.insert(path);
  TemporaryFolder out;
  out.path_ = std::move(path);
  return out;
}

void TemporaryFolder::remove() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock(folders().mutex);
  folders().paths.erase(std::exchange(path_, {}));
}

void remove_temporary_folders() {
  const std::lock_guard lock(folders().mutex);
  std::error_code ignored;
  for (const std::string& path : folders().paths) std::filesystem::remove_all(path, ignored);
}

}  // namespace discreet
