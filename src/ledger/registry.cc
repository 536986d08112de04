#include "discreet/ledger/registry.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "discreet/ledger/durable_file.h"
#include "discreet/ledger/lock_file.h"
#include "discreet/ledger/record.h"

namespace discreet::ledger {
namespace {

Result<std::string> write(const Known& known) {
  Json body{{"ledger", known.ledger},   {"location", known.location}, {"policy", known.policy},
            {"sources", known.sources}, {"shared", known.shared},     {"record", known.record},
            {"hash", known.hash},       {"retired", known.retired}};
  auto text = canonical(body);
  if (!text) return text;
  // The checksum tells a damaged entry from one that says something else.
  return *text + "\n" + sha256_hex(*text) + "\n";
}

Result<Known> read(const std::string& path, const std::string& content) {
  const auto damaged = [&] {
    return fail(Code::kFailure, fmt::format("{}: this registry entry is damaged", path),
                "restore it, or remove it if you are sure that its ledger is the right one");
  };
  const std::size_t end = content.find('\n');
  if (end == std::string::npos ||
      content.substr(end + 1) != sha256_hex(content.substr(0, end)) + "\n")
    return damaged();
  const auto body = parse_body(content.substr(0, end));
  if (!body) return damaged();
  Known known{text(*body, "ledger"), text(*body, "location"), text(*body, "policy"), {}, {}, 0,
              text(*body, "hash"),   text(*body, "retired")};
  const auto record = body->find("record"), sources = body->find("sources"),
             shared = body->find("shared");
  if (record == body->end() || !record->is_number_unsigned() || sources == body->end() ||
      shared == body->end())
    return damaged();
  known.record = record->get<std::uint64_t>();
  for (const Json& source : *sources)
    if (source.is_string()) known.sources.push_back(source.get<std::string>());
  for (const Json& other : *shared)
    if (other.is_string()) known.shared.push_back(other.get<std::string>());
  return known;
}

}  // namespace

Result<Registry> Registry::find() {
  std::filesystem::path base;
  // The XDG rules: a relative path there is ignored.
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    base = state;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    base = std::filesystem::path(home) / ".local/state";
  } else if (const passwd* user = getpwuid(getuid());
             user != nullptr && user->pw_dir != nullptr && *user->pw_dir == '/') {
    base = std::filesystem::path(user->pw_dir) / ".local/state";
  } else {
    return fail(Code::kFailure, "ledger registry: there is no home folder to keep it in",
                "set XDG_STATE_HOME");
  }
  return Registry((base / "discreet/ledgers").string());
}

std::string Registry::path_of(const std::string& ledger) const {
  return folder_ + "/" + ledger + ".json";
}

Result<std::vector<Known>> Registry::all() const {
  std::vector<Known> known;
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator file(folder_, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == ".json") paths.push_back(file->path().string());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return system_error(folder_, "reading", error.value());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    auto content = read_whole(path);
    if (!content) return forward_error(content);
    if (!*content) continue;
    auto entry = read(path, **content);
    if (!entry) return forward_error(entry);
    known.push_back(std::move(*entry));
  }
  return known;
}

Result<std::optional<Known>> Registry::look_up(const std::string& ledger) const {
  auto content = read_whole(path_of(ledger));
  if (!content) return forward_error(content);
  if (!*content) return std::nullopt;
  auto entry = read(path_of(ledger), **content);
  if (!entry) return forward_error(entry);
  return std::optional(std::move(*entry));
}

Status Registry::remember(const Known& known) const {
  if (auto made = make_folders(folder_); !made) return made;
  LockFile turn(folder_ + "/lock");
  if (auto taken = turn.take(); !taken) return taken;
  auto before = look_up(known.ledger);
  if (!before) return forward_error(before);
  Known now = known;
  if (*before) {
    // While waiting for the turn another process may have written a later head; then there is
    // nothing left to do. Many waiting processes so share one write.
    if ((*before)->record >= known.record)
      now.record = (*before)->record, now.hash = (*before)->hash;
    if (now.record == (*before)->record && now.location == (*before)->location &&
        now.sources == (*before)->sources && now.shared == (*before)->shared)
      return {};
  }
  auto content = write(now);
  if (!content) return forward_error(content);
  return write_durably(path_of(known.ledger), *content);
}

Status Registry::retire(const std::string& ledger, const std::string& why) const {
  LockFile turn(folder_ + "/lock");
  if (auto taken = turn.take(); !taken) return taken;
  auto before = look_up(ledger);
  if (!before) return forward_error(before);
  if (!*before) return {};
  (*before)->retired = why;
  auto content = write(**before);
  if (!content) return forward_error(content);
  return write_durably(path_of(ledger), *content);
}

}  // namespace discreet::ledger
