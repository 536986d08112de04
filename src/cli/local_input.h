// Where the verbs of `discreet local` read lines from, and where they write them: large blocks,
// Ctrl-C heard in between, progress by bytes.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/local/lines.h"
#include "discreet/present/progress.h"

namespace discreet::cli {

class LineSource {
 public:
  // "-" is standard input.
  static Result<LineSource> open(const std::string& path);
  LineSource(LineSource&& other) noexcept;
  LineSource& operator=(LineSource&&) = delete;
  ~LineSource();

  const std::string& name() const { return name_; }  // fit for messages
  const std::string& path() const { return path_; }  // as it was given
  bool can_be_read_again() const { return size_.has_value(); }
  std::uint64_t size() const { return size_.value_or(0); }  // in bytes, from here on; 0: not known
  Status again();
  // Whether it begins so; what was looked at is read again.
  Result<bool> begins_with(std::string_view text);
  // Waiting for more ends where `stop` is set, as if there were none.
  local::Fill fill(present::Progress& progress, const std::atomic<bool>* stop = nullptr);

 private:
  LineSource(int file, std::string path, std::string name);
  int file_;
  std::string path_;
  std::string name_;
  std::optional<std::uint64_t> size_;  // of a regular file
  std::int64_t start_ = 0;
  std::string seen_ = {};  // by begins_with, not read yet
};

// Standard input where no file is named.
Result<std::vector<LineSource>> open_all(const std::vector<std::string>& paths);

// All bytes, or false with errno.
bool write_all(int file, std::string_view text);

// A whole file, of any size.
Result<std::string> read_bytes(LineSource& source);
Result<std::string> read_bytes(const std::string& path);

}  // namespace discreet::cli
