// A command's work in a process of its own, so that a crash looks like every other failure: the
// same words, the same exit code. Training with a policy runs here; questions have a helper
// (service/helper.h).
//
//   Status trained = apart([] { return Status(); });
//
// The child prints and reports as the command would. The parent waits, passes Ctrl-C, SIGTERM and
// SIGHUP on, and ends with the child's exit code. Where the child was killed, by its own crash or
// from outside, the parent returns the one failure; so does the child where something throws. There
// must be no other thread yet.
#pragma once

#include "discreet/cli/command.h"

namespace discreet::cli {

// Of a training that ends in a crash or an exception.
Status training_failed();

Status apart(const Action& action);

}  // namespace discreet::cli
