#include "in_file.h"

#include <unistd.h>

#include <fstream>

namespace discreet::fuzz {
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    const fs::path memory = "/dev/shm";
    std::error_code none;
    const fs::path parent = fs::is_directory(memory, none) ? memory : fs::temp_directory_path();
    path_ = parent / ("discreet-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code gone;
    fs::remove_all(path_, gone);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

const fs::path& folder() {
  static const Folder one;
  return one.path();
}

InFile::InFile(std::string_view bytes, std::string_view name) : path_(folder() / name) {
  std::ofstream(path_, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

InFile::~InFile() {
  std::error_code gone;
  fs::remove(path_, gone);
}

}  // namespace discreet::fuzz
