// What is known, privately, of how much units contribute and how large values are: histograms of
// units on doubling scales (bound/scale.h), each released with noise. Each has a key, the text of
// what it is a histogram of; by that text later questions find it again at no cost.
//
//   Profile profile;
//   profile.add({"ROWS OF (visits)", 0, {0, 812, 95, 3, -2}, Rational(1, 20)});
//   const Histogram* rows = profile.find("ROWS OF (visits)");
//   double scale = rows->noise();  // 20: of the Laplace noise in every bin
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/base/number.h"

namespace discreet::plan {

struct Histogram {
  std::string key;
  int smallest = 0;  // of values: the exponent that their scale starts from
  std::vector<std::int64_t> bins;
  Rational epsilon;  // that each bin's noise was drawn with: Laplace of scale 1/ε

  double noise() const { return 1 / to_double(epsilon); }
  friend bool operator==(const Histogram&, const Histogram&) = default;
};

class Profile {
 public:
  void add(Histogram histogram) { histograms_.push_back(std::move(histogram)); }
  void add(const Profile& other) {
    histograms_.insert(histograms_.end(), other.histograms_.begin(), other.histograms_.end());
  }
  const Histogram* find(std::string_view key) const;  // the latest; null if there is none
  const std::vector<Histogram>& histograms() const { return histograms_; }
  bool empty() const { return histograms_.empty(); }

  std::string json() const;
  static Result<Profile> read(const std::string& json);

 private:
  std::vector<Histogram> histograms_;
};

}  // namespace discreet::plan
