// The latest state of a training, kept after every step at the price of a copy in memory.
//
//   LatestFile file("digits.model.checkpoint.latest");
//   std::vector<float> state(1000);
//   Status kept = file.create("id", "boot", {.begun = 1, .state = state});
//   if (kept) kept = file.keep({.begun = 2, .state = state});
//   auto found = *LatestFile::find("digits.model.checkpoint.latest");
//
// Two places are written in turn, each with a sum of its numbers behind it, so that of a process
// that is killed in the middle the other one is whole. Nothing is synced: it survives the process,
// and maybe not the machine (learn/checkpoint.h says when it is believed).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::learn {

using Told = std::pair<double, double>;  // loss and accuracy of a step, released

class LatestFile {
 public:
  explicit LatestFile(std::string path) : path_(std::move(path)) {}
  ~LatestFile();
  LatestFile(const LatestFile&) = delete;
  LatestFile& operator=(const LatestFile&) = delete;

  struct Now {
    std::uint64_t begun = 0;
    std::span<const float> state = {};
    std::span<const Told> told = {};  // of all steps so far: those before are as they were
  };
  // In the place of what is there, whole or not at all.
  Status create(const std::string& id, const std::string& boot, const Now& now);
  // States are as large as the first one.
  Status keep(const Now& now);
  void remove();

  struct Found {
    std::string id, boot;
    std::uint64_t begun = 0;
    std::vector<float> state;
    std::vector<Told> told;
  };
  // The newest that is whole; nothing where there is none, whatever else the file is.
  static Result<std::optional<Found>> find(const std::string& path);

 private:
  Status put(const Now& now);

  std::string path_;
  int file_ = -1;
  std::size_t state_ = 0, told_ = 0;  // numbers of a state; steps told so far
  std::uint64_t next_ = 0;            // the place that is written next: 0 or 1
};

}  // namespace discreet::learn
