// Work in steps, which goes on after an interruption: ledger.h says under which rule, and why no
// step is drawn twice.
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/ledger/parts.h"

namespace discreet::ledger {

Result<Progress> Ledger::resume(const Reservation& reservation, const Request& request,
                                const std::string& checkpoint) {
  const std::lock_guard lock(parts_->mutex);
  TRY(check_name("analyst", request.analyst));
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  TRY(parts_->check_clock(now));
  TRY(parts_->check_reserved(reservation));
  const Book& book = parts_->book;
  const Release& release = book.releases().at(reservation.record);
  const auto other = [&](const char* what) {
    return fail(Code::kRefused,
                fmt::format("record {} was reserved {}; what it paid for can't go on under it",
                            reservation.record, what));
  };
  if (release.plan != sha256_hex(request.plan)) return other("for something else");
  const std::vector<std::string> accounts = book.accounts_of(request.analyst);
  if (release.paid != std::set<std::string>(accounts.begin(), accounts.end()))
    return other("from other accounts");
  if (release.policy_hash != parts_->terms.policy_hash) return other("under another policy");
  if (!TRY(parts_->same_data(reservation.record, request.source_stamp)))
    return other("for other data");
  const Progress& progress = release.progress;
  if (progress.record == 0)
    return fail(Code::kRefused,
                fmt::format("the ledger knows no checkpoint of what record {} reserved: an older "
                            "Discreet wrote this one",
                            reservation.record),
                advise("fresh", "") + " to pay for a new training");
  if (checkpoint.empty() || (checkpoint != progress.checkpoint && checkpoint != progress.before))
    return fail(
        Code::kRefused,
        fmt::format("this checkpoint is not the latest of its training: record {} of the "
                    "ledger names another, and steps are not drawn twice for one price",
                    progress.record),
        "go on with the latest one, or " + advise("fresh", "") + " to pay for a new training");
  return Progress{progress.record, progress.begun, checkpoint};
}

Result<Progress> Ledger::advance(const Reservation& reservation, const Progress& from,
                                 std::uint64_t begun, const std::string& checkpoint, Going going) {
  const std::lock_guard lock(parts_->mutex);
  Progress now{0, begun, checkpoint, from.checkpoint};
  Status done = parts_->transact([&](Draft& draft) -> Status {
    TRY(parts_->check_reserved(reservation));
    TRY(parts_->check_last(reservation, from.record));
    const std::uint64_t spent = parts_->book.releases().at(reservation.record).progress.begun;
    if (going == Going::kOn ? begun < spent : begun > spent)
      return fail(Code::kFailure, fmt::format("record {} counts {} steps as spent, not {}",
                                              from.record, spent, begun));
    TRY(draft.add({{"kind", "progress"},
                   {"release", reservation.record},
                   {"after", from.record},
                   {"begun", begun},
                   {"checkpoint", checkpoint},
                   {"before", from.checkpoint}}));
    now.record = parts_->book.records();
    return {};
  });
  if (!done) return noted(std::move(done.error()), "the training stops; what it spent stays spent");
  return now;
}

}  // namespace discreet::ledger
