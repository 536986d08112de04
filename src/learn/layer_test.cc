// Every layer: its gradient by finite differences, its ghost norms against the gradients
// themselves, its clipped sums against a plain sum over examples.
#include "discreet/learn/layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "discreet/learn/initial.h"
#include "discreet/learn/row_check.h"
#include "discreet/learn/sensitivity.h"
#include "discreet/learn/testing/plain.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

using testing::Case;
using testing::draw;
using testing::every_layer;
using testing::loss_of;
using testing::own_gradient;

struct Made {
  Network network;
  Examples examples;
  std::vector<float> weights;
};

Made make(const Case& of, std::size_t count, std::uint64_t seed) {
  random::testing::Seeded source(seed);
  auto network = make_network(of.name, of.shape, of.classes, {.activation = "tanh"});
  EXPECT_TRUE(network.has_value()) << (network ? "" : network.error().text());
  Made out{*std::move(network), draw(of, count, source), {}};
  out.weights.resize(out.network.weights());
  EXPECT_TRUE(out.network.initialise(source, out.weights));
  // Biases and norms away from where they begin, so that every term counts.
  std::vector<float> moves(out.weights.size());
  EXPECT_TRUE(fill_initial(source, 600, moves));
  for (std::size_t i = 0; i < moves.size(); ++i) out.weights[i] += moves[i];
  return out;
}

