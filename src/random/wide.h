#pragma once

namespace discreet::random {

// 128 bits, for the product of two words. Not ISO C++, but what every 64-bit compiler of ours has.
__extension__ using Wide = unsigned __int128;

}  // namespace discreet::random
