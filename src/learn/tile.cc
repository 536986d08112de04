#include "discreet/learn/tile.h"

#include <algorithm>

namespace discreet::learn {

StepWeights::StepWeights(const Network& network) : network_(network) {
  std::size_t begin = 0, prepared = 0;
  for (const LayerPointer& layer : network.layers()) {
    begin_.push_back(begin);
    prepared_begin_.push_back(prepared);
    begin += layer->weights();
    prepared += layer->prepared();
  }
  prepared_.resize(prepared);
}

void StepWeights::set(std::span<const float> weights) {
  weights_ = weights.data();
  for (std::size_t l = 0; l < network_.layers().size(); ++l)
    network_.layers()[l]->prepare(of(l), prepared_.data() + prepared_begin_[l]);
}

std::size_t even_rows(std::size_t lot, std::size_t most, std::size_t workers) {
  const auto in_parts_of = [](std::size_t all, std::size_t part) {
    return (all + part - 1) / part;
  };
  const std::size_t each = in_parts_of(in_parts_of(lot, most), workers);  // tiles of a worker
  return each == 0 ? most : in_parts_of(lot, each * workers);
}

Tile::Tile(const Network& network, std::size_t most_rows)
    : network_(network), most_(most_rows), labels_(most_rows) {
  const auto& layers = network.layers();
  lowest_ = network.parts().empty() ? layers.size() : network.parts().front().layer;
  // Where each buffer begins; those of a layer that works in place are that of the layer below.
  std::size_t total = 0;
  std::vector<std::size_t> values, slopes, scratch;
  const auto take = [&](std::size_t floats) {
    const std::size_t begin = total;
    total += (floats + 15) / 16 * 16;
    return begin;
  };
  values.push_back(take(most_ * network.in().size()));
  slopes.push_back(0);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t floats = most_ * layers[l]->out().size();
    const bool shared = l > 0 && layers[l]->in_place() && !layers[l - 1]->keeps_output();
    values.push_back(shared ? values.back() : take(floats));
    slopes.push_back(shared && l > lowest_ ? slopes.back() : take(floats));
    scratch.push_back(take(layers[l]->scratch(most_)));
  }
  space_.resize(total);
  for (const std::size_t at : values) values_.push_back(space_.data() + at);
  for (const std::size_t at : slopes) slopes_.push_back(space_.data() + at);
  for (const std::size_t at : scratch) scratch_.push_back(space_.data() + at);
}

Bench Tile::bench(const StepWeights& weights, std::size_t layer) const {
  return {weights.of(layer), weights.prepared(layer), scratch_[layer], rows_};
}

void Tile::load(const Examples& examples, std::span<const std::uint64_t> which) {
  rows_ = which.size();
  const Shape& shape = network_.in();
  const std::size_t places = shape.height * shape.width, size = shape.size();
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto row = static_cast<std::size_t>(which[i]);
    const float* from = examples.x.data() + row * size;
    float* to = values_[0] + i * size;
    if (!network_.by_position()) {
      std::copy_n(from, size, to);
    } else {
      for (std::size_t c = 0; c < shape.channels; ++c)
        for (std::size_t p = 0; p < places; ++p) to[p * shape.channels + c] = from[c * places + p];
    }
    labels_[i] = examples.y.empty() ? 0.0F : examples.y[row];
  }
}

void Tile::forward(const StepWeights& weights) {
  for (std::size_t l = 0; l < network_.layers().size(); ++l)
    network_.layers()[l]->forward(bench(weights, l), values_[l], values_[l + 1]);
}

void Tile::score(std::span<Scored> out) {
  const std::size_t n = network_.outputs();
  for (std::size_t i = 0; i < rows_; ++i)
    out[i] = learn::score(network_.loss(), values_.back() + i * n, n, labels_[i],
                          slopes_.back() + i * n);
}

void Tile::backward(const StepWeights& weights) {
  for (std::size_t l = network_.layers().size(); l-- > lowest_ + 1;)
    network_.layers()[l]->backward(bench(weights, l), values_[l], values_[l + 1], slopes_[l + 1],
                                   slopes_[l]);
}

void Tile::norms(const StepWeights& weights, std::span<std::vector<double>> squared) {
  for (std::size_t part = 0; part < network_.parts().size(); ++part) {
    const std::size_t l = network_.parts()[part].layer;
    std::fill_n(squared[part].begin(), rows_, 0.0);
    network_.layers()[l]->norms(bench(weights, l), values_[l], slopes_[l + 1],
                                squared[part].data());
  }
}

void Tile::gradient(const StepWeights& weights, std::size_t part, const float* factors, float* g) {
  const std::size_t l = network_.parts()[part].layer;
  network_.layers()[l]->gradient(bench(weights, l), values_[l], slopes_[l + 1], factors, g);
}

void Tile::plain_gradient(const StepWeights& weights, std::size_t part, float* g) {
  const std::size_t l = network_.parts()[part].layer;
  network_.layers()[l]->plain_gradient(bench(weights, l), values_[l], slopes_[l + 1], g);
}

}  // namespace discreet::learn
