// What a client that reports again and again keeps: its permanent report of each value it ever had
// (longitudinal.h), in a file.
//
//   #include "discreet/random/generator.h"
//   auto flat = *Longitudinal::create("flat", {.epsilon = 1, .domain = 16}, 2);
//   Memory memory = *Memory::open("client.memory", std::move(flat));
//   const Value value = 3;
//   Word told = 0;
//   Status done = memory.report({&value, 1}, random::thread_generator(), {&told, 1});
//
// The file is private: who has it and the reports knows which values there were, better than from
// the reports alone. It is for one client, and readable for its owner only. Lost, or copied back
// from an older state, it is drawn anew, which costs another ε_forever for each value reported
// again.
//
// What is proved: a permanent report is on the disk before a report that is drawn from it is
// returned, whenever the process is killed, so that no value ever gets a second one. A file of
// another protocol or other parameters, cut or changed, is an error and stays as it is. Drawing
// takes the same time for every value. Two things don't: one that is new is written to the disk,
// and permanent reports are looked up in a map by their value; whoever can watch the client's disk
// sees the first, whoever shares its processor's caches may see the second.
#pragma once

#include <map>
#include <memory>

#include "discreet/base/lock_file.h"
#include "discreet/local/longitudinal.h"

namespace discreet::local {

// A whole file of a client's: what it is of, what it keeps ("value report" a line), a checksum.
std::string sealed_memory(const Longitudinal& protocol, const std::string& names,
                          std::string_view lines);

class Memory {
 public:
  // A new client where there is no such file; the file is made with the first report. A link is
  // followed to the file it leads to; one that leads nowhere, and a file with several names (hard
  // links), are errors.
  // `names`: the fingerprint of what the values are called (state.h), where they have names.
  static Result<Memory> open(const std::string& name, Longitudinal protocol,
                             const std::string& names = {});

  // One report for each value, in turn. Values that aren't in the domain are an error before
  // anything is drawn. Where writing fails there are no reports, and the memory has to be opened
  // again.
  Status report(std::span<const Value> values, random::Source& source, std::span<Word> reports);

  const Longitudinal& protocol() const { return protocol_; }
  // How many different values were reported so far, m. All reports together are protected with
  // m·ε_forever between two histories of values that change at the same times; no ε covers when
  // they change, nor whether: (a, a) has one permanent report and (a, b) two that may differ
  // (longitudinal.h).
  std::size_t values() const { return kept_.size(); }

 private:
  using Kept = std::map<Value, std::vector<Word>>;  // by value: its order says nothing of time
  Memory(std::string path, std::unique_ptr<LockFile> turn, Longitudinal protocol)
      : path_(std::move(path)), turn_(std::move(turn)), protocol_(std::move(protocol)) {}
  std::string text(const Kept& kept) const;
  Status read(std::string_view text);

  std::string path_;
  std::unique_ptr<LockFile> turn_;  // one process at a time
  Longitudinal protocol_;
  std::string names_ = {};
  Kept kept_ = {};
  bool unsure_ = false;  // whether what is on the disk may differ
};

}  // namespace discreet::local
