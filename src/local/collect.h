// A whole collection in memory: every value perturbed and counted, by several threads. For
// simulations and measurements; in life, clients and collector are different people.
//
//   #include "discreet/local/registry.h"
//   ProtocolPointer flat = *find("flat")->make({.epsilon = 1, .domain = 4});
//   const std::vector<Value> values{0, 1, 1, 3};
//   State state(*flat);
//   Status done = collect(*flat, values, state);  // state.users is 4
//
// Each thread has a generator and counters of its own: beside the counters the memory doesn't grow
// with the number of values, unless the state keeps its reports.
#pragma once

#include "discreet/local/state.h"

namespace discreet::local {

// Adds a report for each value to `state`, which is the protocol's; nothing is added where it
// fails. As many threads as the processor has cores where 0 are asked for, fewer where there is
// little to do.
Status collect(const Protocol& protocol, std::span<const Value> values, State& state,
               unsigned threads = 0);

}  // namespace discreet::local
