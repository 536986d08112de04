// Sums of many 64-bit integers need more than 64 bits.
#pragma once

namespace discreet {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

}  // namespace discreet