double norm_of(std::span<const float> g) {
  double sum = 0;
  for (const float v : g) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

// The slope of the loss by the weights of one part, by central differences along directions that
// are half the gradient's own and half random, against what `gradient` says; in units of the
// gradient's norm. Kinks of ReLU and pooling are met by chance: a direction that crosses one is
// off, so the middle of several is compared.
double difference(const Made& made, std::size_t row, const Network::Part& part,
                  std::span<const float> gradient) {
  random::testing::Seeded source(99);
  const double length = norm_of(gradient);
  std::vector<double> off;
  for (int direction = 0; direction < 9; ++direction) {
    std::vector<float> v(part.size);
    EXPECT_TRUE(fill_initial(source, 6, v));
    const double random = norm_of(v);
    double along = 0;
    for (std::size_t i = 0; i < part.size; ++i) {
      v[i] = static_cast<float>(static_cast<double>(gradient[i]) / length +
                                static_cast<double>(v[i]) / random);
      along += static_cast<double>(v[i]) * static_cast<double>(gradient[i]);
    }
    constexpr float kStep = 2e-3F;
    auto moved = made.weights;
    for (std::size_t i = 0; i < part.size; ++i) moved[part.begin + i] += kStep * v[i];
    const double up = loss_of(made.network, moved, made.examples, row);
    moved = made.weights;
    for (std::size_t i = 0; i < part.size; ++i) moved[part.begin + i] -= kStep * v[i];
    const double down = loss_of(made.network, moved, made.examples, row);
    off.push_back(std::abs((up - down) / (2 * static_cast<double>(kStep)) - along) / length);
  }
  std::sort(off.begin(), off.end());
  return off[4];
}

TEST(Layer, GradientsAreThoseOfTheLoss) {
  for (const Case& of : every_layer()) {
    const Made made = make(of, 6, 1);
    std::vector<int> looked(made.network.parts().size());
    for (std::size_t row = 0; row < 6; ++row) {
      const auto gradient = own_gradient(made.network, made.weights, made.examples, row);
      for (std::size_t p = 0; p < made.network.parts().size(); ++p) {
        const auto& part = made.network.parts()[p];
        const auto own = std::span(gradient).subspan(part.begin, part.size);
        if (norm_of(own) < 0.02) continue;  // floats of the loss don't tell
        ++looked[p];
        EXPECT_LT(difference(made, row, part, own), 3e-2) << of.name << " part " << p;
        // The twin: a gradient that is a tenth too long in one layer is noticed.
        std::vector<float> wrong(own.begin(), own.end());
        for (float& v : wrong) v *= 1.1F;
        EXPECT_GT(difference(made, row, part, wrong), 3e-2) << of.name << " part " << p;
      }
    }
    for (const int times : looked) EXPECT_GE(times, 3) << of.name;
  }
}

void run(const Made& made, const StepWeights& step, Tile& tile,
         std::vector<std::vector<double>>& norms) {
  std::vector<std::uint64_t> which(made.examples.count);
  std::iota(which.begin(), which.end(), std::uint64_t{0});
  std::vector<Scored> scored(which.size());
  tile.load(made.examples, which);
  tile.forward(step);
  tile.score(scored);
  tile.backward(step);
  norms.assign(made.network.parts().size(), std::vector<double>(which.size()));
  tile.norms(step, norms);
}

// Upper bounds, and not much above.
TEST(Layer, GhostNormsAreThoseOfTheGradients) {
  for (const Case& of : every_layer()) {
    const Made made = make(of, 13, 2);
    StepWeights step(made.network);
    step.set(made.weights);
    Tile tile(made.network, 13);
    std::vector<std::vector<double>> norms;
    run(made, step, tile, norms);
    for (std::size_t row = 0; row < 13; ++row) {
      const auto gradient = own_gradient(made.network, made.weights, made.examples, row);
      for (std::size_t p = 0; p < norms.size(); ++p) {
        const auto& part = made.network.parts()[p];
        const double exact = norm_of(std::span(gradient).subspan(part.begin, part.size));
        const double ghost = std::sqrt(norms[p][row]) * (1 + 0x1p-20);
        EXPECT_GE(ghost * (1 + 1e-6), exact) << of.name << " part " << p;
        EXPECT_LE(ghost, exact * 1.001 + 1e-4) << of.name << " part " << p;
      }
    }
  }
}

// A convolution's two ways to its norm agree, and the one by pairs stays above the other.
TEST(Layer, NormsByPairsAndBySum) {
  const Shape in{.channels = 3, .height = 7, .width = 6};
  for (const Window window : {Window{3, 1, 1}, Window{2, 2, 0}, Window{5, 1, 2}}) {
    const auto sum = *make_convolution(in, 10, window, NormBy::kSum);
    const auto pairs = *make_convolution(in, 10, window, NormBy::kPairs);
    random::testing::Seeded source(3);
    std::vector<float> w(sum->weights()), x(5 * in.size()), d(5 * sum->out().size());
    ASSERT_TRUE(sum->initialise(source, w));
    ASSERT_TRUE(fill_initial(source, 6, x));
    ASSERT_TRUE(fill_initial(source, 6, d));
    std::vector<double> by_sum(5), by_pairs(5);
    std::vector<std::vector<float>> results;
    for (const auto& [layer, norms] : {std::pair(&sum, &by_sum), std::pair(&pairs, &by_pairs)}) {
      std::vector<float> prepared((*layer)->prepared()), scratch((*layer)->scratch(5)),
          y(5 * sum->out().size()), g(w.size());
      (*layer)->prepare(w.data(), prepared.data());
      const Bench bench{w.data(), prepared.data(), scratch.data(), 5};
      (*layer)->forward(bench, x.data(), y.data());
      (*layer)->norms(bench, x.data(), d.data(), norms->data());
      const std::vector<float> factors = {1, 0.5F, 0, 0.25F, 1};
      auto slopes = d;
      (*layer)->gradient(bench, x.data(), slopes.data(), factors.data(), g.data());
      results.push_back(g);
    }
    EXPECT_EQ(results[0], results[1]);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_GE(by_pairs[i] * (1 + 1e-12), by_sum[i]);
      EXPECT_LE(by_pairs[i], by_sum[i] * 1.001);
    }
  }
}

// One row of these numbers, clipped to C: how long what is added up is.
double clipped_length(const Layer& layer, float x, float d, double clip) {
  std::vector<float> w(layer.weights()), prepared(layer.prepared()), scratch(layer.scratch(1));
  std::vector<float> in(layer.in().size(), x), slopes(layer.out().size(), d),
      out(layer.out().size()), g(layer.weights());
  layer.prepare(w.data(), prepared.data());
  const Bench bench{w.data(), prepared.data(), scratch.data(), 1};
  layer.forward(bench, in.data(), out.data());
  std::vector<double> squared(1);
  layer.norms(bench, in.data(), slopes.data(), squared.data());
  const float factor = clip_factor(squared[0], clip);
  layer.gradient(bench, in.data(), slopes.data(), &factor, g.data());
  return norm_of(g);
}

