// From a collector's state to frequencies.
//
//   #include "discreet/local/flat.h"
//   auto flat = *Flat::create({.epsilon = 1, .domain = 4});
//   State state(*flat);
//   state.counters = {40, 30, 20, 10};
//   state.users = 100;
//   Estimate estimate = *estimate_frequencies(*flat, state, {.method = Method::kSimplex});
//
// - inversion: f = (C/n − q)/(p − q), unbiased; may be negative. It is (Cᵀ)⁻¹q of deck 003.
// - clip: negatives to 0, then divided by the sum.
// - simplex: the nearest distribution in Euclid's distance.
// - ibu: the iterative Bayesian update, that is EM, from a start of full support (ibu.h).
// - mle: the distribution under which the reports are most likely: by a formula where a report
// names
//   one value (mle.h), else by the update with a tolerance of 1e-12.
//
// Error bars tell how far an estimate may be from the frequencies among those who reported, not
// among a population that they may stand for. No reports are an error.
#pragma once

#include <functional>

#include "discreet/local/state.h"

namespace discreet::local {

enum class Method { kInversion, kClip, kSimplex, kIbu, kMle };
Result<Method> read_method(std::string_view name);
std::string_view name_of(Method method);

struct EstimateOptions {
  Method method = Method::kInversion;
  // Of the iterative ones: stops where ℓ is surely within this of its maximum (likelihood.h), in
  // nats a report, or after so many rounds.
  double tolerance = 1e-9;
  std::size_t rounds = 10'000;
  // A distribution; uniform where it is empty. A zero would stay zero for ever: a start that has
  // one is mixed with a thousandth of the uniform distribution, and the estimate says so.
  std::vector<double> start = {};
  bool accelerate = true;
  bool smooth = false;  // EMS: after each round each value gives a quarter to each side
  // Called after each round with what is still missing; false stops.
  std::function<bool(std::size_t round, double gap)> progress = {};
};

// A round of more additions is worth counting: there mle goes as near as ibu does.
inline constexpr double kManySteps = 1e7;

enum class Stopped {
  kDirect,     // no rounds were needed
  kTolerance,  // ℓ is within the tolerance of its maximum
  kChange,     // of smoothed rounds, whose end isn't the maximum: ℓ changes by less than that
  kRounds,     // the limit of rounds was reached before
  kAsked,      // progress said so
};
std::string_view name_of(Stopped stopped);

// Where error bars come from.
enum class Bars {
  kInversion,    // the variance of the inversion, which doesn't know that nothing is negative
  kInformation,  // how sharply the likelihood bends (information.h)
  kFixedPoint,   // how the end of smoothed rounds moves with the reports (numeric_shape.h)
};
std::string_view name_of(Bars bars);

inline constexpr double kFalseValues = 0.01, kFalseAlarms = 1e-6;

struct Estimate {
  std::vector<double> distribution;
  std::vector<double> stderr_ = {};  // of each, one standard error; infinite: nothing is known
  Bars bars = Bars::kInversion;
  std::uint64_t users = 0;
  std::size_t iterations = 0;  // steps taken or tried, each with a gradient where it leads
  Stopped stopped = Stopped::kDirect;
  std::optional<double> log_likelihood = {};  // ℓ·n, in nats
  std::optional<double> gap = {};             // the maximum is at most so much above, a report
  bool start_smoothed = false;                // the start had zeros
  // From this estimate on a value is somebody's: in kFalseValues of all collections at most one
  // that nobody holds gets there. Of inversion, clip and simplex, where it is known.
  std::optional<double> threshold = {};
  // Chance doesn't make such reports of this protocol (kFalseAlarms), whatever people hold.
  bool implausible = false;
};

Result<Estimate> estimate_frequencies(const FrequencyProtocol& protocol, const State& state,
                                      const EstimateOptions& options);

}  // namespace discreet::local
