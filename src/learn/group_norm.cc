#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/learn/layer.h"

namespace discreet::learn {
namespace {

// y = γ_c·x̂ + β_c, x̂ = (x − mean)/√(variance + 10^-5) of the channel's group within the example.
class GroupNorm final : public Layer {
 public:
  GroupNorm(Shape in, std::size_t groups)
      : Layer(in, in),
        groups_(groups),
        channels_(in.channels),
        places_(in.height * in.width),
        of_group_(in.channels / groups),
        kernels_(kernels()) {}

  std::string describe() const override { return fmt::format("groupnorm:{}", groups_); }
  std::size_t weights() const override { return 2 * channels_; }
  Status initialise(random::Source& /*source*/, std::span<float> weights) const override {
    std::ranges::fill(weights.first(channels_), 1.0F);
    std::ranges::fill(weights.subspan(channels_), 0.0F);
    return {};
  }
  // x̂ of each row, 1/√(…) of its groups, its gradient.
  std::size_t scratch(std::size_t rows) const override {
    return rows * (in().size() + groups_ + weights());
  }

  void forward(const Bench& bench, const float* x, float* y) const override {
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* xi = x + i * in().size();
      float* yi = y + i * in().size();
      float* hat = bench.scratch + i * in().size();
      float* inverse = inverses(bench) + i * groups_;
      for (std::size_t g = 0; g < groups_; ++g) {
        double sum = 0, squares = 0;
        each(g, [&](std::size_t at, std::size_t) {
          const auto v = static_cast<double>(xi[at]);
          sum += v;
          squares += v * v;
        });
        const double n = static_cast<double>(places_ * of_group_);
        const double mean = sum / n;
        const double scale = 1 / std::sqrt(std::max(squares / n - mean * mean, 0.0) + 1e-5);
        inverse[g] = static_cast<float>(scale);
        each(g, [&](std::size_t at, std::size_t c) {
          hat[at] = static_cast<float>((static_cast<double>(xi[at]) - mean) * scale);
          yi[at] = bench.weights[c] * hat[at] + bench.weights[channels_ + c];
        });
      }
    }
  }

  // With e = γd: dx = (e − mean(e) − x̂·mean(e·x̂))/√(…).
  void backward(const Bench& bench, const float* /*x*/, const float* /*y*/, const float* d,
                float* dx) const override {
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* di = d + i * in().size();
      float* dxi = dx + i * in().size();
      const float* hat = bench.scratch + i * in().size();
      const float* inverse = inverses(bench) + i * groups_;
      for (std::size_t g = 0; g < groups_; ++g) {
        double sum = 0, along = 0;
        each(g, [&](std::size_t at, std::size_t c) {
          const double e = static_cast<double>(bench.weights[c]) * static_cast<double>(di[at]);
          sum += e;
          along += e * static_cast<double>(hat[at]);
        });
        const double n = static_cast<double>(places_ * of_group_);
        each(g, [&](std::size_t at, std::size_t c) {
          const double e = static_cast<double>(bench.weights[c]) * static_cast<double>(di[at]);
          dxi[at] = static_cast<float>((e - sum / n - static_cast<double>(hat[at]) * along / n) *
                                       static_cast<double>(inverse[g]));
        });
      }
    }
  }

  void norms(const Bench& bench, const float* /*x*/, const float* d,
             double* squared) const override {
    for (std::size_t i = 0; i < bench.rows; ++i) {
      const float* di = d + i * in().size();
      const float* hat = bench.scratch + i * in().size();
      float* own = gradients(bench) + i * weights();
      std::fill_n(own, weights(), 0.0F);
      for (std::size_t p = 0; p < places_; ++p)
        for (std::size_t c = 0; c < channels_; ++c) {
          own[c] += di[p * channels_ + c] * hat[p * channels_ + c];
          own[channels_ + c] += di[p * channels_ + c];
        }
      squared[i] += kernels_.squares(own, weights());
    }
  }

  void gradient(const Bench& bench, float* /*x*/, float* /*d*/, const float* factors,
                float* g) const override {
    std::fill_n(g, weights(), 0.0F);
    for (std::size_t i = 0; i < bench.rows; ++i)
      if (factors[i] != 0)
        kernels_.add_scaled(factors[i], gradients(bench) + i * weights(), g, weights());
  }

 private:
  template <class Visit>
  void each(std::size_t group, const Visit& visit) const {
    for (std::size_t p = 0; p < places_; ++p)
      for (std::size_t c = group * of_group_; c < (group + 1) * of_group_; ++c)
        visit(p * channels_ + c, c);
  }
  float* inverses(const Bench& bench) const { return bench.scratch + bench.rows * in().size(); }
  float* gradients(const Bench& bench) const { return inverses(bench) + bench.rows * groups_; }

  std::size_t groups_, channels_, places_, of_group_;
  const Kernels& kernels_;
};

}  // namespace

Result<LayerPointer> make_group_norm(Shape in, std::size_t groups) {
  if (groups == 0 || in.channels % groups != 0)
    return bad_parameter(
        "model", fmt::format("found {} groups of {} channels; accepted is a divisor of them",
                             groups, in.channels));
  return LayerPointer(std::make_unique<GroupNorm>(in, groups));
}

}  // namespace discreet::learn
