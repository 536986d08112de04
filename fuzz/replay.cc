// replay FOLDER: feeds each file there to the target, without a fuzzer. `replay --must-find FOLDER`
// is for the targets' broken twins: it succeeds where one of the files shows the planted defect.
// Without that it fails too where no file gets to a place of the target's (Waypoint).
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.h"

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool must_find = argc == 3 && std::string_view(argv[1]) == "--must-find";
  if (argc != 2 && !must_find) {
    std::fprintf(stderr, "usage: %s [--must-find] FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(argv[argc - 1], error))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "there is nothing to replay in %s\n", argv[argc - 1]);
    return 2;
  }
  for (const auto& file : files) {
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout);  // the last name is the culprit's, whatever ends the process
    try {
      discreet::fuzz::target(read(file));
    } catch (const discreet::fuzz::Finding& finding) {
      std::printf("broken promise: %s\n", finding.what());
      return must_find ? 0 : 1;
    }
  }
  const std::vector<std::string> missed = discreet::fuzz::Waypoint::missed();
  for (const std::string& each : missed) std::printf("no input gets to %s\n", each.c_str());
  if (!must_find && !missed.empty()) return 1;
  std::printf("%zu inputs, and every promise holds\n", files.size());
  return must_find ? 1 : 0;
}
