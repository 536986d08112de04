#include "discreet/service/helper_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

namespace discreet::service {
namespace {

namespace fs = std::filesystem;
using std::string;

// The file behind an address of this process, whether a library or the program itself; empty where
// it isn't known. (dladdr gives a program by the name it was called by, which need not lead to it.)
string file_at(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (string line; std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &from, &to,
                    &path) < 2)
      continue;
    if (address >= from && address < to && path > 0)
      return line.substr(static_cast<std::size_t>(path));
  }
  return {};
}

bool is_program(const fs::path& place) {
  std::error_code ignored;
  return fs::is_regular_file(place, ignored) && access(place.c_str(), X_OK) == 0;
}

}  // namespace

Result<string> helper_place() {
  const string own = file_at(reinterpret_cast<std::uintptr_t>(&helper_place));
  const fs::path folder = fs::path(own).parent_path();
  const fs::path name = "discreet-helper", installed = fs::path("discreet") / name;
  // The build tree; a library's folder; a program's, beside that of libraries.
  const std::vector<fs::path> places = {folder / name, folder / installed,
                                        folder.parent_path() / DISCREET_LIBDIR / installed};
  if (!own.empty())
    for (const fs::path& place : places)
      if (is_program(place)) return place.string();
  return fail(Code::kFailure,
              fmt::format("the program discreet-helper isn't there or can't be run; nothing was "
                          "reserved. It was looked for at {} and {}",
                          places[1].string(), places[2].string()),
              "install Discreet again: the helper belongs to it");
}

}  // namespace discreet::service
