// A training that goes on where it stopped, with what it has spent.
//
//   Checkpoints files("digits.model.checkpoint");
//   Checkpoint now;                       // begun: the steps that count as spent
//   Status kept = files.begin(now);       // before the first lot is drawn
//   if (kept) kept = files.keep(now);     // after every step
//   auto found = *files.find();           // after a crash: the same, or a step back
//
// Two files. FILE is on the disk before the steps that it counts as spent: it is written every so
// many steps (`ahead`), and counts those until the next time as spent already. FILE.latest is
// written after every step and left to the operating system's own time: it survives a process that
// is killed, but maybe not a machine that loses its power, so it is believed only until the next
// start of the machine. A killed run loses the lot that was under way; after a power cut the steps
// since FILE was written are lost, and stay spent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/learn/model.h"

namespace discreet::learn {

struct Checkpoint {
  std::string run;                // what was asked for: only the same goes on with it
  std::string id;                 // of this run, drawn at its start
  std::uint64_t begun = 0;        // steps that count as spent
  std::uint64_t steps = 0;        // that were planned
  Model model = {};               // all but the weights; the promise says what everything costs
  std::vector<float> state = {};  // of the trainer, after `begun − 1` steps or less
  std::vector<std::pair<double, double>> told = {};  // loss and accuracy of the steps, released
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
  static std::string this_boot();

  // What there is to go on with; nothing where there is none.
  Result<std::optional<Checkpoint>> find() const;

  // On the disk on return, with `ahead` more steps counted as spent (up to all).
  Status begin(Checkpoint checkpoint);
  // After a step: `begun` counts the next one, which is about to be drawn.
  Status keep(const Checkpoint& checkpoint);
  // At an orderly stop: on the disk, with nothing counted ahead.
  Status stop(const Checkpoint& checkpoint);
  // The training is over.
  void remove() const;

 private:
  std::uint64_t ahead(const Checkpoint& checkpoint) const;

  std::string path_, boot_;
  std::uint64_t counted_ = 0;  // steps that FILE counts as spent
};

}  // namespace discreet::learn
