// A layer of a network, as private training sees it: beside the usual forward and backward it knows
// how long each example's own gradient is (a certified upper bound, found without keeping the
// gradients: "ghost norms", Goodfellow 2015; Li et al. 2022), and adds up gradients that were
// scaled example by example.
//
// What a layer promises, and what learn/sensitivity.h counts on:
// - *An example's numbers are its own.* What forward, backward and norms say of a row depends on
//   that row and the weights, not on other rows or its place among them, to the last bit.
//   Batch normalisation can't be such a layer.
// - *Norms are upper bounds* of ‖v_i‖², v_i the vector that `gradient` stands for, up to a factor
// of
//   1 + 2^-20 that the clipping adds, and to 2^-100 that underflow may add. Where `gradient` scales
//   slopes before they meet a row x with ‖x‖ > 2^40, they say infinity: the example is taken out.
// - *Sums are good to γ.* With |c_i v_i| ≤ C each, what `gradient` writes for k rows differs from
//   Σ c_i v_i by at most γ_{k+4}·Σ c_i‖v_i‖ in ℓ2, γ_n = nu/(1 − nu), u = 2^-24. Where terms of one
//   example may cancel (positions of a convolution), v_i is the example's gradient as computed, by
//   itself.
//
// Numbers of an example with several positions stand position by position, the channels of one
// together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/learn/examples.h"
#include "discreet/learn/kernel.h"
#include "discreet/random/source.h"

namespace discreet::learn {

// What a layer works with: its weights, what `prepare` made of them, and a place of this worker's.
struct Bench {
  const float* weights = nullptr;
  const float* prepared = nullptr;
  float* scratch = nullptr;
  std::size_t rows = 0;
};

class Layer {
 public:
  explicit Layer(Shape in, Shape out) : in_(in), out_(out) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const Shape& in() const { return in_; }
  const Shape& out() const { return out_; }
  virtual std::string describe() const = 0;

  virtual std::size_t weights() const { return 0; }
  // Weights to begin with, whatever the data: from the generator.
  virtual Status initialise(random::Source& source, std::span<float> weights) const;
  // Floats that `prepare` makes of the weights once a step, for all workers.
  virtual std::size_t prepared() const { return 0; }
  virtual void prepare(const float* /*weights*/, float* /*prepared*/) const {}
  // Floats of a worker's own, kept from forward to gradient.
  virtual std::size_t scratch(std::size_t /*rows*/) const { return 0; }
  // y may be where x is, and dx where d is.
  virtual bool in_place() const { return false; }
  // backward looks at y: the next layer must not write over it.
  virtual bool keeps_output() const { return false; }

  virtual void forward(const Bench& bench, const float* x, float* y) const = 0;
  // dx: the loss's gradient by x, from d, that by y.
  virtual void backward(const Bench& bench, const float* x, const float* y, const float* d,
                        float* dx) const = 0;
  // squared[i] += ‖v_i‖², or above. Comes before `gradient`, in the same tile.
  virtual void norms(const Bench& /*bench*/, const float* /*x*/, const float* /*d*/,
                     double* /*squared*/) const {}
  // g = Σ c_i v_i. A factor of 0 takes the example out, whatever numbers it has (infinities too). x
  // and d aren't needed afterwards.
  virtual void gradient(const Bench& /*bench*/, float* /*x*/, float* /*d*/,
                        const float* /*factors*/, float* /*g*/) const {}
  // g = Σ v_i as ordinary training adds it up, nobody clipped: what the bench compares with.
  virtual void plain_gradient(const Bench& bench, float* x, float* d, float* g) const;

 private:
  Shape in_, out_;
};

using LayerPointer = std::unique_ptr<const Layer>;

// y = Wᵀx + b. v = (x ⊗ d, d), so ‖v‖² = (‖x‖² + 1)·‖d‖².
LayerPointer make_linear(Shape in, std::size_t out);

// Square windows at every `stride`-th place, zeros around. v = (Σ_p x_p ⊗ d_p, Σ_p d_p) over
// positions p. Its norm is that of the sum itself where the sum is small; else ‖Σ_p x_p ⊗ d_p‖² =
// Σ_pq ⟨x_p,x_q⟩⟨d_p,d_q⟩ (Bu et al. 2022), with a bound of its rounding.
struct Window {
  std::size_t size = 3, stride = 1, padding = 0;
};
Result<LayerPointer> make_convolution(Shape in, std::size_t channels, Window window);
// The same with the choice made by hand, for tests.
enum class NormBy { kCheaper, kSum, kPairs };
Result<LayerPointer> make_convolution(Shape in, std::size_t channels, Window window, NormBy by);

// The greatest, or the average, of each channel in each window.
enum class Pooling { kGreatest, kAverage };
Result<LayerPointer> make_pooling(Shape in, Pooling kind, Window window);

// Channels in groups, each brought to mean 0 and variance 1 within the example, then scaled and
// moved (Wu and He 2018); one group: layer normalisation.
Result<LayerPointer> make_group_norm(Shape in, std::size_t groups);

// Whole numbers from 0 to entries − 1 stand for rows of a table (others for zeros).
Result<LayerPointer> make_embedding(Shape in, std::size_t entries, std::size_t width);

// s / (1 + e^-tx) − o; ReLU.
struct Tempered {
  float scale = 2, temperature = 2, offset = 1;  // tanh
};
LayerPointer make_relu(Shape in);
LayerPointer make_tempered(Shape in, Tempered shape);

}  // namespace discreet::learn
