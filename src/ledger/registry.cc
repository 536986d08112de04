#include "discreet/ledger/registry.h"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "discreet/base/digest.h"
#include "discreet/base/durable_file.h"
#include "discreet/base/lock_file.h"
#include "discreet/base/try.h"
#include "discreet/ledger/head_file.h"
#include "discreet/ledger/record.h"

namespace discreet::ledger {
namespace {

Result<std::string> write(const Known& known) {
  Json body{{"ledger", known.ledger},   {"location", known.location}, {"policy", known.policy},
            {"sources", known.sources}, {"shared", known.shared},     {"retired", known.retired},
            {"marks", known.marks}};
  auto text = TRY(canonical(body));
  // The checksum tells a damaged entry from one that says something else.
  return text + "\n" + sha256_hex(text) + "\n";
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
  Known known;
  known.ledger = text(*body, "ledger");
  known.location = text(*body, "location");
  known.policy = text(*body, "policy");
  known.retired = text(*body, "retired");
  for (const auto& [key, list] :
       {std::pair("sources", &known.sources), std::pair("shared", &known.shared),
        std::pair("marks", &known.marks)}) {
    const auto found = body->find(key);
    if (found == body->end() && list == &known.marks) continue;  // an older Discreet wrote it
    if (found == body->end() || !found->is_array()) return damaged();
    for (const Json& one : *found)
      if (one.is_string()) list->push_back(one.get<std::string>());
  }
  return known;
}

// Whether `before` says all that `now` does.
bool same_but_head(const Known& before, const Known& now) {
  return before.location == now.location && before.sources == now.sources &&
         before.shared == now.shared && before.policy == now.policy &&
         std::includes(before.marks.begin(), before.marks.end(), now.marks.begin(),
                       now.marks.end());
}

constexpr std::size_t kKeyBytes = 32;

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

std::string Registry::head_of(const std::string& ledger) const {
  return folder_ + "/" + ledger + ".head";
}

std::string Registry::path_of(const std::string& ledger) const {
  return folder_ + "/" + ledger + ".json";
}

Result<std::optional<std::string>> Registry::key() const {
  const std::string path = folder_ + "/key";
  auto content = TRY(read_file(path));
  if (!content) return std::nullopt;
  if (content->size() != 2 * kKeyBytes + 1 || content->back() != '\n' ||
      content->find_first_not_of("0123456789abcdef") != 2 * kKeyBytes)
    return fail(Code::kFailure, fmt::format("{}: this key is damaged", path),
                "restore it; without it copies of a file are not known as such");
  content->pop_back();
  return content;
}

Result<std::string> Registry::make_key() const {
  TRY(make_folders(folder_));
  LockFile turn(folder_ + "/lock");
  TRY(turn.take());
  if (auto there = TRY(key())) return *there;
  std::array<unsigned char, kKeyBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    return fail(Code::kFailure, "ledger: the operating system gave no randomness");
  const std::string fresh = hex(bytes);
  TRY(write_durably(folder_ + "/key", fresh + "\n"));
  return fresh;
}

Result<std::vector<Known>> Registry::all() const {
  std::vector<Known> known;
  std::error_code error;
  std::vector<std::string> ids;
  for (std::filesystem::directory_iterator file(folder_, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == ".json") ids.push_back(file->path().stem().string());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return system_error(folder_, "reading", error.value());
  std::sort(ids.begin(), ids.end());
  for (const std::string& id : ids) {
    auto entry = TRY(look_up(id));
    if (entry) known.push_back(std::move(*entry));
  }
  return known;
}

Result<std::optional<Known>> Registry::look_up(const std::string& ledger) const {
  auto content = TRY(read_file(path_of(ledger)));
  if (!content) return std::nullopt;
  auto entry = TRY(read(path_of(ledger), *content));
  auto head = TRY(read_head(head_of(ledger)));
  if (head) entry.record = head->record, entry.hash = std::move(head->hash);
  return std::optional(std::move(entry));
}

Status Registry::remember(const Known& known, const std::function<Known()>& newest) const {
  TRY(make_folders(folder_));
  LockFile turn(folder_ + "/lock");
  // Whoever finds no writer at work becomes one. The others wait for that writer all together, not
  // one behind the other, and look again: the one that writes next has read the newest head after
  // they had appended theirs, so nobody waits for more than two writes.
  std::optional<Known> before;
  bool waited = false;
  for (int round = 0;; ++round) {
    auto found = TRY(look_up(known.ledger));
    before = std::move(found);
    if (before && before->record >= known.record && same_but_head(*before, known)) return {};
    // Entries that differ in more than the head have to write themselves, and after many rounds
    // insist on it.
    auto mine = round < 100 ? turn.try_take() : turn.take().map([] { return true; });
    if (!mine) return forward_error(mine);
    if (*mine) break;
    waited = true;
    TRY(turn.wait());
  }
  // Nobody was writing and nobody has written since: nobody waits either, so there is no one to
  // write for.
  Known now = waited ? newest() : known;
  if (now.ledger != known.ledger || now.record < known.record) now = known;
  if (before) {
    std::vector<std::string> marks;
    std::set_union(before->marks.begin(), before->marks.end(), now.marks.begin(), now.marks.end(),
                   std::back_inserter(marks));
    now.marks = std::move(marks);
  }
  // The entry first: a head without one would say nothing, an entry without a head asks for
  // nothing.
  if (!before || !same_but_head(*before, now)) {
    auto content = TRY(write(now));
    TRY(write_durably(path_of(known.ledger), content));
  }
  auto head = read_head(head_of(known.ledger));  // again, now that nobody else writes
  if (!head) return forward_error(head);
  if (*head && (*head)->record >= now.record) return {};
  return write_head(head_of(known.ledger), {now.record, now.hash});
}

Status Registry::retire(const std::string& ledger, const std::string& why) const {
  LockFile turn(folder_ + "/lock");
  TRY(turn.take());
  auto before = TRY(look_up(ledger));
  if (!before) return {};
  before->retired = why;
  auto content = TRY(write(*before));
  return write_durably(path_of(ledger), content);
}

}  // namespace discreet::ledger
