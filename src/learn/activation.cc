#include <fmt/format.h>

#include <algorithm>

#include "discreet/learn/layer.h"

namespace discreet::learn {
namespace {

class Relu final : public Layer {
 public:
  explicit Relu(Shape in) : Layer(in, in), kernels_(kernels()) {}
  std::string describe() const override { return "relu"; }
  bool in_place() const override { return true; }
  void forward(const Bench& bench, const float* x, float* y) const override {
    kernels_.relu(x, y, bench.rows * in().size());
  }
  void backward(const Bench& bench, const float* /*x*/, const float* y, const float* d,
                float* dx) const override {
    const std::size_t n = bench.rows * in().size();
    if (dx != d) std::copy_n(d, n, dx);
    kernels_.relu_back(y, dx, n);
  }

 private:
  const Kernels& kernels_;
};

class TemperedSigmoid final : public Layer {
 public:
  TemperedSigmoid(Shape in, Tempered shape) : Layer(in, in), shape_(shape), kernels_(kernels()) {}
  std::string describe() const override {
    if (shape_.scale == 2 && shape_.temperature == 2 && shape_.offset == 1) return "tanh";
    return fmt::format("tempered:{}:{}:{}", shape_.scale, shape_.temperature, shape_.offset);
  }
  bool in_place() const override { return true; }
  void forward(const Bench& bench, const float* x, float* y) const override {
    kernels_.tempered(x, y, bench.rows * in().size(), shape_.scale, shape_.temperature,
                      shape_.offset);
  }
  void backward(const Bench& bench, const float* /*x*/, const float* y, const float* d,
                float* dx) const override {
    const std::size_t n = bench.rows * in().size();
    if (dx != d) std::copy_n(d, n, dx);
    kernels_.tempered_back(y, dx, n, shape_.scale, shape_.temperature, shape_.offset);
  }

 private:
  Tempered shape_;
  const Kernels& kernels_;
};

}  // namespace

LayerPointer make_relu(Shape in) { return std::make_unique<Relu>(in); }
LayerPointer make_tempered(Shape in, Tempered shape) {
  return std::make_unique<TemperedSigmoid>(in, shape);
}

}  // namespace discreet::learn
