// A /dev of a confined program's own, with the devices that lead nowhere: null, zero, full, random
// and urandom. The terminals of the user are out of its reach.
#pragma once

#include <string>

namespace discreet::engine::sample {

// In the child, in a mount namespace of its own; calls only what a signal handler may. What is in
// /dev/shm stays to be read if `program` or `folder` is in there.
bool replace_devices(const std::string& program, const std::string& folder);

}  // namespace discreet::engine::sample
