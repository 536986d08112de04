// Scattering features of small pictures: what a linear model needs to beat a private network that
// learns its features itself (Tramèr and Boneh, "Differentially Private Learning Needs Better
// Features", ICLR 2021). The transform is fixed, so it costs no privacy; a picture's features are a
// function of that picture alone.
//
//   auto scattering = *Scattering::create({1, 28, 28});
//   Shape features = scattering.shape();   // 81 × 7 × 7
//   std::vector<float> pictures(2 * 28 * 28), out(2 * 81 * 7 * 7);
//   scattering.transform(pictures, out);
//
// Two orders, scales 2^0 and 2^1, eight angles (Bruna and Mallat 2013; Oyallon and Mallat 2015):
//   S0 = x ∗ φ,   S1[j, θ] = |x ∗ ψ_{j,θ}| ∗ φ,   S2[θ, θ'] = ||x ∗ ψ_{0,θ}| ∗ ψ_{1,θ'}| ∗ φ,
// each sampled at every fourth point: 1 + 16 + 64 pictures of a sixteenth the size. φ is the
// Gaussian of σ = 1.6; ψ_{j,θ} Morlet's wavelet of σ = 0.8·2^j, frequency ξ = 3π/4·2^-j along θ,
// half as wide across, with as much of the Gaussian taken away that its sum is 0. The picture is
// mirrored by four points at its edges, and the square that results is taken as a period.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "discreet/base/error.h"
#include "discreet/learn/examples.h"
#include "discreet/learn/fourier.h"

namespace discreet::learn {

class Scattering {
 public:
  static constexpr std::size_t kAngles = 8, kChannels = 1 + 2 * kAngles + kAngles * kAngles;

  // Square pictures whose side is a multiple of 4, from 8 to 128, of 1 to 64 channels: each channel
  // is scattered by itself.
  static Result<Scattering> create(const Shape& picture);

  const Shape& picture() const { return picture_; }
  // Channels × 81, a quarter of the side.
  Shape shape() const;

  // Row-major pictures one after another to as many rows of features. The spans must fit.
  void transform(std::span<const float> pictures, std::span<float> features) const;

 private:
  explicit Scattering(const Shape& picture);
  struct Work;
  void some(const float* pictures, float* features, std::size_t count, Work& work) const;

  Shape picture_;
  std::size_t side_, half_;  // of the mirrored square, and of the same at half the resolution
  Fourier whole_, halved_;
  // Real spectra of the wavelets, by scale and angle; divided by the number of samples.
  std::vector<std::vector<float>> wavelets_;
  std::vector<float> smooth_whole_, smooth_half_;  // φ as matrices, outputs × samples of a line
};

// Groups of 3 of the 81 channels, as Tramèr and Boneh found best.
inline constexpr std::size_t kFeatureGroups = 27;

struct Watching {
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // may be empty
  const std::atomic<bool>* stop = nullptr;                               // set: stop
  unsigned threads = 0;                                                  // 0: one for each core
};
// The same examples with features in place of pictures, each example's channels normalised in this
// many groups (below). The pictures are freed.
Result<Examples> scatter(Examples examples, const Watching& watching,
                         std::size_t groups = kFeatureGroups);

// Group normalisation of one example (Wu and He 2018) without weights: its channels in groups of as
// many neighbours, of each the mean taken away and what is left divided by √(variance + 10^-5). A
// function of this example alone, so it costs nothing; `groups` divides the number of channels. It
// evens out orders and scales, without which a clipped gradient is mostly that of the lowest order.
void normalise_groups(std::span<float> features, std::size_t groups);

}  // namespace discreet::learn
