// What reports look like, protocol by protocol: a line that is none of this protocol's but could be
// another's is told apart from junk, so that a collector who mixed up two files is told so.
//
//   Forms forms = forms_of("1 7 0");                            // as local hashing writes it
//   bool mixed_up = could_be_of_another("flat", "1 7 0");  // true
//
// A line may have several forms: "101" is a number, and a string of bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace discreet::local {

using Forms = std::uint8_t;
inline constexpr Forms kNumber = 1;  // 17
inline constexpr Forms kBits = 2;    // 0110
inline constexpr Forms kSpaced = 4;  // 5 17 0: two numbers or more
inline constexpr Forms kList = 8;    // 1,5,17: one or more, with commas between
inline constexpr Forms kSign = 16;   // +1 or -1
inline constexpr Forms kAnyForm = 31;

Forms forms_of(std::string_view line);
// The forms that a protocol's reports have; any for one that isn't known here.
Forms forms_of_protocol(std::string_view name);
// For a line that the protocol refused.
bool could_be_of_another(std::string_view protocol, std::string_view line);

}  // namespace discreet::local
