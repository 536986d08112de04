#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/learn/initial.h"
#include "discreet/learn/layer.h"
#include "discreet/learn/window.h"

namespace discreet::learn {
namespace {

// γ_n = nu / (1 − nu), u = 2^-24, for n far below 2^24.
double gamma(std::size_t n) {
  const double nu = static_cast<double>(n) * 0x1p-24;
  return nu / (1 - nu);
}

// The sum is needed anyway, so norms by it cost no more than keeping one for each row of a tile:
// fine while they stay in the cache. Of larger ones, pairs of positions are cheaper where there are
// few.
bool pairs_are_cheaper(std::size_t places, std::size_t patch, std::size_t out) {
  constexpr std::size_t kInCache = std::size_t{1} << 14;
  constexpr std::size_t kProductsAFloat = 30;  // in the time that a float goes to memory and back
  return patch * out > kInCache && places * places * (patch + out) < kProductsAFloat * patch * out;
}

class Convolution final : public Layer {
 public:
  Convolution(Shape in, Shape out, Window window, NormBy by)
      : Layer(in, out),
        window_(window),
        places_(out.height * out.width),
        inputs_(window.size * window.size * in.channels),
        patch_(inputs_ + 1),
        n_out_(out.channels),
        pairs_(by == NormBy::kPairs ||
               (by == NormBy::kCheaper && pairs_are_cheaper(places_, patch_, n_out_))),
        kernels_(kernels()) {}

  std::string describe() const override {
    return fmt::format("conv:{}:{}:{}:{}", n_out_, window_.size, window_.stride, window_.padding);
  }
  // Of the numbers under the window, then of the 1 after them: the bias.
  std::size_t weights() const override { return patch_ * n_out_; }

  Status initialise(random::Source& source, std::span<float> weights) const override {
    TRY(fill_initial(source, inputs_, weights.first(inputs_ * n_out_)));
    std::ranges::fill(weights.subspan(inputs_ * n_out_), 0.0F);
    return {};
  }

  std::size_t prepared() const override { return forward_size() + n_out_ * padded(inputs_); }
  void prepare(const float* weights, float* prepared) const override {
    kernels_.pack(patch_, n_out_, weights, n_out_, 1, prepared);
    kernels_.pack(n_out_, inputs_, weights, 1, n_out_, prepared + forward_size());
  }

  // The patches of each row; then the gradient of each row, or a place for one; then a place for
  // what is packed, or for pairs of positions.
  std::size_t scratch(std::size_t rows) const override {
    return rows * patches_size() + (pairs_ ? 1 : rows) * weights() + work_size();
  }

  void forward(const Bench& bench, const float* x, float* y) const override {
    for (std::size_t i = 0; i < bench.rows; ++i) {
      float* patches = bench.scratch + i * patches_size();
      gather_patches(in(), out(), window_, x + i * in().size(), patches);
      kernels_.multiply(places_, n_out_, patch_, patches, patch_, 1, bench.prepared,
                        y + i * out().size(), n_out_, false);
    }
  }

  void backward(const Bench& bench, const float* /*x*/, const float* /*y*/, const float* d,
                float* dx) const override {
    float* patches = work(bench);
    for (std::size_t i = 0; i < bench.rows; ++i) {
      kernels_.multiply(places_, inputs_, n_out_, d + i * out().size(), n_out_, 1,
                        bench.prepared + forward_size(), patches, inputs_, false);
      float* to = dx + i * in().size();
      std::fill_n(to, in().size(), 0.0F);
      scatter_patches(in(), out(), window_, patches, to);
    }
  }

  void norms(const Bench& bench, const float* /*x*/, const float* d,
             double* squared) const override {
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* patches = bench.scratch + i * patches_size();
      const float* di = d + i * out().size();
      if (pairs_) {
        const double norm = norm_by_pairs(bench, patches, di);
        squared[i] += norm * norm;
      } else {
        float* own = gradients(bench) + i * weights();
        own_gradient(bench, patches, di, own);
        squared[i] += kernels_.squares(own, weights());
      }
    }
  }

  void gradient(const Bench& bench, float* /*x*/, float* d, const float* factors,
                float* g) const override {
    std::fill_n(g, weights(), 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i) {
      if (factors[i] == 0) continue;
      float* own = gradients(bench) + (pairs_ ? 0 : i * weights());
      if (pairs_)
        own_gradient(bench, bench.scratch + i * patches_size(), d + i * out().size(), own);
      kernels_.add_scaled(factors[i], own, g, weights());
    }
  }

