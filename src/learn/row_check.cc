#include "discreet/learn/row_check.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/learn/initial.h"
#include "discreet/random/uniform.h"

namespace discreet::learn {
namespace {

// Everything that a tile says about each of its rows.
void read_rows(const Network& network, Tile& tile, const std::vector<std::vector<double>>& norms,
               std::span<const Scored> scored, std::span<const std::uint64_t> which,
               std::vector<std::vector<float>>& out) {
  for (std::size_t i = 0; i < tile.rows(); ++i) {
    std::vector<float> row;
    for (std::size_t l = 0; l < network.layers().size(); ++l) {
      const std::size_t n = network.layers()[l]->out().size();
      row.insert(row.end(), tile.value(l) + i * n, tile.value(l) + (i + 1) * n);
      if (l >= network.parts().front().layer)
        row.insert(row.end(), tile.slope(l) + i * n, tile.slope(l) + (i + 1) * n);
    }
    for (const auto& part : norms) {
      float halves[2];
      std::memcpy(halves, &part[i], sizeof halves);
      row.insert(row.end(), halves, halves + 2);
    }
    float loss[2];
    std::memcpy(loss, &scored[i].loss, sizeof loss);
    row.insert(row.end(), {loss[0], loss[1], scored[i].right ? 1.0F : 0.0F});
    out[static_cast<std::size_t>(which[i])] = std::move(row);
  }
}

}  // namespace

Status check_rows(const Network& network, const StepWeights& weights, std::size_t tile_rows,
                  std::size_t classes, random::Source& source) {
  Examples made{.shape = network.in(), .count = tile_rows, .classes = classes};
  made.x.resize(tile_rows * network.in().size());
  TRY(fill_initial(source, 6, made.x));  // −1 … 1
  if (network.layers()[0]->describe().starts_with("embed"))
    for (std::size_t i = 0; i < made.x.size(); ++i) made.x[i] = static_cast<float>(i % 5);
  for (std::size_t i = 0; i < tile_rows; ++i)
    made.y.push_back(static_cast<float>(classes == 0 ? i % 2 : i % classes));

  Tile tile(network, tile_rows);
  std::vector<Scored> scored(tile_rows);
  std::vector<std::vector<double>> norms(network.parts().size(), std::vector<double>(tile_rows));
  std::vector<std::uint64_t> order(tile_rows);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::vector<std::vector<float>> first(tile_rows), other(tile_rows);
  for (const std::size_t most : {tile_rows, tile_rows, (tile_rows + 1) / 2, std::size_t{3}}) {
    for (std::size_t begin = 0; begin < tile_rows; begin += most) {
      const auto which = std::span(order).subspan(begin, std::min(most, tile_rows - begin));
      tile.load(made, which);
      tile.forward(weights);
      tile.score(scored);
      tile.backward(weights);
      tile.norms(weights, norms);
      read_rows(network, tile, norms, scored, which, other);
    }
    if (first[0].empty()) {
      first = other;
    } else {
      for (std::size_t i = 0; i < tile_rows; ++i)
        if (first[i].size() != other[i].size() ||
            std::memcmp(first[i].data(), other[i].data(), first[i].size() * sizeof(float)) != 0)
          return fail(Code::kFailure,
                      "on this machine an example's numbers depend on the examples beside it, so "
                      "that no clipping bounds what one person changes; nothing was trained");
    }
    TRY(random::shuffle(source, std::span(order)));
  }
  return {};
}

}  // namespace discreet::learn
