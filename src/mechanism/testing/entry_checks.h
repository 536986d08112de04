// What every entry of the registry is held to, made from the entry alone: the tests of a new
// mechanism, before anyone writes one. Each check calls gtest's expectations; run them on all
// entries (registry_test.cc) or on one that isn't registered (toy_test.cc).
#pragma once

#include "discreet/mechanism/entry.h"

namespace discreet::mechanism::testing {

// Its words are there, its trials can be made, and ε has no default.
void check_description(const Entry& entry);
// Every parameter refuses what its description excludes, and a misspelt name is told the right one.
void check_parameters(const Entry& entry);
// Distributions on a trial's inputs and on all their neighbours stay within the guarantee, and some
// come near it.
void check_guarantee(const Entry& entry);
// A twin that promises ε and is made with more is caught by the same comparison.
void check_broken_twin(const Entry& entry);
// Releases are of the kind that the entry says, and follow the distribution; a twin's don't.
void check_samples(const Entry& entry);
// The event reads back from its text, and its cost is never less than what the distributions show,
// nor (but for rounding) than what is promised.
void check_event(const Entry& entry);
// Accuracy grows with certainty, and is the same for neighbours where it isn't said to be private.
void check_accuracy(const Entry& entry);

// No value that somebody could bring makes a release fail, or fail in words of its own; where units
// come and go, a trial has nobody in it.
void check_inputs(const Entry& entry);

// All of them.
void check_entry(const Entry& entry);

}  // namespace discreet::mechanism::testing
