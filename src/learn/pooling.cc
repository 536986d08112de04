#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/learn/layer.h"
#include "discreet/learn/window.h"

namespace discreet::learn {
namespace {

// Calls at(output offset, input offset, first) for every place of every window, first for the first
// place of each; offsets are of channel 0.
template <class At>
void walk(const Shape& in, const Shape& out, const Window& window, const At& at) {
  for (std::size_t oy = 0; oy < out.height; ++oy)
    for (std::size_t ox = 0; ox < out.width; ++ox)
      for (std::size_t ky = 0; ky < window.size; ++ky)
        for (std::size_t kx = 0; kx < window.size; ++kx)
          at((oy * out.width + ox) * in.channels,
             ((oy * window.stride + ky) * in.width + ox * window.stride + kx) * in.channels,
             ky + kx == 0);
}

class Greatest final : public Layer {
 public:
  Greatest(Shape in, Shape out, Window window) : Layer(in, out), window_(window) {}
  std::string describe() const override {
    return fmt::format("maxpool:{}:{}", window_.size, window_.stride);
  }
  bool keeps_output() const override { return true; }

  void forward(const Bench& bench, const float* x, float* y) const override {
    const std::size_t channels = in().channels;
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* xi = x + i * in().size();
      float* yi = y + i * out().size();
      walk(in(), out(), window_, [&](std::size_t to, std::size_t from, bool first) {
        if (first) {
          std::copy_n(xi + from, channels, yi + to);
          return;
        }
        kernels().greatest(xi + from, yi + to, channels);
      });
    }
  }

  // The first of the greatest gets the gradient.
  void backward(const Bench& bench, const float* x, const float* y, const float* d,
                float* dx) const override {
    const std::size_t channels = in().channels;
    float* left = bench.scratch;  // of each output's gradient, not yet given to an input
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* xi = x + i * in().size();
      const float* yi = y + i * out().size();
      float* dxi = dx + i * in().size();
      std::fill_n(dxi, in().size(), 0.0F);
      std::copy_n(d + i * out().size(), out().size(), left);
      walk(in(), out(), window_, [&](std::size_t to, std::size_t from, bool) {
        kernels().greatest_back(xi + from, yi + to, left + to, dxi + from, channels);
      });
    }
  }
  std::size_t scratch(std::size_t /*rows*/) const override { return out().size(); }

 private:
  Window window_;
};

class Average final : public Layer {
 public:
  Average(Shape in, Shape out, Window window)
      : Layer(in, out),
        window_(window),
        share_(1.0F / static_cast<float>(window.size * window.size)) {}
  std::string describe() const override {
    return fmt::format("avgpool:{}:{}", window_.size, window_.stride);
  }

  void forward(const Bench& bench, const float* x, float* y) const override {
    const std::size_t channels = in().channels;
    std::fill_n(y, bench.rows * out().size(), 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* xi = x + i * in().size();
      float* yi = y + i * out().size();
      walk(in(), out(), window_, [&](std::size_t to, std::size_t from, bool) {
        for (std::size_t c = 0; c < channels; ++c) yi[to + c] += xi[from + c] * share_;
      });
    }
  }

  void backward(const Bench& bench, const float* /*x*/, const float* /*y*/, const float* d,
                float* dx) const override {
    const std::size_t channels = in().channels;
    std::fill_n(dx, bench.rows * in().size(), 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* di = d + i * out().size();
      float* dxi = dx + i * in().size();
      walk(in(), out(), window_, [&](std::size_t to, std::size_t from, bool) {
        for (std::size_t c = 0; c < channels; ++c) dxi[from + c] += di[to + c] * share_;
      });
    }
  }

 private:
  Window window_;
  float share_;
};

}  // namespace

Result<LayerPointer> make_pooling(Shape in, Pooling kind, Window window) {
  window.padding = 0;
  const Shape out = TRY(windows_in(in, in.channels, window));
  if (kind == Pooling::kGreatest) return LayerPointer(std::make_unique<Greatest>(in, out, window));
  return LayerPointer(std::make_unique<Average>(in, out, window));
}

}  // namespace discreet::learn
