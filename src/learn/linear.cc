#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/learn/initial.h"
#include "discreet/learn/layer.h"

namespace discreet::learn {
namespace {

class Linear final : public Layer {
 public:
  Linear(Shape in, std::size_t out)
      : Layer(in, Shape{.channels = out}), n_in_(in.size()), n_out_(out), kernels_(kernels()) {}

  std::string describe() const override { return fmt::format("linear:{}", n_out_); }
  std::size_t weights() const override { return n_in_ * n_out_ + n_out_; }

  Status initialise(random::Source& source, std::span<float> weights) const override {
    TRY(fill_initial(source, n_in_, weights.first(n_in_ * n_out_)));
    std::ranges::fill(weights.subspan(n_in_ * n_out_), 0.0F);
    return {};
  }

  // W for forward, then Wᵀ for backward.
  std::size_t prepared() const override { return forward_size() + n_out_ * padded(n_in_); }
  void prepare(const float* weights, float* prepared) const override {
    kernels_.pack(n_in_, n_out_, weights, n_out_, 1, prepared);
    kernels_.pack(n_out_, n_in_, weights, 1, n_out_, prepared + forward_size());
  }
  std::size_t scratch(std::size_t rows) const override { return rows * padded(n_out_); }

  void forward(const Bench& bench, const float* x, float* y) const override {
    const float* bias = bench.weights + n_in_ * n_out_;
    for (std::size_t i = 0; i < bench.rows; ++i) std::copy_n(bias, n_out_, y + i * n_out_);
    kernels_.multiply(bench.rows, n_out_, n_in_, x, n_in_, 1, bench.prepared, y, n_out_, true);
  }

  void backward(const Bench& bench, const float* /*x*/, const float* /*y*/, const float* d,
                float* dx) const override {
    kernels_.multiply(bench.rows, n_in_, n_out_, d, n_out_, 1, bench.prepared + forward_size(), dx,
                      n_in_, false);
  }

  void norms(const Bench& bench, const float* x, const float* d, double* squared) const override {
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const double row = kernels_.squares(x + i * n_in_, n_in_);
      squared[i] += row <= kMostRow ? (row + 1) * kernels_.squares(d + i * n_out_, n_out_)
                                    : std::numeric_limits<double>::infinity();  // NaN too
    }
  }

  // Each element is one chain over the rows, of the products of x and the scaled d.
  void gradient(const Bench& bench, float* x, float* d, const float* factors,
                float* g) const override {
    float* bias = g + n_in_ * n_out_;
    std::fill_n(bias, n_out_, 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i) {
      if (factors[i] == 0) {
        std::fill_n(x + i * n_in_, n_in_, 0.0F);
        std::fill_n(d + i * n_out_, n_out_, 0.0F);
      } else if (factors[i] != 1) {
        kernels_.scale(factors[i], d + i * n_out_, n_out_);
      }
      kernels_.add_scaled(1, d + i * n_out_, bias, n_out_);
    }
    products(bench, x, d, g);
  }

  void plain_gradient(const Bench& bench, float* x, float* d, float* g) const override {
    float* bias = g + n_in_ * n_out_;
    std::fill_n(bias, n_out_, 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i)
      kernels_.add_scaled(1, d + i * n_out_, bias, n_out_);
    products(bench, x, d, g);
  }

 private:
  // ‖x‖² above which what underflows of a scaled slope would count (learn/sensitivity.h).
  static constexpr double kMostRow = 0x1p80;

  void products(const Bench& bench, const float* x, const float* d, float* g) const {
    kernels_.pack(bench.rows, n_out_, d, n_out_, 1, bench.scratch);
    kernels_.multiply(n_in_, n_out_, bench.rows, x, 1, n_in_, bench.scratch, g, n_out_, false);
  }
  std::size_t padded(std::size_t n) const { return packed_size(kernels_, n); }
  std::size_t forward_size() const { return n_in_ * padded(n_out_); }

  std::size_t n_in_, n_out_;
  const Kernels& kernels_;
};

}  // namespace

LayerPointer make_linear(Shape in, std::size_t out) { return std::make_unique<Linear>(in, out); }

}  // namespace discreet::learn
