// The same networks without privacy: what tests compare clipped sums with, and what the bench
// compares time and memory with. Never shipped.
#pragma once

#include "discreet/learn/optimiser.h"
#include "discreet/learn/tile.h"
#include "discreet/learn/workers.h"

namespace discreet::learn::testing {

// One example's gradient, by itself: all weights, one after the other.
std::vector<float> own_gradient(const Network& network, std::span<const float> weights,
                                const Examples& examples, std::size_t row);

// The mean loss of some examples.
double loss_of(const Network& network, std::span<const float> weights, const Examples& examples,
               std::size_t row);

// Ordinary training: shuffled batches, no clipping, no noise, float sums.
class PlainTrainer {
 public:
  PlainTrainer(const Network& network, const Examples& examples, std::size_t batch, double rate,
               Workers& workers);
  void step(std::span<const std::uint64_t> batch);
  std::span<const float> weights() const { return weights_; }
  std::size_t bytes() const;

 private:
  struct Place {
    Place(const Network& network, std::size_t rows)
        : tile(network, rows), scored(rows), gradient(network.weights()), sum(network.weights()) {}
    Tile tile;
    std::vector<Scored> scored;
    std::vector<float> gradient, sum;
  };
  const Network& network_;
  const Examples& examples_;
  double rate_;
  Workers& workers_;
  std::size_t rows_;
  std::vector<float> weights_, ones_;
  StepWeights step_weights_;
  std::vector<Place> places_;
};

// Noise-free networks for tests: one of every layer, small.
struct Case {
  std::string name;  // of make_network
  Shape shape;
  std::size_t classes;
};
std::vector<Case> every_layer();
// Random examples of that case.
Examples draw(const Case& of, std::size_t count, random::Source& source);

}  // namespace discreet::learn::testing
