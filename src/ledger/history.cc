// Telling and checking what is in a ledger, record by record.
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/ledger/parts.h"

namespace discreet::ledger {
namespace {

std::string_view name_of(Release::State state) {
  switch (state) {
    case Release::State::kReserved:
      return "reserved";
    case Release::State::kCommitted:
      return "committed";
    case Release::State::kAbandoned:
      return "abandoned";
  }
  return "";
}

}  // namespace

Result<Entry> tell(const Row& row, const Json& body, const Book& book) {
  Entry entry;
  entry.record = row.record;
  entry.hash = row.hash;
  entry.kind = text(body, "kind");
  entry.when = text(body, "time");
  entry.who = text(body, entry.kind == "reserve" || entry.kind == "reuse" ? "analyst" : "who");
  entry.text = text(body, entry.kind == "reserve" ? "query" : "reason");
  entry.asked = text(body, "asked");
  if (entry.kind == "grant") {
    const std::string group = text(body, "group").empty() ? "" : "@" + text(body, "group");
    for (const std::string& name : {text(body, "analyst"), group})
      if (!name.empty()) entry.charged.push_back(name);
  }
  if (entry.kind == "reserve" || entry.kind == "reuse") {
    if (const auto names = body.find("accounts"); names != body.end())
      for (const Json& name : *names)
        if (name.is_string()) entry.charged.push_back(name.get<std::string>());
  }
  if (body.contains("epsilon")) {
    auto epsilon = number(body, "epsilon"), delta = number(body, "delta");
    if (!epsilon) return forward_error(epsilon);
    if (!delta) return forward_error(delta);
    entry.cost = {*epsilon, *delta, {}};
  }
  if (entry.kind == "reuse") {
    const Release& release = book.releases().at(body.value("release", std::uint64_t{0}));
    entry.cost = {release.cost.epsilon, release.cost.delta, {}};
    entry.text = fmt::format("the answer of record {}", release.commit_record);
  }
  if (entry.kind != "reserve") return entry;
  entry.kind = "release";
  entry.state = name_of(book.releases().at(row.record).state);
  if (const auto events = body.find("events"); events != body.end()) {
    for (const Json& json : *events) {
      auto event = TRY(event_of(json));
      entry.events.push_back(std::move(event));
    }
  }
  return entry;
}

Result<std::vector<Entry>> Ledger::history() {
  const std::lock_guard lock(parts_->mutex);
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  auto snapshot = TRY(parts_->store->read(0));
  std::vector<Entry> entries;
  for (const Row& row : snapshot.rows) {
    if (row.record > parts_->book.records()) break;  // appended since the look
    auto body = TRY(parse_body(row.body));
    const std::string kind = text(body, "kind");
    if (kind == "commit" || kind == "abandon" || kind == "progress")
      continue;  // told as the state of their release
    auto entry = TRY(tell(row, body, parts_->book));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<Verified> Ledger::verify(const std::optional<Receipt>& receipt) {
  const std::lock_guard lock(parts_->mutex);
  parts_->book = Book{};
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  TRY(parts_->store->inspect());
  const Book& book = parts_->book;
  Verified out{book.id(), book.records(), 0, book.head(), {}};
  for (const auto& [record, release] : book.releases()) {
    if (release.state != Release::State::kCommitted) continue;
    auto result = TRY(parts_->store->result(release.commit_record));
    if (sha256_hex(result) != release.result_hash) {
      return fail(Code::kFailure, fmt::format("{}: the answer of record {} does not match its hash",
                                              parts_->location, release.commit_record));
    }
    ++out.results;
  }
  if (!book.empty()) {
    auto known = TRY(parts_->registry.look_up(book.id()));
    if (known) out.registered = known->record;
  }
  if (!receipt) return out;
  const std::size_t dash = receipt->id.rfind('-');
  const std::string id = receipt->id.substr(0, dash);
  const auto record = dash == std::string::npos
                          ? Result<Rational>(fail(Code::kUsage, ""))
                          : parse_number(receipt->id.substr(dash + 1), Rounding::kDown);
  if (!record || record->get_den() != 1 || *record < 1) {
    return bad_parameter(
        "receipt",
        fmt::format("found the id '{}'; accepted is LEDGER-RECORD, as on a receipt", receipt->id));
  }
  if (id != book.id()) {
    return fail(
        Code::kFailure,
        named("receipt") + fmt::format(": it is of ledger {}, but this one is {}", id, book.id()));
  }
  if (*record > Rational(static_cast<unsigned long>(book.records())) ||
      book.hash_of(record->get_num().get_ui()) != receipt->hash) {
    return fail(Code::kFailure,
                named("receipt") + fmt::format(": record {} with hash {} is not in this ledger",
                                               record->get_num().get_str(), receipt->hash),
                "the ledger was rolled back or edited, or the receipt was");
  }
  return out;
}

Result<std::string> Ledger::export_lines() {
  const std::lock_guard lock(parts_->mutex);
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  auto snapshot = TRY(parts_->store->read(0));
  std::string out;
  for (const Row& row : snapshot.rows) {
    // The body goes out as the very text that was hashed.
    out += fmt::format(R"({{"record":{},"hash":"{}","body":{}}})", row.record, row.hash, row.body) +
           "\n";
  }
  return out;
}

}  // namespace discreet::ledger
