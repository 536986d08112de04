// Windows that move over an image: how many places there are, and the patches under them.
#pragma once

#include "discreet/learn/layer.h"

namespace discreet::learn {

// The shape of what a layer with this window gives: (side + 2·padding − size) / stride + 1 a side.
Result<Shape> windows_in(const Shape& in, std::size_t channels, const Window& window);

// The numbers under the window at each place, size × size × channels, zeros beyond the edge; and a
// 1 after them, by which a convolution's bias is one of its weights.
void gather_patches(const Shape& in, const Shape& out, const Window& window, const float* x,
                    float* patches);
// x += what patches (without the 1) say about it: the transpose of the above.
void scatter_patches(const Shape& in, const Shape& out, const Window& window, const float* patches,
                     float* x);

}  // namespace discreet::learn
