#include "discreet/learn/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/learn/row_check.h"
#include "discreet/learn/sensitivity.h"
#include "discreet/random/gaussian.h"
#include "discreet/random/uniform.h"

namespace discreet::learn {
namespace {

// The loss over its bound and whether it was right, each less a half: what one example changes has
// norm √½ at most, and is rounded to this grid by itself.
constexpr double kReportStep = 0x1p-24;
constexpr std::size_t kReported = 2;
double report_sensitivity() { return (std::sqrt(0.5) / kReportStep + 2) * (1 + 0x1p-40); }

// Small enough for the second cache of a core, where a layer keeps much for each row.
constexpr std::size_t kTileBytes = std::size_t{3} << 20;

class Sgd final : public Trainer {
 public:
  Sgd(const Network& network, const Examples& examples, Regime& regime,
      const TrainerOptions& options, Workers& workers, std::size_t tile_rows)
      : network_(network),
        examples_(examples),
        regime_(regime),
        options_(options),
        workers_(workers),
        tile_rows_(tile_rows),
        optimiser_(options.optimiser, network.weights()),
        weights_(network.weights()),
        gradient_(network.weights()),
        step_weights_(network) {
    for (std::size_t w = 0; w < workers.size(); ++w) places_.emplace_back(network, tile_rows);
  }

  Status begin() {
    TRY(network_.initialise(random::thread_generator(), weights_));
    step_weights_.set(weights_);
    return check_rows(network_, step_weights_, tile_rows_, examples_.classes,
                      random::thread_generator());
  }

  Result<StepReport> step() override {
    random::Source& source = random::thread_generator();
    const double clip = options_.clip.at(done_, options_.steps);
    std::vector<std::uint64_t> lot = TRY(regime_.lot(done_, examples_.count, source));
    TRY(random::shuffle(source, std::span(lot)));
    // First of all: it refuses bounds whose grid floats don't reach.
    const std::vector<NoisyPart> parts =
        TRY(noisy_parts(network_, options_, regime_.sigma(done_), clip, tile_rows_));
    add_up(lot, clip);
    std::ranges::fill(lot, 0);
    if (stopped()) return fail(Code::kInterrupted, "interrupted");
    std::vector<std::int64_t>& sum = places_[0].sum;
    for (std::size_t w = 1; w < places_.size(); ++w)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += places_[w].sum[i];
    TRY(regime_.add_noise(done_, parts, sum));

    // Released from here on.
    const double mean = 1 / regime_.expected_lot();
    for (std::size_t p = 0; p < network_.parts().size(); ++p) {
      const Network::Part& part = network_.parts()[p];
      const auto scale = static_cast<float>(grid_step(layer_clip(p, clip)) * mean);
      for (std::size_t i = part.begin; i < part.begin + part.size; ++i)
        gradient_[i] = static_cast<float>(sum[i]) * scale;
    }
    StepReport report{.step = done_};
    const double bound = loss_bound(network_.loss(), examples_.classes);
    const double unit = kReportStep * mean;
    const std::size_t at = network_.weights();
    report.loss = bound * (0.5 + static_cast<double>(sum[at]) * unit);
    report.accuracy = 0.5 + static_cast<double>(sum[at + 1]) * unit;
    report.accuracy_deviation = report_deviation(parts.back(), regime_.expected_lot());
    report.loss_deviation = bound * report.accuracy_deviation;
    optimiser_.step(done_, options_.steps, options_.rate.at(done_, options_.steps), gradient_,
                    weights_);
    step_weights_.set(weights_);
    ++done_;
    return report;
  }

  std::uint64_t done() const override { return done_; }
  std::span<const float> weights() const override { return weights_; }
  std::span<const float> result() const override { return optimiser_.result(weights_); }

  std::size_t bytes() const override {
    std::size_t total =
        (weights_.size() + gradient_.size() + optimiser_.state().size()) * sizeof(float) +
        step_weights_.bytes();
    for (const Place& place : places_) total += place.bytes();
    return total;
  }

