// Populations of units with known numbers of rows, and histograms of them as a survey releases
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "discreet/bound/scale.h"
#include "discreet/plan/profile.h"

namespace discreet::plan::testing {

struct Population {
  std::string name;
  std::vector<double> rows;  // of each unit; or a value of each
};

inline double uniform(std::mt19937_64& draw) { return static_cast<double>(draw() >> 11) * 0x1p-53; }

inline double normal(std::mt19937_64& draw) {
  return std::sqrt(-2 * std::log(1 - uniform(draw))) * std::cos(2 * M_PI * uniform(draw));
}

inline std::vector<Population> populations(std::size_t units, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<Population> out = {
      {"one row", {}}, {"constant", {}}, {"uniform", {}}, {"lognormal", {}}, {"Zipf", {}}};
  for (std::size_t i = 0; i < units; ++i) {
    out[0].rows.push_back(1);
    out[1].rows.push_back(20);
    out[2].rows.push_back(1 + std::floor(50 * uniform(draw)));
    out[3].rows.push_back(std::ceil(std::exp(1.5 + normal(draw))));
    // P(rows ≥ n) = 1/n², cut where one unit in a million is.
    out[4].rows.push_back(std::floor(std::min(1000.0, 1 / std::sqrt(1 - uniform(draw)))));
  }
  return out;
}

// Laplace noise of scale 1/ε on whole numbers: the difference of two geometric variables.
inline std::int64_t noise(double epsilon, std::mt19937_64& draw) {
  const auto geometric = [&] {
    return static_cast<std::int64_t>(std::floor(-std::log(1 - uniform(draw)) / epsilon));
  };
  return geometric() - geometric();
}

inline Histogram count_histogram(const std::vector<double>& rows, const Rational& epsilon,
                                 std::mt19937_64& draw) {
  Histogram out{"rows", 0, std::vector<std::int64_t>(bound::kCountBins), epsilon};
  for (const double one : rows) ++out.bins[bound::count_bin(static_cast<std::uint64_t>(one))];
  for (std::int64_t& bin : out.bins) bin += noise(to_double(epsilon), draw);
  return out;
}

inline Histogram value_histogram(const std::vector<double>& values, const Rational& epsilon,
                                 int smallest, std::mt19937_64& draw) {
  const bound::ValueScale scale(smallest);
  Histogram out{"values", smallest, std::vector<std::int64_t>(scale.bins()), epsilon};
  for (const double one : values) ++out.bins[static_cast<std::size_t>(scale.bin(one))];
  for (std::int64_t& bin : out.bins) bin += noise(to_double(epsilon), draw);
  return out;
}

}  // namespace discreet::plan::testing
