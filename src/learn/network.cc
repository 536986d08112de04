#include "discreet/learn/network.h"

#include "discreet/base/try.h"

namespace discreet::learn {

Network::Network(std::string name, Shape in, std::vector<LayerPointer> layers, Loss loss)
    : name_(std::move(name)),
      in_(in),
      layers_(std::move(layers)),
      loss_(loss),
      by_position_(in.channels > 1 && in.height * in.width > 1) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t size = layers_[l]->weights();
    if (size > 0) parts_.push_back({l, weights_, size});
    weights_ += size;
  }
}

Status Network::initialise(random::Source& source, std::span<float> weights) const {
  for (const Part& part : parts_)
    TRY(layers_[part.layer]->initialise(source, weights.subspan(part.begin, part.size)));
  return {};
}

}  // namespace discreet::learn
