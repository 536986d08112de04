// Some examples on their way through a network: one worker's place for their numbers.
//
// The order of use is load, forward, score, backward, norms, gradient; `predict` needs the first
// two only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discreet/learn/network.h"

namespace discreet::learn {

// Weights as a step uses them, by all workers.
class StepWeights {
 public:
  explicit StepWeights(const Network& network);
  void set(std::span<const float> weights);
  const float* of(std::size_t layer) const { return weights_ + begin_[layer]; }
  const float* prepared(std::size_t layer) const {
    return prepared_.data() + prepared_begin_[layer];
  }
  std::size_t bytes() const { return prepared_.size() * sizeof(float); }

 private:
  const Network& network_;
  const float* weights_ = nullptr;
  std::vector<std::size_t> begin_, prepared_begin_;
  std::vector<float> prepared_;
};

// How many rows a tile of a lot gets, at most `most`: as many in all, so that workers are done at
// the same time. 600 in tiles of at most 64, for two: ten of 60, and not nine of 64 and one of 24.
std::size_t even_rows(std::size_t lot, std::size_t most, std::size_t workers);

class Tile {
 public:
  Tile(const Network& network, std::size_t most_rows);

  std::size_t most_rows() const { return most_; }
  std::size_t rows() const { return rows_; }
  std::size_t bytes() const { return space_.size() * sizeof(float); }

  void load(const Examples& examples, std::span<const std::uint64_t> which);
  void forward(const StepWeights& weights);
  // The losses; the slopes of the last layer's outputs.
  void score(std::span<Scored> out);
  void backward(const StepWeights& weights);
  // squared[part][row]: of each layer that has weights.
  void norms(const StepWeights& weights, std::span<std::vector<double>> squared);
  // g = Σ factors[row]·v of one part (g has that part's size).
  void gradient(const StepWeights& weights, std::size_t part, const float* factors, float* g);
  void plain_gradient(const StepWeights& weights, std::size_t part, float* g);

  const float* output() const { return values_.back(); }
  std::span<const float> labels() const { return std::span(labels_).first(rows_); }
  // What stands at a layer's output, and the slope there: for the check of rows.
  const float* value(std::size_t layer) const { return values_[layer + 1]; }
  const float* slope(std::size_t layer) const { return slopes_[layer + 1]; }

 private:
  Bench bench(const StepWeights& weights, std::size_t layer) const;

  const Network& network_;
  std::size_t most_, rows_ = 0;
  std::size_t lowest_;  // layer with weights: below it nobody needs a slope
  std::vector<float> space_;
  std::vector<float*> values_, slopes_;  // before each layer, and after the last
  std::vector<float*> scratch_;
  std::vector<float> labels_;
};

}  // namespace discreet::learn
