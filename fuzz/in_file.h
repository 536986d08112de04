// The bytes as a file, for readers that open one. In memory where the machine has a place for that.
//
//   InFile file(bytes, "visits.csv");
//   read_it(file.path());
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace discreet::fuzz {

// A folder of this process's own, gone when it ends.
const std::filesystem::path& folder();

class InFile {
 public:
  // The name matters where its ending says what the file is.
  InFile(std::string_view bytes, std::string_view name);
  ~InFile();
  InFile(const InFile&) = delete;
  InFile& operator=(const InFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace discreet::fuzz
