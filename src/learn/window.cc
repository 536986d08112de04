#include "discreet/learn/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace discreet::learn {
namespace {

// Calls run(patch offset, image offset, numbers) for every stretch of a window that is inside the
// image, and gap(patch offset, numbers) for what is outside.
template <class Run, class Gap>
void walk(const Shape& in, const Shape& out, const Window& window, std::size_t between,
          const Run& run, const Gap& gap) {
  const std::size_t line = window.size * in.channels;
  std::size_t to = 0;
  for (std::size_t oy = 0; oy < out.height; ++oy)
    for (std::size_t ox = 0; ox < out.width; ++ox) {
      const std::size_t left = ox * window.stride;  // in the image with its edge
      const std::size_t first = std::max(left, window.padding);
      const std::size_t last = std::min(left + window.size, window.padding + in.width);
      for (std::size_t ky = 0; ky < window.size; ++ky, to += line) {
        const std::size_t y = oy * window.stride + ky;
        if (y < window.padding || y >= window.padding + in.height || first >= last) {
          gap(to, line);
          continue;
        }
        const std::size_t before = (first - left) * in.channels;
        const std::size_t inside = (last - first) * in.channels;
        if (before > 0) gap(to, before);
        run(to + before, ((y - window.padding) * in.width + first - window.padding) * in.channels,
            inside);
        if (before + inside < line) gap(to + before + inside, line - before - inside);
      }
      to += between;
    }
}

}  // namespace

Result<Shape> windows_in(const Shape& in, std::size_t channels, const Window& window) {
  const std::size_t height = in.height + 2 * window.padding;
  const std::size_t width = in.width + 2 * window.padding;
  if (channels == 0 || window.size == 0 || window.stride == 0 || window.padding >= window.size ||
      window.size > height || window.size > width)
    return bad_parameter(
        "model", fmt::format("a window of {} at every {} with an edge of {} doesn't fit images of "
                             "{} × {}; accepted are windows that do, with an edge below their size",
                             window.size, window.stride, window.padding, in.height, in.width));
  return Shape{.channels = channels,
               .height = (height - window.size) / window.stride + 1,
               .width = (width - window.size) / window.stride + 1};
}

void gather_patches(const Shape& in, const Shape& out, const Window& window, const float* x,
                    float* patches) {
  const Kernels& fast = kernels();
  const std::size_t patch = window.size * window.size * in.channels;
  walk(
      in, out, window, 1,
      [&](std::size_t to, std::size_t from, std::size_t n) {
        fast.copy(x + from, patches + to, n);
      },
      [&](std::size_t to, std::size_t n) { std::fill_n(patches + to, n, 0.0F); });
  for (std::size_t p = 0; p < out.height * out.width; ++p) patches[p * (patch + 1) + patch] = 1;
}

void scatter_patches(const Shape& in, const Shape& out, const Window& window, const float* patches,
                     float* x) {
  const Kernels& fast = kernels();
  walk(
      in, out, window, 0,
      [&](std::size_t from, std::size_t to, std::size_t n) {
        fast.add_scaled(1, patches + from, x + to, n);
      },
      [](std::size_t, std::size_t) {});
}

}  // namespace discreet::learn
