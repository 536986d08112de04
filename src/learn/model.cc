#include "discreet/learn/model.h"

#include <algorithm>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/learn/tile.h"
#include "discreet/learn/workers.h"

namespace discreet::learn {
namespace {

// Calls use(tile, first row) for all examples, in tiles, on all cores.
template <class Use>
Status run(const Model& model, const Examples& examples, const Use& use) {
  const Network network = TRY(make_network(model.network, model.shape, model.classes, {}));
  if (network.weights() != model.weights.size() || examples.shape.size() != network.in().size())
    return fail(Code::kFailure, "the model and the examples have different shapes");
  StepWeights weights(network);
  weights.set(model.weights);
  constexpr std::size_t kRows = 32;
  Workers workers;
  std::atomic<std::size_t> next = 0;
  workers.run([&](std::size_t) {
    Tile tile(network, kRows);
    std::vector<std::uint64_t> which;
    while (true) {
      const std::size_t begin = kRows * next++;
      if (begin >= examples.count) break;
      which.resize(std::min(kRows, examples.count - begin));
      std::iota(which.begin(), which.end(), begin);
      tile.load(examples, which);
      tile.forward(weights);
      use(tile, network, begin);
    }
  });
  return {};
}

}  // namespace

Result<std::vector<Scored>> score_all(const Model& model, const Examples& examples) {
  std::vector<Scored> out(examples.count);
  TRY(run(model, examples, [&](Tile& tile, const Network&, std::size_t begin) {
    tile.score(std::span(out).subspan(begin, tile.rows()));
  }));
  return out;
}

Result<std::vector<std::vector<double>>> predict_all(const Model& model, const Examples& examples) {
  std::vector<std::vector<double>> out(examples.count);
  const Column& label = model.encoding.label;
  TRY(run(model, examples, [&](Tile& tile, const Network& network, std::size_t begin) {
    const std::size_t n = network.outputs();
    for (std::size_t i = 0; i < tile.rows(); ++i) {
      auto& row = out[begin + i];
      row = prediction(network.loss(), tile.output() + i * n, n);
      if (model.classes == 0)  // from −1 … 1 to the label's own units
        row[0] = label.low + (row[0] + 1) / 2 * (label.high - label.low);
    }
  }));
  return out;
}

}  // namespace discreet::learn
