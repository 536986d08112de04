#include "discreet/policy/find_source.h"

#include <glob.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/policy/server.h"

namespace discreet::policy {
namespace {

using std::string;

// The real paths behind a pattern.
Result<std::vector<string>> find_files(const Place& at, const string& pattern, bool globs) {
  namespace fs = std::filesystem;
  std::vector<string> out;
  if (globs && pattern.find_first_of("*?[") != string::npos) {
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
      for (std::size_t i = 0; i < found.gl_pathc; ++i) out.emplace_back(found.gl_pathv[i]);
    globfree(&found);
  } else {
    out.push_back(pattern);
  }
  std::error_code error;
  for (string& file : out) {
    const fs::path real = fs::canonical(file, error);
    if (error || !fs::is_regular_file(real, error))
      return discreet::fail(Code::kFailure,
                            fmt::format("{}: {}: there is no file '{}'", at.path, at.key, file));
    file = real.string();
  }
  return out;
}

// The form of a .json file that the policy says nothing about: its first character, as a CSV file's
// header is read.
bool begins_an_array(const string& path) {
  std::ifstream file(path, std::ios::binary);
  constexpr std::string_view kPassedOver = " \t\r\n\xef\xbb\xbf";  // blanks, a byte order mark
  constexpr int kFurthest = 1 << 20;
  for (int i = 0; i < kFurthest; ++i) {
    const int c = file.get();
    if (c == EOF || kPassedOver.find(static_cast<char>(c)) == kPassedOver.npos) return c == '[';
  }
  return false;
}

// What the ending of a name says; a .json file may be an array.
std::optional<Form> form_of(const string& file) {
  const string ending = lower(std::filesystem::path(file).extension().string());
  if (ending == ".csv") return Form::kComma;
  if (ending == ".tsv") return Form::kTab;
  if (ending == ".parquet") return Form::kParquet;
  if (ending == ".json") return begins_an_array(file) ? Form::kArray : Form::kLines;
  if (ending == ".jsonl" || ending == ".ndjson") return Form::kLines;
  return std::nullopt;
}

}  // namespace

Status read_format(const Place& at, const toml::node& node, Source& source) {
  auto text = TRY(text_at(at, node));
  auto* files = std::get_if<Files>(&source);
  if (!files || (files->form != Form::kLines && files->form != Form::kArray))
    return at.fail("only JSON files have one", "the ending of other files says what they are");
  const std::vector<string> names = {"array", "lines"};
  if (std::find(names.begin(), names.end(), text) == names.end())
    return at.fail(fmt::format("unknown format '{}'", text), did_you_mean(text, names));
  files->form = text == "array" ? Form::kArray : Form::kLines;
  return {};
}

Result<Source> source_at(const Place& at, const string& written, const string& directory) {
  namespace fs = std::filesystem;
  if (auto ok = holds_no_password(written); !ok)
    return at.fail(ok.error().message.text(), ok.error().hint.text());
  string pattern = written, inner;
  const auto hash = pattern.rfind(".duckdb#");
  const bool is_table = hash != string::npos;
  if (is_table) {
    inner = pattern.substr(hash + 8);
    pattern.resize(hash + 7);
    if (inner.empty()) return at.fail("accepted is file.duckdb#table");
  }
  if (pattern.starts_with("~") || pattern.find("://") != string::npos)
    return at.fail("accepted is a path to CSV, Parquet, JSON or file.duckdb#table on this machine");
  if (!fs::path(pattern).is_absolute()) pattern = (fs::path(directory) / pattern).string();
  auto files = TRY(find_files(at, pattern, !is_table));
  if (files.empty())
    return discreet::fail(Code::kFailure,
                          fmt::format("{}: {}: no file matches '{}'", at.path, at.key, written));
  if (is_table) return Source(DuckdbTable{files.front(), inner});
  const auto form = form_of(files.front());
  if (!form)
    return at.fail(
        fmt::format("'{}' is of no known kind", written),
        "accepted are .csv, .tsv, .parquet, .json, .jsonl, .ndjson and file.duckdb#table");
  return Source(Files{*form, std::move(files)});
}

}  // namespace discreet::policy
