// What a policy declares and what can't be meant: a value that no row can have, say. The policy is
// still one; its owner is told.
#pragma once

#include <string>
#include <vector>

#include "discreet/policy/catalog.h"

namespace discreet::policy {

// Found from the policy and the schemas alone. What only rows can tell, such as bounds that cut
// most of them, would have to be measured privately and come in beside these.
std::vector<std::string> warnings(const Catalog& catalog);

}  // namespace discreet::policy
