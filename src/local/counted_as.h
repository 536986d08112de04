// Reports that are counted as those of a state were, from what the state says it is of.
//
//   #include "discreet/local/state.h"
//   auto reports = *counted_as("subset epsilon=1 domain=16 subset=4");
//   bool possible = reports->fits(State(*reports).counters, 0);
//
// Who adds states up needn't be told the protocol: all states of a sum say the same. But each must
// be possible by itself, or one forged file spoils the sum, and nobody can tell which it was.
#pragma once

#include "discreet/local/protocol.h"

namespace discreet::local {

// Its counters, how it counts and what fits (State::check_numbers) are those of the reports; where
// these don't hang on ε, its ε may be another.
Result<std::unique_ptr<const Reports>> counted_as(std::string_view of);

}  // namespace discreet::local