  std::vector<float> state() const override {
    std::vector<float> out = weights_;
    const std::vector<float> rest = optimiser_.state();
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
  bool restore(std::uint64_t done, std::span<const float> state) override {
    if (state.size() < weights_.size() || !optimiser_.restore(state.subspan(weights_.size())))
      return false;
    std::copy_n(state.begin(), weights_.size(), weights_.begin());
    step_weights_.set(weights_);
    done_ = done;
    return true;
  }

 private:
  // What a worker works with.
  struct Place {
    Place(const Network& network, std::size_t rows)
        : tile(network, rows),
          scored(rows),
          norms(network.parts().size(), std::vector<double>(rows)),
          factors(network.parts().size(), std::vector<float>(rows)),
          gradient(largest_part(network)),
          sum(network.weights() + kReported) {}
    static std::size_t largest_part(const Network& network) {
      std::size_t most = 0;
      for (const Network::Part& part : network.parts()) most = std::max(most, part.size);
      return most;
    }
    std::size_t bytes() const {
      return tile.bytes() + gradient.size() * sizeof(float) + sum.size() * sizeof(std::int64_t);
    }

    Tile tile;
    std::vector<Scored> scored;
    std::vector<std::vector<double>> norms;
    std::vector<std::vector<float>> factors;
    std::vector<float> gradient;
    std::vector<std::int64_t> sum;
  };

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  double layer_clip(std::size_t part, double clip) const {
    return options_.layers.empty() ? clip : options_.layers[part].clip * clip;
  }

  void add_up(std::span<const std::uint64_t> lot, double clip) {
    const std::size_t rows = even_rows(lot.size(), tile_rows_, workers_.size());
    std::atomic<std::size_t> next = 0;
    workers_.run([&](std::size_t worker) {
      Place& place = places_[worker];
      bool first = true;  // a worker's first tile needs no zeros to be added to
      while (!stopped()) {
        const std::size_t begin = rows * next++;
        if (begin >= lot.size()) break;
        add_tile(place, lot.subspan(begin, std::min(rows, lot.size() - begin)), clip, first);
        first = false;
      }
      if (first) std::ranges::fill(place.sum, 0);
    });
  }

  void add_tile(Place& place, std::span<const std::uint64_t> which, double clip, bool first) {
    Tile& tile = place.tile;
    tile.load(examples_, which);
    tile.forward(step_weights_);
    tile.score(place.scored);
    tile.backward(step_weights_);
    tile.norms(step_weights_, place.norms);
    choose_factors(place, clip);
    for (std::size_t p = 0; p < network_.parts().size(); ++p) {
      const Network::Part& part = network_.parts()[p];
      tile.gradient(step_weights_, p, place.factors[p].data(), place.gradient.data());
      kernels().round_add(place.gradient.data(), part.size,
                          static_cast<float>(1 / grid_step(layer_clip(p, clip))),
                          place.sum.data() + part.begin, !first);
    }
    if (first) std::fill_n(place.sum.end() - kReported, kReported, 0);
    add_report(place);
  }

  void choose_factors(Place& place, double clip) const {
    const std::size_t parts = network_.parts().size();
    for (std::size_t i = 0; i < place.tile.rows(); ++i) {
      double all = 0;
      for (std::size_t p = 0; p < parts; ++p) all += place.norms[p][i];
      // An example that isn't finite in one layer is taken out of all.
      const float whole = clip_factor(all, clip);
      for (std::size_t p = 0; p < parts; ++p)
        place.factors[p][i] = whole == 0 || options_.layers.empty()
                                  ? whole
                                  : clip_factor(place.norms[p][i], layer_clip(p, clip));
    }
  }

  void add_report(Place& place) const {
    const double bound = loss_bound(network_.loss(), examples_.classes);
    std::int64_t loss = 0, right = 0;
    for (std::size_t i = 0; i < place.tile.rows(); ++i) {
      const Scored& scored = place.scored[i];
      const double share = scored.loss >= 0 ? std::min(scored.loss / bound, 1.0) : 1.0;  // NaN: 1
      loss += std::llround((share - 0.5) / kReportStep);
      right += std::llround((scored.right ? 0.5 : -0.5) / kReportStep);
    }
    place.sum[network_.weights()] += loss;
    place.sum[network_.weights() + 1] += right;
  }

  const Network& network_;
  const Examples& examples_;
  Regime& regime_;
  TrainerOptions options_;
  Workers& workers_;
  std::size_t tile_rows_;
  std::uint64_t done_ = 0;
  Optimiser optimiser_;
  std::vector<float> weights_, gradient_;
  StepWeights step_weights_;
  std::vector<Place> places_;
};

Status check_layers(const Network& network, const TrainerOptions& options) {
  if (options.layers.empty() || options.layers.size() == network.parts().size()) return {};
  return bad_parameter("layer-clips", fmt::format("found {} bounds; accepted is one for each of "
                                                  "the {} layers that have weights",
                                                  options.layers.size(), network.parts().size()));
}

Status check_clip(double clip) {
  if (is_clip(clip)) return {};
  return bad_parameter("clip", fmt::format("found a bound of {:.3g} (a layer's own: times C); "
                                           "accepted are {:g} to {:g}",
                                           clip, kLeastClip, kMostClip));
}

Status check(const Network& network, const Examples& examples, const TrainerOptions& options) {
  if (examples.shape.size() != network.in().size() ||
      examples.x.size() != examples.count * examples.shape.size() ||
      examples.y.size() != examples.count)
    return fail(Code::kFailure, "examples and network have different shapes");
  return check_layers(network, options);
}

}  // namespace

double loss_bound(Loss loss, std::size_t classes) {
  if (loss == Loss::kSquared) return 2;  // of numbers in −1 … 1, at opposite ends
  return 2 * std::log(static_cast<double>(std::max<std::size_t>(classes, 2)));
}

// Of the noise, and of which examples were drawn: each is a half away from the middle at most.
double report_deviation(const NoisyPart& report, double expected_lot) {
  return std::hypot(to_double(report.multiplier) * report.sensitivity * kReportStep / expected_lot,
                    0.5 / std::sqrt(expected_lot));
}

Result<std::vector<NoisyPart>> noisy_parts(const Network& network, const TrainerOptions& options,
                                           const Rational& sigma, double clip,
                                           std::size_t tile_rows) {
  // σ_j = σ/√share, rounded up, so that Σ σ_j^-2 ≤ σ^-2 (which the regime checks exactly).
  const double report = to_double(options.report_share);
  const double up = to_double(sigma, Rounding::kUp) * (1 + 0x1p-40);
  const auto multiplier = [&](double share) { return exactly(up / std::sqrt(share)); };
  std::vector<NoisyPart> out;
  if (options.layers.empty()) {
    TRY(check_clip(clip));
    out.push_back({0, network.weights(),
                   grid_sensitivity(clip, tile_rows, network.weights(), grid_step(clip)),
                   TRY(multiplier(1 - report))});
  } else {
    double all = 0;
    for (const LayerClip& layer : options.layers) all += layer.precision;
    for (std::size_t p = 0; p < network.parts().size(); ++p) {
      const Network::Part& part = network.parts()[p];
      const double own = options.layers[p].clip * clip;
      TRY(check_clip(own));
      out.push_back({part.begin, part.begin + part.size,
                     grid_sensitivity(own, tile_rows, part.size, grid_step(own)),
                     TRY(multiplier((1 - report) * options.layers[p].precision / all))});
    }
  }
  out.push_back({network.weights(), network.weights() + kReported, report_sensitivity(),
                 TRY(multiplier(report))});
  return out;
}

Status check_training(const Network& network, const TrainerOptions& options,
                      const std::vector<Schedule::Piece>& sigma) {
  TRY(check_layers(network, options));
  const auto [least, most] = options.clip.ends();
  for (const double clip : {least, most})
    for (const Schedule::Piece& piece : sigma)
      for (const NoisyPart& part :
           TRY(noisy_parts(network, options, piece.value, clip, kMostTileRows)))
        if (!random::RoundedGaussian::create(TRY(exactly(part.sensitivity)) * part.multiplier))
          return bad_parameter(
              options.layers.empty() ? "noise" : "layer-noise",
              fmt::format("found noise of {:.4g} times what one example changes in a part of the "
                          "sum; accepted are numbers that whole ones of 2^40 hold, about 60000",
                          to_double(part.multiplier)));
  return {};
}

Result<std::unique_ptr<Trainer>> Trainer::create(const Network& network, const Examples& examples,
                                                 Regime& regime, const TrainerOptions& options,
                                                 Workers& workers) {
  TRY(check(network, examples, options));
  std::size_t rows = std::clamp<std::size_t>(options.batch / workers.size(), 1, kMostTileRows);
  const std::size_t a_row = Tile(network, 1).bytes();
  rows = std::clamp<std::size_t>(kTileBytes / a_row, std::min<std::size_t>(rows, 8), rows);
  auto out = std::make_unique<Sgd>(network, examples, regime, options, workers, rows);
  TRY(out->begin());
  return std::unique_ptr<Trainer>(std::move(out));
}

}  // namespace discreet::learn
