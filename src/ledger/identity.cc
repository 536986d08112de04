#include "discreet/ledger/identity.h"

#include <fmt/format.h>

#include <algorithm>

namespace discreet::ledger {

namespace {

Phrase start_over() { return command("budget init --new --reason TEXT"); }

const char* why(std::optional<Mark::Of> by) {
  if (!by) return "";
  switch (*by) {
    case Mark::Of::kFile:
      return ": it is the same file under another name";
    case Mark::Of::kContent:
      return ": it is a copy of a file there";
    case Mark::Of::kTable:
      return ": it is the same table under another name, or a part of it";
  }
  return "";
}

}  // namespace

Status check_head(const Book& book, const std::optional<Known>& known,
                  const std::string& location) {
  if (!known || known->record == 0) return {};
  const Phrase restore =
      "put back the ledger that has all its records; to start over on purpose: " + start_over();
  if (book.records() < known->record) {
    return fail(Code::kFailure,
                fmt::format("{}: the ledger has {} records, but {} are known", location,
                            book.records(), known->record),
                restore);
  }
  if (book.hash_of(known->record) != known->hash) {
    return fail(Code::kFailure,
                fmt::format("{}: record {} of the ledger is not the one that is known", location,
                            known->record),
                restore);
  }
  return {};
}

Status check_place(const Book& book, const std::vector<Known>& known, const std::string& location) {
  const Known* here = nullptr;
  for (const Known& one : known) {
    if (one.ledger == book.id() && !one.retired.empty()) {
      return fail(Code::kFailure,
                  fmt::format("{}: this ledger was replaced: {}", location, one.retired),
                  "use the ledger that replaced it; to start over on purpose: " + start_over());
    }
    if (one.location != location || !one.retired.empty()) continue;
    if (one.ledger == book.id()) return {};
    here = &one;
  }
  if (here == nullptr) return {};
  if (book.empty()) {
    return fail(Code::kFailure,
                fmt::format("{}: the ledger is missing; it is known to have {} records", location,
                            here->record),
                "put it back; to start over on purpose: " + start_over());
  }
  return fail(Code::kFailure,
              fmt::format("{}: this is another ledger ({}) than the one known here ({})", location,
                          book.id(), here->ledger),
              "put the known one back; to start over on purpose: " + start_over());
}

std::optional<Match> match(const Known& one, const Guarded& guarded,
                           const std::set<std::string>& settled) {
  for (const std::string& source : guarded.sources)
    if (std::find(one.sources.begin(), one.sources.end(), source) != one.sources.end())
      return Match{source, std::nullopt};
  if (guarded.marks.empty()) return std::nullopt;
  std::set<std::string> theirs(one.marks.begin(), one.marks.end());
  for (const std::string& source : one.sources)
    if (source.starts_with('/')) theirs.insert(inode_mark(source));
  for (const Mark& mark : guarded.marks) {
    if (mark.of == Mark::Of::kContent && settled.contains(mark.source)) continue;
    if (theirs.contains(mark.name)) return Match{mark.source, mark.of};
  }
  return std::nullopt;
}

std::vector<Conflict> conflicts(const Book& book, const std::vector<Known>& known,
                                const std::string& location, const Guarded& guarded) {
  std::vector<Conflict> found;
  for (const Known& one : known) {
    // Another ledger known at the same place is one that this one has replaced: check_place has its
    // say about that.
    if (!one.retired.empty() || one.ledger == book.id() || one.location == location) continue;
    if (auto matched = match(one, guarded, book.sources()))
      found.push_back({one, std::move(*matched)});
  }
  return found;
}

Status check_sources(const Book& book, const std::vector<Known>& known, const std::string& location,
                     const Guarded& guarded) {
  for (const Conflict& conflict : conflicts(book, known, location, guarded)) {
    const std::vector<std::string>& agreed = conflict.other.shared;
    if (book.shared().contains(conflict.other.ledger) ||
        std::find(agreed.begin(), agreed.end(), book.id()) != agreed.end()) {
      continue;
    }
    return fail(
        Code::kFailure,
        fmt::format("{}: this source already has a budget, in the ledger {} of policy '{}'{}",
                    conflict.match.source, conflict.other.location, conflict.other.policy,
                    why(conflict.match.by)),
        fmt::format("write ledger = \"{}\" in the policy; or, if its people may be asked about "
                    "twice: ",
                    conflict.other.location) +
            command("budget init --share --reason TEXT"));
  }
  return {};
}

}  // namespace discreet::ledger
