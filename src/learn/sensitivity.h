// How much one example changes a step's sum, rounding included, and the grid that the sum is on.
//
// A lot's examples stand in uniformly random order and are cut into tiles of k. A tile's sum T̂ of
// clipped gradients is computed in floating point, rounded to whole multiples of a step s, and
// added to the others as integers. Why one example changes the whole by at most
//
//     C' = C + 4·γ_{k+4}·k·C + 2·s·√P + 2^-80      in ℓ2, P the number of coordinates:
//
// - Add x to a lot of n. Its slot among n + 1 is uniform; let the example y that was there move to
//   the new slot at the end. That is again a uniformly random order, so the two runs are coupled:
//   all slots but x's and the last hold what they held. Two tiles differ at most: T'_a − T_a = x̄ −
//   ȳ and T'_b − T_b = ȳ (bars: clipped), together x̄ of norm ≤ C; the rows' numbers are their own
//   (learn/layer.h), so all other tiles are the same to the bit.
// - Each of the four tile sums is off by at most γ_{k+4}·Σ‖c_i v_i‖ ≤ γ_{k+4}·k·C (learn/layer.h),
//   γ_n = nu/(1 − nu), u = 2^-24 (Higham 2002, section 3.1), and by s/2 a coordinate from the grid.
// - Integers add up exactly, in any order, on any number of threads.
// - Products that underflow are off by at most 2^-150 each. The worst is a factor's product with a
//   small slope, which then meets the row that came into the layer: 2^-150·√n·‖x‖, n numbers out.
//   Layers say that norms are infinite where ‖x‖ > 2^40 (learn/layer.h), and n ≤ 2^24, so four
//   tiles of 64 rows are off by at most 4·64·2^(−150+12+40) = 2^-90; 2^-80 covers that. C is held
//   within limits, so that grids are, too.
//
// The noise is scaled to C', so what is promised for C is true.
#pragma once

#include <cstddef>

namespace discreet::learn {

// What C may be, each layer's own as well. Beyond, numbers of the grid wouldn't be numbers.
inline constexpr double kLeastClip = 1e-12, kMostClip = 1e12;
bool is_clip(double clip);  // with room for rounding at the ends

// A power of two from C/2^24 to C/2^23: a tile's sum fits into 31 bits, and the grid adds less to C
// than floating point does.
double grid_step(double clip);

// C' in steps of the grid, rounded up.
double grid_sensitivity(double clip, std::size_t tile_rows, std::size_t coordinates, double step);

// What a gradient of this squared norm (good to 2^-20, from learn/layer.h) is multiplied by: 1, or
// a little below C/‖g‖, so that the product is never longer than C. 0 where the norm isn't finite,
// or so large (above 2^100, or above 2^100·C) that floats would round the product up, or overflow
// on the way to it: that example is taken out.
float clip_factor(double squared_norm, double clip);

// Tiles of more rows would let rounding cost more than a promille.
inline constexpr std::size_t kMostTileRows = 64;

}  // namespace discreet::learn
