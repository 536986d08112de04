// Checks that every protocol makes of its parameters and of what it is given.
#pragma once

#include <charconv>

#include "discreet/local/protocol.h"

namespace discreet::local {

// Above 0 and at most kMostEpsilon: beyond, e^ε is past any use, and of a size that stops a
// program.
inline constexpr long kMostEpsilon = 500;
Result<Rational> checked_epsilon(const Parameters& parameters);
// `least` to `most` values.
Status check_domain(const Parameters& parameters, std::size_t least = 2,
                    std::size_t most = kMostValues);
// Every value below the domain; said without the value, which is private.
Status check_values(std::span<const Value> values, std::size_t domain);

// A whole number below `end` that takes all of the text: digits only, no sign, no leading zeros (a
// report has one spelling).
Fault read_whole(std::string_view text, std::uint64_t end, std::uint64_t& out);
// The same of a report's word.
Fault read_index(std::string_view text, std::uint64_t end, Word& out);

}  // namespace discreet::local
