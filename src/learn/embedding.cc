#include <fmt/format.h>

#include <algorithm>

#include "discreet/learn/initial.h"
#include "discreet/learn/layer.h"

namespace discreet::learn {
namespace {

// v = for each entry, Σ d_p over the places p that name it. Places that name the same entry are
// added up first, in their order: their sum is what is clipped.
class Embedding final : public Layer {
 public:
  Embedding(Shape in, std::size_t entries, std::size_t width)
      : Layer(in, Shape{.channels = width, .height = 1, .width = in.size()}),
        entries_(entries),
        width_(width),
        places_(in.size()),
        kernels_(kernels()) {}

  std::string describe() const override { return fmt::format("embed:{}:{}", entries_, width_); }
  std::size_t weights() const override { return entries_ * width_; }
  Status initialise(random::Source& source, std::span<float> weights) const override {
    return fill_initial(source, width_, weights);
  }
  std::size_t scratch(std::size_t rows) const override { return rows * places_ * width_; }

  void forward(const Bench& bench, const float* x, float* y) const override {
    for (std::size_t at = 0; at < bench.rows * places_; ++at) {
      const std::size_t entry = entry_of(x[at]);
      if (entry < entries_)
        std::copy_n(bench.weights + entry * width_, width_, y + at * width_);
      else
        std::fill_n(y + at * width_, width_, 0.0F);
    }
  }

  // A name has no gradient.
  void backward(const Bench& bench, const float* /*x*/, const float* /*y*/, const float* /*d*/,
                float* dx) const override {
    std::fill_n(dx, bench.rows * places_, 0.0F);
  }

  // Leaves in the scratch, at the first place of each entry, the sum over its places.
  void norms(const Bench& bench, const float* x, const float* d, double* squared) const override {
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* xi = x + i * places_;
      const float* di = d + i * places_ * width_;
      float* own = bench.scratch + i * places_ * width_;
      std::copy_n(di, places_ * width_, own);
      for (std::size_t p = 0; p < places_; ++p) {
        const std::size_t entry = entry_of(xi[p]);
        if (entry >= entries_) continue;
        const std::size_t first = first_place(xi, entry);
        if (first != p) kernels_.add_scaled(1, di + p * width_, own + first * width_, width_);
      }
      for (std::size_t p = 0; p < places_; ++p) {
        const std::size_t entry = entry_of(xi[p]);
        if (entry < entries_ && first_place(xi, entry) == p)
          squared[i] += kernels_.squares(own + p * width_, width_);
      }
    }
  }

  void gradient(const Bench& bench, float* x, float* /*d*/, const float* factors,
                float* g) const override {
    std::fill_n(g, weights(), 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i) {
      if (factors[i] == 0) continue;
      const float* xi = x + i * places_;
      const float* own = bench.scratch + i * places_ * width_;
      for (std::size_t p = 0; p < places_; ++p) {
        const std::size_t entry = entry_of(xi[p]);
        if (entry < entries_ && first_place(xi, entry) == p)
          kernels_.add_scaled(factors[i], own + p * width_, g + entry * width_, width_);
      }
    }
  }

 private:
  // What isn't a whole number in range names nothing: entries_.
  std::size_t entry_of(float x) const {
    if (!(x >= 0 && x < static_cast<float>(entries_))) return entries_;
    const auto entry = static_cast<std::size_t>(x);
    return static_cast<float>(entry) == x ? entry : entries_;
  }
  std::size_t first_place(const float* x, std::size_t entry) const {
    return static_cast<std::size_t>(std::find(x, x + places_, static_cast<float>(entry)) - x);
  }

  std::size_t entries_, width_, places_;
  const Kernels& kernels_;
};

}  // namespace

Result<LayerPointer> make_embedding(Shape in, std::size_t entries, std::size_t width) {
  if (entries == 0 || entries > (1U << 24) || width == 0)
    return bad_parameter("model",
                         fmt::format("found an embedding of {} entries by {}; accepted are 1 to "
                                     "2^24 entries of a width above 0",
                                     entries, width));
  return LayerPointer(std::make_unique<Embedding>(in, entries, width));
}

}  // namespace discreet::learn
