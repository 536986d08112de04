// Where tests keep ledgers: a temporary folder that is also the user's home for the registry, and a
// PostgreSQL server of its own.
#pragma once

#include <sys/types.h>

#include <string>

#include "discreet/ledger/ledger.h"

namespace discreet::ledger::testing {

// A folder that goes with the object. While it lives, XDG_STATE_HOME points into it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // The registry's folder.
  std::string registry() const { return path_ + "/state/discreet/ledgers"; }
  // As if another user, or another machine, went on.
  void forget_everything() const;

 private:
  std::string path_;
};

// tests/private-postgres, running as long as the object lives.
class Postgres {
 public:
  Postgres();
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  // Of the ledger of this name.
  std::string ledger(const std::string& name) const { return address_ + "#" + name; }
  const std::string& address() const { return address_; }
  // Whether it takes connections just now.
  bool answers() const;
  // Runs SQL as the database's owner, who may do anything; the first field of the first row.
  std::string run(const std::string& sql) const;

 private:
  std::string address_;
  pid_t process_ = -1;
  int in_ = -1, out_ = -1;
};

Terms terms_at(const std::string& location);  // policy "clinic", ε 1, δ 1e-6, one source
Request ask(const std::string& epsilon, const std::string& delta = "0",
            const std::string& analyst = "ana", const std::string& plan = "plan");
Rational rational(const std::string& text);

}  // namespace discreet::ledger::testing
