// What keeps a program that sees rows from telling anyone but us: the child's side of starting it.
//
// Where the kernel lets us, the program runs in namespaces of its own. It has no network; whatever
// it starts ends with it; every file system is read-only but a small
// one in memory that is its working folder; and the files that it must not see are empty. It meets
// no other process, neither outside nor on another block: system_calls.h, write_rules.h.
// Everywhere it has limits on memory, processor time, files and processes, an environment of PATH,
// LANG and TMPDIR, no open files but its standard ones, and no way to gain rights.
#pragma once

#include <string>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/engine/sample/system_calls.h"

namespace discreet::engine::sample {

// What the system allows.
struct Isolation {
  bool network = false;  // it has no network, and no process of it outlives it
  bool files = false;    // it can't write files, nor read those that are hidden
  bool calls = false;    // it has no system call to meet another process by (system_calls.h)
  bool pipes = false;    // it can't write into what has a name, be it no file (write_rules.h)

  bool all() const { return network && files && calls && pipes; }
  friend bool operator==(const Isolation&, const Isolation&) = default;
};

struct Limits {
  double seconds = 10;
  std::size_t memory = std::size_t{2} << 30;  // bytes of addresses, of each process
};

// For a child that stays a copy of this process and only computes (Process::copy): the limits, of
// which that of memory comes on top of what the copy has; nothing can be opened for writing, and
// the calls of system_calls.h are denied where the system can.
bool confine_copy(const Limits& limits);

// Everything the child needs, laid out before it is made: between its making and its program it may
// only call what a signal handler may.
class Confinement {
 public:
  // `program` is a path; `hidden` are files.
  Confinement(std::string program, std::string folder, const std::vector<std::string>& hidden,
              const Limits& limits, const Isolation& isolation);

  // The flags of clone for the child.
  int clone_flags() const;

  enum class Step : int { kNone, kIsolation, kProgram };
  struct Failure {
    Step step = Step::kNone;
    int error = 0;
  };
  // In the child: confines it and becomes the program. Where that fails the reason goes to
  // `report`.
  [[noreturn]] void enter(int input, int output, int report) const;

 private:
  bool confine(Failure& failure) const;
  bool cut_files() const;
  bool set_limits() const;

  std::string program_, folder_, user_map_, group_map_, path_, language_, temporary_;
  std::vector<std::string> hidden_;
  Limits limits_;
  Isolation isolation_;
  unsigned long processors_;
  std::vector<sock_filter> calls_;
  int landlock_;
};

}  // namespace discreet::engine::sample
