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

// Of counters, each of which says how many of the reports were of a kind: what a report can't be
// two of sums up to the number of reports, what it must be k of to k times that.
bool sum_to(std::span<const std::uint64_t> counters, std::uint64_t users, std::uint64_t k = 1);
// And what it may be or not be is none that more than all of them are.
bool none_above(std::span<const std::uint64_t> counters, std::uint64_t users);

// A whole number below `end` that takes all of the text: digits only, no sign, no leading zeros (a
// report has one spelling).
Fault read_whole(std::string_view text, std::uint64_t end, std::uint64_t& out);
// The same of a report's word.
Fault read_index(std::string_view text, std::uint64_t end, Word& out);

}  // namespace discreet::local
