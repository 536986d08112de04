#include "discreet/learn/testing/plain.h"

#include <algorithm>
#include <atomic>

#include "discreet/learn/initial.h"

namespace discreet::learn::testing {

std::vector<float> own_gradient(const Network& network, std::span<const float> weights,
                                const Examples& examples, std::size_t row) {
  StepWeights step(network);
  step.set(weights);
  Tile tile(network, 1);
  Scored scored;
  const std::uint64_t which = row;
  tile.load(examples, {&which, 1});
  tile.forward(step);
  tile.score({&scored, 1});
  tile.backward(step);
  std::vector<std::vector<double>> norms(network.parts().size(), std::vector<double>(1));
  tile.norms(step, norms);
  std::vector<float> out(network.weights());
  const float one = 1;
  for (std::size_t p = 0; p < network.parts().size(); ++p)
    tile.gradient(step, p, &one, out.data() + network.parts()[p].begin);
  return out;
}

double loss_of(const Network& network, std::span<const float> weights, const Examples& examples,
               std::size_t row) {
  StepWeights step(network);
  step.set(weights);
  Tile tile(network, 1);
  Scored scored;
  const std::uint64_t which = row;
  tile.load(examples, {&which, 1});
  tile.forward(step);
  tile.score({&scored, 1});
  return scored.loss;
}

PlainTrainer::PlainTrainer(const Network& network, const Examples& examples, std::size_t batch,
                           double rate, Workers& workers)
    : network_(network),
      examples_(examples),
      rate_(rate),
      workers_(workers),
      rows_(std::max<std::size_t>(1, batch / workers.size())),
      weights_(network.weights()),
      ones_(rows_, 1.0F),
      step_weights_(network) {
  if (!network.initialise(random::thread_generator(), weights_)) return;
  step_weights_.set(weights_);
  for (std::size_t w = 0; w < workers.size(); ++w) places_.emplace_back(network, rows_);
}

void PlainTrainer::step(std::span<const std::uint64_t> batch) {
  std::atomic<std::size_t> next = 0;
  const std::size_t rows = even_rows(batch.size(), rows_, workers_.size());
  workers_.run([&](std::size_t worker) {
    Place& place = places_[worker];
    std::ranges::fill(place.sum, 0.0F);
    while (true) {
      const std::size_t begin = rows * next++;
      if (begin >= batch.size()) break;
      place.tile.load(examples_, batch.subspan(begin, std::min(rows, batch.size() - begin)));
      place.tile.forward(step_weights_);
      place.tile.score(place.scored);
      place.tile.backward(step_weights_);
      for (std::size_t p = 0; p < network_.parts().size(); ++p) {
        const Network::Part& part = network_.parts()[p];
        place.tile.plain_gradient(step_weights_, p, place.gradient.data() + part.begin);
      }
      kernels().add_scaled(1, place.gradient.data(), place.sum.data(), place.sum.size());
    }
  });
  std::vector<float>& sum = places_[0].sum;
  for (std::size_t w = 1; w < places_.size(); ++w)
    kernels().add_scaled(1, places_[w].sum.data(), sum.data(), sum.size());
  kernels().add_scaled(static_cast<float>(-rate_ / static_cast<double>(batch.size())), sum.data(),
                       weights_.data(), weights_.size());
  step_weights_.set(weights_);
}

std::size_t PlainTrainer::bytes() const {
  std::size_t total = weights_.size() * sizeof(float) + step_weights_.bytes();
  for (const Place& place : places_)
    total += place.tile.bytes() + 2 * place.sum.size() * sizeof(float);
  return total;
}

std::vector<Case> every_layer() {
  return {
      {"logistic", {.width = 7}, 3},
      {"logistic", {.width = 7}, 2},
      {"linear", {.width = 7}, 0},
      {"mlp:17,9", {.width = 21}, 4},
      {"layers:linear:19-tanh-linear:5-tempered:1.5:3:0.5", {.width = 11}, 3},
      {"cnn", {.height = 28, .width = 28}, 10},
      {"layers:conv:5:3:1:1-relu-conv:6:3:2:1-tanh", {.channels = 2, .height = 9, .width = 7}, 3},
      {"layers:conv:16:3:2:0-relu-avgpool:2:1", {.channels = 3, .height = 8, .width = 8}, 2},
      {"layers:maxpool:2:2-relu-conv:4:2:1:0", {.channels = 2, .height = 9, .width = 8}, 3},
      {"layers:conv:8:3:1:1-groupnorm:4-relu", {.channels = 1, .height = 6, .width = 6}, 3},
      {"layers:linear:12-layernorm-tanh", {.width = 8}, 3},
      {"layers:embed:6:4-linear:7-relu", {.width = 5}, 3},
      // More weights than places: norms by pairs of positions.
      {"layers:conv:24:3:1:1-relu-conv:96:3:2:0-relu", {.channels = 4, .height = 6, .width = 6}, 3},
  };
}

Examples draw(const Case& of, std::size_t count, random::Source& source) {
  Examples out{.shape = of.shape, .count = count, .classes = of.classes};
  out.x.resize(count * of.shape.size());
  (void)fill_initial(source, 3, out.x);
  std::vector<float> labels(count);
  (void)fill_initial(source, 6, labels);
  for (float label : labels)
    out.y.push_back(of.classes == 0 ? label
                                    : static_cast<float>(static_cast<int>(
                                          (label + 1) / 2 * static_cast<float>(of.classes))));
  if (of.name.find("embed") != std::string::npos)  // 0 … 5, often twice; 6 names nothing
    for (float& x : out.x) x = static_cast<float>(static_cast<int>((x + 1.5F) * 2.3F));
  return out;
}

}  // namespace discreet::learn::testing
