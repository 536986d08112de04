// What this user knows of every ledger it has used: its id, where it is, which sources it guards,
// and the head of its chain. Deleting a ledger, restoring an old copy of it, or pointing a copied
// policy at a fresh one contradicts this knowledge.
//
// It lies in $XDG_STATE_HOME/discreet/ledgers (~/.local/state/discreet/ledgers), one small file for
// each ledger.
//
// Order of writing, and why a crash at any point is harmless. A transaction (1) makes its records
// durable in the ledger, then (2) makes the new head durable here, and only then (3) lets the
// caller go on: read data after a reservation, show the answer after a commit. So
//
// - The registry never leads: a head known here was durable in the ledger before, whatever crashed
//   since. An honest user is therefore never locked out: the known head is always found in the
//   chain.
//
// - Where the ledger leads (a crash between 1 and 2; another user's or machine's records), its
//   chain contains the known head and extends it. That is accepted, and the next transaction
//   catches up.
//
// - A rollback to before record n is noticed as soon as (2) was done for n. Before that, (3) was
//   not reached for n: no answer has been shown that n paid for, so a rollback which goes unnoticed
//   gives nothing away.
//
// `key` beside the entries is what marks of contents are made with (marks.h). It never leaves this
// folder; without it those marks say nothing, and the others go on.
//
// Heads only move forward: a process that comes late with an older head finds a newer one here,
// which contains its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::ledger {

struct Known {
  std::string ledger;  // its id
  std::string location;
  std::string policy;
  std::vector<std::string> sources;
  std::vector<std::string> shared;  // other ledgers that guard some of them too, on purpose
  std::uint64_t record = 0;         // the head
  std::string hash;
  std::string retired = {};  // why it no longer counts; empty: it does
  // Every mark that a source of it ever had (marks.h), in order. They stand here alone: a ledger
  // may be shown to others.
  std::vector<std::string> marks = {};
};

class Registry {
 public:
  // Only finds the folder; nothing is made until something is to be remembered.
  static Result<Registry> find();
  explicit Registry(std::string folder) : folder_(std::move(folder)) {}

  Result<std::vector<Known>> all() const;
  Result<std::optional<Known>> look_up(const std::string& ledger) const;

  // The key of marks; nothing before something was remembered.
  Result<std::optional<std::string>> key() const;
  // Draws it where there is none.
  Result<std::string> make_key() const;

  // Remembers this head unless a later one is known already; also a changed location or set of
  // sources; marks are added to those before. Durable on return. Whoever gets to write asks for the
  // `newest` head first, one that has `known` in its chain, so that those who wait for their turn
  // find theirs covered: many processes share one write.
  Status remember(const Known& known, const std::function<Known()>& newest) const;
  Status retire(const std::string& ledger, const std::string& why) const;

 private:
  std::string path_of(const std::string& ledger) const;
  std::string head_of(const std::string& ledger) const;

  std::string folder_;
};

}  // namespace discreet::ledger