// Of any size that floats have, also where they underflow on the way: nobody is above C, and
// nothing isn't a number.
TEST(Layer, NumbersOfAnySizeAreClipped) {
  const Shape in{.channels = 2, .height = 4, .width = 4};
  std::vector<LayerPointer> layers;
  layers.push_back(make_linear(in, 5));
  layers.push_back(*make_convolution(in, 3, {1, 1, 0}, NormBy::kSum));
  layers.push_back(*make_convolution(in, 3, {1, 1, 0}, NormBy::kPairs));
  std::size_t clipped = 0;
  for (const LayerPointer& layer : layers)
    for (int a = -44; a <= 38; a += 2)
      for (int b = -44; b <= 38; b += 1)
        for (const double clip : {1e-12, 1e-5, 1e-3, 1.0, 1e12}) {
          const auto x = static_cast<float>(std::pow(10.0, a));
          const auto d = static_cast<float>(3 * std::pow(10.0, b));
          const double length = clipped_length(*layer, x, d, clip);
          ASSERT_LE(length, clip * (1 + 1e-6) + 0x1p-80)
              << layer->describe() << " 1e" << a << " 3e" << b << " " << clip;
          clipped += length > 0.9 * clip ? 1 : 0;
        }
  EXPECT_GT(clipped, 5000U);  // most of what is long is clipped, not taken out
}

// Σ c_i g_i over a tile against the sum of examples taken one by one, within the bound that the
// sensitivity counts on. Without clipping, or with factors of the neighbour's, the sum is
// elsewhere.
TEST(Layer, ClippedSumsAreThoseOfExamplesOneByOne) {
  for (const Case& of : every_layer()) {
    constexpr std::size_t kRows = 29;
    const Made made = make(of, kRows, 4);
    StepWeights step(made.network);
    step.set(made.weights);
    Tile tile(made.network, kRows);
    std::vector<std::vector<double>> norms;
    run(made, step, tile, norms);
    std::vector<double> all(kRows);
    for (const auto& part : norms)
      for (std::size_t i = 0; i < kRows; ++i) all[i] += part[i];
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    const double clip = std::sqrt(sorted[kRows / 3]);  // two thirds are clipped
    std::vector<float> factors(kRows);
    std::size_t clipped = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      factors[i] = clip_factor(all[i], clip);
      clipped += factors[i] < 1 ? 1 : 0;
    }
    ASSERT_GT(clipped, kRows / 3);

    const std::size_t weights = made.network.weights();
    std::vector<double> exact(weights), unclipped(weights);
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto own = own_gradient(made.network, made.weights, made.examples, i);
      double length = 0;
      for (std::size_t j = 0; j < weights; ++j) {
        const double v = static_cast<double>(own[j]) * static_cast<double>(factors[i]);
        length += v * v;
        exact[j] += v;
        unclipped[j] += static_cast<double>(own[j]);
      }
      EXPECT_LE(std::sqrt(length), clip * (1 + 1e-12)) << of.name;  // nobody is above C
    }
    std::vector<float> g(weights);
    for (std::size_t p = 0; p < norms.size(); ++p)
      tile.gradient(step, p, factors.data(), g.data() + made.network.parts()[p].begin);
    double off = 0, far = 0;
    for (std::size_t j = 0; j < weights; ++j) {
      off += std::pow(static_cast<double>(g[j]) - exact[j], 2);
      far += std::pow(static_cast<double>(g[j]) - unclipped[j], 2);
    }
    const double nu = (kRows + 4) * 0x1p-24;
    // The reference is itself a float for each example: a little room for that.
    EXPECT_LE(std::sqrt(off), nu / (1 - nu) * kRows * clip) << of.name;
    EXPECT_GT(std::sqrt(far), 10 * nu * kRows * clip) << of.name;
  }
}

TEST(Layer, RowsAreTheirOwn) {
  for (const Case& of : every_layer()) {
    const Made made = make(of, 2, 5);
    StepWeights step(made.network);
    step.set(made.weights);
    random::testing::Seeded source(6);
    EXPECT_TRUE(check_rows(made.network, step, 29, of.classes, source)) << of.name;
  }
}

