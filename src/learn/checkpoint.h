// A training that goes on where it stopped, with what it has spent.
//
//   Checkpoints files("digits.model.checkpoint");
//   Status kept = files.lock();           // nobody else trains into this place
//   files.record_with([](const Checkpoint::Mark&) -> Status { return {}; });  // where it is paid
//   auto found = *files.find();           // what a run before left
//   Checkpoint now;
//   if (kept) kept = files.begin(now);    // before the first lot is drawn: counts it
//   if (kept) kept = files.keep(now);     // after every step: `begun` counts the next one
//
// Two files. FILE is on the disk before the steps that it counts as spent: it is written every so
// many steps, and counts those until the next time as spent already. FILE.latest (learn/
// latest_file.h) is written after every step and left to the operating system's own time: it
// survives a process that is killed, but maybe not a machine that loses its power, so it is
// believed only until the next start of the machine. A killed run loses the lot that was under way;
// after a power cut the steps since FILE was written are lost, and stay spent.
//
// Who pays for the steps hears of every FILE before it takes its place (record_with): a ledger that
// knows its digest, and how many steps it counts, takes no other (ledger/ledger.h, Progress). It
// then says how many steps are spent, and .latest is believed for the state alone: a copy of it is
// as easily put back as one of FILE.
//
// .latest is there before FILE counts anything, and FILE before a lot is drawn, so whenever a run
// is killed, at its start or after a resume, each lot that was drawn is counted, and one that
// wasn't shown is lost.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "discreet/learn/latest_file.h"
#include "discreet/learn/model.h"

namespace discreet::learn {

struct Checkpoint {
  std::string run;          // what was asked for: only the same goes on with it
  std::string id;           // of this run, drawn at its start
  std::uint64_t begun = 0;  // steps that count as spent
  std::uint64_t steps = 0;  // that were planned
  // What the run reserved in a policy's ledger; empty: nothing. It goes on with that, and only
  // then.
  std::string reservation = {};
  Model model = {};               // all but the weights; the promise says what everything costs
  std::vector<float> state = {};  // of the trainer, after `begun − 1` steps or less
  std::vector<Told> told = {};    // of the steps
  std::string digest = {};        // of FILE, where this was found

  // What is told of a FILE before it takes its place.
  struct Mark {
    std::string digest;
    std::uint64_t begun = 0;  // as FILE counts them
    bool stopped = false;     // in good order: nothing is counted ahead
  };
};

std::string write_checkpoint(const Checkpoint& checkpoint, const std::string& boot);
struct ReadCheckpoint {
  Checkpoint checkpoint;
  std::string boot;  // which start of the machine it was written in
};
Result<ReadCheckpoint> read_checkpoint(const std::string& name, std::string_view bytes);

class Checkpoints {
 public:
  // `boot` names this start of the machine; empty: unknown.
  explicit Checkpoints(std::string path, std::string boot = this_boot());
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  static std::string this_boot();

  // Refused while another process trains into the same place: two that go on with the same state
  // would be two answers for the price of one.
  Status lock();

  // Asked before FILE takes its place; where it fails, FILE stays as it is.
  void record_with(std::function<Status(const Checkpoint::Mark&)> record) {
    record_ = std::move(record);
  }

  // What there is to go on with; nothing where there is none.
  Result<std::optional<Checkpoint>> find() const;

  // Where `begun` steps are spent, and one more is about to be drawn: on the disk on return, which
  // counts that one and some more.
  Status begin(Checkpoint checkpoint);
  // After a step: `begun` counts the next one, which is about to be drawn.
  Status keep(const Checkpoint& checkpoint);
  // At an orderly stop: on the disk, with nothing counted ahead.
  Status stop(const Checkpoint& checkpoint);
  // The training is over.
  void remove();

 private:
  // FILE, with steps counted ahead.
  Status sync(Checkpoint checkpoint);
  Status put(const Checkpoint& checkpoint, bool stopped);

  std::string path_, boot_;
  std::function<Status(const Checkpoint::Mark&)> record_;
  LatestFile latest_;
  int lock_ = -1;
  std::uint64_t counted_ = 0;  // steps that FILE counts as spent
  std::uint64_t ahead_ = 0;    // how many it counts before they are begun
  std::chrono::steady_clock::time_point synced_ = {};
};

}  // namespace discreet::learn
