// What is said where a statement gave no answer.
#pragma once

#include "discreet/engine/failure.h"
#include "discreet/engine/trino/statement.h"

namespace discreet::engine::trino {

// Where no row was read, or none was begun to be: what went wrong, and with whom. Once a statement
// runs there is one text for every cause (engine/failure.h).
tl::unexpected<Error> problem(const Failed& failed, const Address& address,
                              Reserved reserved = Reserved::kStays);

}  // namespace discreet::engine::trino