// The twin: a layer that mixes examples a little (subtracts the mean of its rows, as batch
// normalisation does) is found out before training.
class Mixing final : public Layer {
 public:
  explicit Mixing(Shape in) : Layer(in, in) {}
  std::string describe() const override { return "mixing"; }
  void forward(const Bench& bench, const float* x, float* y) const override {
    const std::size_t n = in().size();
    for (std::size_t j = 0; j < n; ++j) {
      float mean = 0;
      for (std::size_t i = 0; i < bench.rows; ++i) mean += x[i * n + j];
      mean /= static_cast<float>(bench.rows);
      for (std::size_t i = 0; i < bench.rows; ++i) y[i * n + j] = x[i * n + j] - mean;
    }
  }
  void backward(const Bench& bench, const float* /*x*/, const float* /*y*/, const float* d,
                float* dx) const override {
    std::copy_n(d, bench.rows * in().size(), dx);
  }
};

TEST(Layer, MixingExamplesIsFoundOut) {
  const Shape shape{.width = 6};
  std::vector<LayerPointer> layers;
  layers.push_back(make_linear(shape, 5));
  layers.push_back(std::make_unique<Mixing>(Shape{.channels = 5}));
  layers.push_back(make_linear(Shape{.channels = 5}, 3));
  const Network network("twin", shape, std::move(layers), Loss::kSoftmax);
  random::testing::Seeded source(7);
  std::vector<float> weights(network.weights());
  ASSERT_TRUE(network.initialise(source, weights));
  StepWeights step(network);
  step.set(weights);
  EXPECT_FALSE(check_rows(network, step, 16, 3, source));
}

// Infinities and NaN in an example: it is taken out, and the others' sum is as if it weren't there.
TEST(Layer, WhatIsNotFiniteCountsAsNothing) {
  for (const Case& of : every_layer()) {
    for (const float bad : {INFINITY, -INFINITY, NAN, 3e38F}) {
      Made made = make(of, 7, 8);
      Made without = make(of, 7, 8);
      // The first example is strange in one, and absent (a factor of 0) in the other.
      for (std::size_t j = 0; j < of.shape.size(); ++j) made.examples.x[j] = bad;
      std::vector<std::vector<float>> sums;
      for (Made* each : {&made, &without}) {
        StepWeights step(each->network);
        step.set(each->weights);
        Tile tile(each->network, 7);
        std::vector<std::vector<double>> norms;
        run(*each, step, tile, norms);
        std::vector<float> factors(7), g(each->network.weights());
        for (std::size_t i = 0; i < 7; ++i) {
          double all = 0;
          for (const auto& part : norms) all += part[i];
          factors[i] = clip_factor(all, 1e3);
        }
        if (each == &made) {
          // Names of entries that there aren't are finite all the same; what overflows isn't.
          const bool names = of.name.find("embed") != std::string::npos;
          // A ReLU before any weights makes an ordinary 0 of −∞.
          const bool cut = bad < 0 && of.name.find("-relu-conv") != std::string::npos &&
                           of.name.find("conv") == of.name.find("-relu-conv") + 6;
          if (!std::isfinite(bad) && !names && !cut) {
            EXPECT_EQ(factors[0], 0.0F) << of.name << " " << bad;
          }
          EXPECT_TRUE(std::isfinite(factors[0]));
          // By itself it is no longer than C.
          std::vector<float> only(7), alone(each->network.weights());
          only[0] = factors[0];
          Tile own(each->network, 7);
          std::vector<std::vector<double>> ignored;
          run(*each, step, own, ignored);
          for (std::size_t p = 0; p < norms.size(); ++p)
            own.gradient(step, p, only.data(), alone.data() + each->network.parts()[p].begin);
          EXPECT_LE(norm_of(alone), 1e3 * (1 + 1e-6)) << of.name << " " << bad;
        }
        factors[0] = 0;
        for (std::size_t p = 0; p < norms.size(); ++p)
          tile.gradient(step, p, factors.data(), g.data() + each->network.parts()[p].begin);
        sums.push_back(g);
      }
      EXPECT_EQ(sums[0], sums[1]) << of.name << " " << bad;
    }
  }
}

}  // namespace
}  // namespace discreet::learn