  void plain_gradient(const Bench& bench, float* /*x*/, float* d, float* g) const override {
    std::fill_n(g, weights(), 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* di = d + i * out().size();
      const float* packed = di;
      if (n_out_ != kernels_.lanes && n_out_ != 2 * kernels_.lanes) {
        kernels_.pack(places_, n_out_, di, n_out_, 1, work(bench));
        packed = work(bench);
      }
      kernels_.multiply(patch_, n_out_, places_, bench.scratch + i * patches_size(), 1, patch_,
                        packed, g, n_out_, true);
    }
  }

 private:
  // Σ_p x_p ⊗ d_p of one example, x_p with its 1.
  void own_gradient(const Bench& bench, const float* patches, const float* d, float* own) const {
    const float* packed = d;
    if (n_out_ != kernels_.lanes && n_out_ != 2 * kernels_.lanes) {  // else packed as it is
      kernels_.pack(places_, n_out_, d, n_out_, 1, work(bench));
      packed = work(bench);
    }
    kernels_.multiply(patch_, n_out_, places_, patches, 1, patch_, packed, own, n_out_, false);
  }

  // With S = Σ_p ‖x_p‖·‖d_p‖, the sum of pairs is off by at most (γ_K + γ_M + small)·S²,
  // and the gradient as own_gradient computes it by γ_P·S from the true one, whose norm this bounds
  // first: ‖·‖ ≤ √(pairs + 2(γ_K + γ_M + γ_4)·S² + U) + γ_{P+2}·S. U is what underflow may take:
  // products of K (or M) terms are off by e = K·2^-148 (f = M·2^-148), so a pair of them by
  // |xx|f + |dd|e + ef.
  double norm_by_pairs(const Bench& bench, const float* patches, const float* d) const {
    float* packed = work(bench);
    float* xx = packed + std::max(patch_, n_out_) * padded(places_);
    float* dd = xx + places_ * places_;
    kernels_.pack(patch_, places_, patches, 1, patch_, packed);
    kernels_.multiply(places_, places_, patch_, patches, patch_, 1, packed, xx, places_, false);
    kernels_.pack(n_out_, places_, d, 1, n_out_, packed);
    kernels_.multiply(places_, places_, n_out_, d, n_out_, 1, packed, dd, places_, false);
    const double e = static_cast<double>(patch_) * 0x1p-148;
    const double f = static_cast<double>(n_out_) * 0x1p-148;
    double pairs = 0, sum = 0, lost = 0;
    for (std::size_t i = 0; i < places_ * places_; ++i) {
      const auto x = static_cast<double>(xx[i]), y = static_cast<double>(dd[i]);
      pairs += x * y;
      lost += std::abs(x) * f + std::abs(y) * e + e * f;
    }
    if (!std::isfinite(pairs)) return std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < places_; ++p)
      sum += std::sqrt(kernels_.squares(patches + p * patch_, patch_) *
                       kernels_.squares(d + p * n_out_, n_out_));
    const double slack = 2 * (gamma(patch_ + 2) + gamma(n_out_ + 2) + gamma(4)) * sum * sum + lost;
    return std::sqrt(std::max(pairs, 0.0) + slack) + gamma(places_ + 2) * sum * (1 + 0x1p-20);
  }

  std::size_t padded(std::size_t n) const { return packed_size(kernels_, n); }
  std::size_t forward_size() const { return patch_ * padded(n_out_); }
  std::size_t patches_size() const { return places_ * patch_; }
  std::size_t work_size() const {
    const std::size_t pairs =
        pairs_ ? std::max(patch_, n_out_) * padded(places_) + 2 * places_ * places_ : 0;
    return std::max({patches_size(), places_ * padded(n_out_), pairs});
  }
  float* gradients(const Bench& bench) const { return bench.scratch + bench.rows * patches_size(); }
  float* work(const Bench& bench) const {
    return gradients(bench) + (pairs_ ? 1 : bench.rows) * weights();
  }

  Window window_;
  std::size_t places_, inputs_, patch_, n_out_;
  bool pairs_;
  const Kernels& kernels_;
};

}  // namespace

Result<LayerPointer> make_convolution(Shape in, std::size_t channels, Window window, NormBy by) {
  const Shape out = TRY(windows_in(in, channels, window));
  return LayerPointer(std::make_unique<Convolution>(in, out, window, by));
}
Result<LayerPointer> make_convolution(Shape in, std::size_t channels, Window window) {
  return make_convolution(in, channels, window, NormBy::kCheaper);
}

}  // namespace discreet::learn
