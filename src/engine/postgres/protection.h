// Whether what the server says is protected on its way: exact integers and the secret that chose
// rows cross the network, and libpq would send them in the clear where nobody asks for TLS.
#pragma once

#include <string>

#include "discreet/base/error.h"

namespace discreet::engine::postgres {

// An error where the address leads to another machine and neither it nor PGSSLMODE says how the
// way is protected. (A service file's say is looked at once it is read, below.)
Status protected_on_its_way(const std::string& dsn);

// … of a way as libpq found it: a host (or a socket's folder) and the mode that is in force.
Status protected_way(const std::string& host, const std::string& mode, bool said);

// Whether the address, or the environment, says a mode.
bool says_a_mode(const std::string& dsn);

}  // namespace discreet::engine::postgres
