#include "discreet/policy/elsewhere.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "discreet/base/try.h"

namespace discreet::policy {

using std::string;

namespace {

constexpr std::string_view kEnvironment = "env:", kFile = "file:";

Result<string> in_file(const string& path, const string& what) {
  std::ifstream file(path, std::ios::binary);
  string text{std::istreambuf_iterator<char>(file), {}};
  const string hint = fmt::format("its one line is {}", what);
  if (!file) return fail(Code::kFailure, fmt::format("the file '{}' can't be read", path), hint);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) return fail(Code::kFailure, fmt::format("the file '{}' is empty", path), hint);
  return text;
}

}  // namespace

string path_from(const string& directory, const string& written) {
  const std::filesystem::path path(written);
  return path.is_absolute() ? written : (std::filesystem::path(directory) / path).string();
}

Result<std::optional<string>> found_elsewhere(const string& written, const string& directory,
                                              const string& what, const string& example) {
  if (written.starts_with(kEnvironment)) {
    const string name = written.substr(kEnvironment.size());
    const char* value = std::getenv(name.c_str());
    if (!value || !*value)
      return fail(Code::kUsage, fmt::format("the environment has no {}", name),
                  fmt::format("export {}={} before the command", name, example));
    return string(value);
  }
  if (written.starts_with(kFile))
    return TRY(in_file(path_from(directory, written.substr(kFile.size())), what));
  return std::nullopt;
}

}  // namespace discreet::policy
