// Layers one after the other, and a loss at the end.
//
//   Shape image{.channels = 1, .height = 28, .width = 28};
//   Network network = *make_network("mlp:256,64", image, 10, {});
//   std::vector<float> weights(network.weights());
//   Status drawn = network.initialise(random::thread_generator(), weights);
#pragma once

#include <string>
#include <vector>

#include "discreet/learn/layer.h"
#include "discreet/learn/loss.h"
#include "discreet/random/generator.h"

namespace discreet::learn {

class Network {
 public:
  struct Part {  // a layer that has weights
    std::size_t layer = 0, begin = 0, size = 0;
  };

  Network(std::string name, Shape in, std::vector<LayerPointer> layers, Loss loss);

  const std::string& name() const { return name_; }  // reads back as this network
  const Shape& in() const { return in_; }
  Loss loss() const { return loss_; }
  std::size_t outputs() const { return layers_.back()->out().size(); }
  const std::vector<LayerPointer>& layers() const { return layers_; }
  const std::vector<Part>& parts() const { return parts_; }
  std::size_t weights() const { return weights_; }
  // Channels of a position stand together inside a network, unlike in Examples.
  bool by_position() const { return by_position_; }

  Status initialise(random::Source& source, std::span<float> weights) const;

 private:
  std::string name_;
  Shape in_;
  std::vector<LayerPointer> layers_;
  Loss loss_;
  std::vector<Part> parts_;
  std::size_t weights_ = 0;
  bool by_position_;
};

struct NetworkOptions {
  std::string activation = "relu";  // of mlp and cnn: relu, tanh, tempered:S:T:O
};

// logistic, linear: one layer. mlp:256,64: hidden layers. cnn: two convolutions and two linear
// layers (26 010 weights for 28 × 28). layers:A-B-C: by hand, of linear:N, conv:N:SIZE:STRIDE:EDGE,
// maxpool:SIZE:STRIDE, avgpool:SIZE:STRIDE, groupnorm:GROUPS, layernorm, embed:ENTRIES:WIDTH, relu,
// tanh, tempered:S:T:O; the linear layer that predicts is added at the end. `classes` is 0 where a
// number is predicted.
Result<Network> make_network(const std::string& name, Shape in, std::size_t classes,
                             const NetworkOptions& options);

}  // namespace discreet::learn
