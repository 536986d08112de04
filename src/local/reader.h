// Reports from files and pipes into a collector's state, several threads at a time.
//
//   #include "discreet/local/registry.h"
//   ProtocolPointer flat = *find("flat")->make({.epsilon = 1, .domain = 4});
//   Reader reader(*flat);
//   Status read = reader.add(from_text("3\n0\n3\njunk\n"));
//   State state = reader.finish();  // 3 users, 1 report refused as malformed
//
// Whatever the lines hold: each is counted once, as a user or by why it was refused. Memory is that
// of the counters, and of what is kept: reports where they are asked for, 16 bytes a client where
// reports have ids.
//
// With ids a line is "id<TAB>report", and of one id only the first report that is a good one
// counts. Ids are held as hashes (SHA-256, cut to 128 bits): n clients share one with a probability
// of n²/2^129, and then the second is taken for a duplicate.
#pragma once

#include <unordered_set>

#include "discreet/local/lines.h"
#include "discreet/local/state.h"

namespace discreet::local {

using Id = std::array<std::uint64_t, 2>;
Id id_of(std::string_view text);

struct ReaderOptions {
  bool keep = false;  // the reports themselves, for likelihoods that need them
  bool ids = false;
  std::size_t threads = 0;  // 0: as many as there are processors
};

class Reader {
 public:
  static constexpr std::size_t kLongestId = 1000;

  explicit Reader(const Reports& protocol, ReaderOptions options = {});
  // What one file or pipe holds. Where it fails, the reader is of no further use.
  Status add(Fill fill);
  // All that was added.
  State finish();

 private:
  friend class ReportWorker;
  struct HashOfId {
    std::size_t operator()(const Id& id) const { return id[0]; }
  };

  const Reports& protocol_;
  ReaderOptions options_;
  State state_;
  std::unordered_set<Id, HashOfId> seen_;
};

// No report of the protocol has a longer line.
std::size_t longest_report(const Reports& protocol);

}  // namespace discreet::local
