// What a collector has: counters that add up, so that collectors on several machines can be merged,
// and a file they can be kept in.
//
//   #include "discreet/local/registry.h"
//   ProtocolPointer flat = *find("flat")->make({.epsilon = 1, .domain = 4});
//   State here(*flat), there(*flat);
//   Status merged = here.merge(there);
//   std::string bytes = here.serialise();
//   State again = *State::read("state", bytes);
//
// A file says which protocol it is of and ends in a checksum: states of other protocols, and files
// that were cut or changed, are refused. So are states of other values under the same numbers, and
// states that share a collection.
#pragma once

#include <array>

#include "discreet/local/protocol.h"

namespace discreet::local {

// How a state's file begins; and how every one does, whatever its version.
inline constexpr std::string_view kStateMagic = "discreet local state 2\n";
inline constexpr std::string_view kStateBegins = kStateMagic.substr(0, kStateMagic.rfind(' ') + 1);
// A whole file: the first line, what stands behind it, and the checksum of both.
std::string sealed_state(std::string_view content);

class State {
 public:
  explicit State(const Reports& protocol);

  // The protocol and all of its parameters: "flat epsilon=1 domain=16". Only equals are merged.
  std::string of;
  std::uint64_t users = 0;  // reports that were counted
  std::array<std::uint64_t, kFaults> refused = {};
  std::vector<std::uint64_t> counters;
  // The reports themselves, where they are kept for a likelihood that needs them.
  bool keeps = false;
  std::vector<Word> reports = {};
  // Who has reported: hashes of the clients' ids, sorted; empty where reports have none.
  std::vector<std::array<std::uint64_t, 2>> ids = {};
  // A random number for each collection that is in here, sorted: a copy of a state has the same
  // one, and isn't counted again.
  std::vector<std::array<std::uint64_t, 2>> runs = {};
  // What values mean to those who collect, where it was said: the fingerprint of their names, in
  // order; the least and the greatest number.
  std::string names = {};
  std::vector<double> bounds = {};

  std::uint64_t rejected() const;
  // These reports are a collection of their own: gives it its random number.
  Status name_run(random::Source& source);

  // Nothing changes where it fails: sums that counters can't hold are an error. A client that is in
  // both is counted as duplicated, and its second report can't be taken out again: refused, unless
  // no id is in both. Nor is a collection that is in both.
  Status merge(const State& other);
  std::string serialise() const;
  static Result<State> read(const std::string& name, std::string_view bytes);
  // Whether this is a state of that protocol: "state.bin: found flat epsilon=1 …; asked is …".
  Status check(const std::string& name, const Reports& protocol) const;
  // Whether its numbers could be those of reports that are counted as this protocol's are.
  Status check_numbers(const std::string& name, const Reports& protocol) const;
  // Whether the names and bounds are these, as far as both were said: reports are numbers, and
  // another list would put other names to them.
  Status check_names(const std::string& fingerprint) const;
  Status check_bounds(double lower, double upper) const;

 private:
  State() = default;
};

// "flat epsilon=1 domain=16": as states and messages name a protocol.
std::string identity(const Reports& protocol);

// Whether the protocol's counters hold so many reports.
Status check_room(const std::string& name, const Reports& protocol, std::uint64_t users);

// Of names in this order, 128 bits in hexadecimal; empty where there are none.
std::string fingerprint(std::span<const std::string> names);

}  // namespace discreet::local
