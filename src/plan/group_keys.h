// Keys of groups: from values to bytes and back, and the list of all groups where they are public.
// The side that bounds and the side that releases both ask here, so they can't count differently.
//
//   auto values = distinct_keys({Value::number(0.0), Value::number(-0.0)}, Type::kDouble);
//   bool once = values.size() == 1;
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discreet/bound/key.h"
#include "discreet/plan/plan.h"

namespace discreet::plan {

// What groups are formed by: the key; of a text that is no public one its first characters.
Expr grouped_by(const PlanPart& part, std::size_t key);

// A value as a key has it: in the key's type, −0 as 0.
Value as_key(Value value, Type type);
// A list of such values, each once, in the order in which they first come. Two are the same where
// their bytes are: −0 and 0, any two NaN.
std::vector<Value> distinct_keys(const std::vector<Value>& values, Type type);

void write_key(bound::KeyBytes& out, const Value& value);
// The values behind a key's bytes; an error where the bytes are no such key.
Result<std::vector<Value>> read_key(std::string_view bytes, const std::vector<Expr>& keys);

// … and of whole groups, a value for each of the keys.
std::vector<std::vector<Value>> distinct_groups(const std::vector<std::vector<Value>>& groups,
                                                const std::vector<Expr>& keys);
// The groups that are listed, or every combination of the public keys' values, the last key turning
// fastest (a plan's are distinct). Of a question without keys it is one group, the whole.
std::vector<std::vector<Value>> public_groups(const Select& select);
// How many those are, without making them; kept from overflowing where they are too many to plan.
std::size_t number_of_groups(const Select& select);

}  // namespace discreet::plan
