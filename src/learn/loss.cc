#include "discreet/learn/loss.h"

#include <algorithm>
#include <cmath>

namespace discreet::learn {
namespace {

// p = e^(z − max) / Σ; the largest is the first of equals.
std::size_t softmax(const float* z, std::size_t n, double* p) {
  const auto best = static_cast<std::size_t>(std::max_element(z, z + n) - z);
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j)
    sum += p[j] = std::exp(static_cast<double>(z[j]) - static_cast<double>(z[best]));
  for (std::size_t j = 0; j < n; ++j) p[j] /= sum;
  return best;
}

// ln(1 + e^z) without overflow.
double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

}  // namespace

std::string_view name_of(Loss loss) {
  switch (loss) {
    case Loss::kSoftmax:
      return "softmax";
    case Loss::kLogistic:
      return "logistic";
    case Loss::kSquared:
      return "squared";
  }
  return "";
}

std::size_t outputs_of(Loss loss, std::size_t classes) {
  return loss == Loss::kSoftmax ? classes : 1;
}

Loss loss_for(std::size_t classes) {
  if (classes == 0) return Loss::kSquared;
  return classes == 2 ? Loss::kLogistic : Loss::kSoftmax;
}

Scored score(Loss loss, const float* z, std::size_t n, float y, float* slope) {
  switch (loss) {
    case Loss::kSoftmax: {
      constexpr std::size_t kFew = 64;
      double few[kFew];
      std::vector<double> many(n > kFew ? n : 0);
      double* p = n > kFew ? many.data() : few;
      const std::size_t best = softmax(z, n, p);
      const auto label = std::min(static_cast<std::size_t>(std::max(y, 0.0F)), n - 1);
      if (slope != nullptr)
        for (std::size_t j = 0; j < n; ++j)
          slope[j] = static_cast<float>(j == label ? p[j] - 1 : p[j]);
      // Where p underflows its logarithm is the distance from the best, near enough.
      return {p[label] > 1e-300 ? -std::log(p[label])
                                : static_cast<double>(z[best]) - static_cast<double>(z[label]),
              best == label};
    }
    case Loss::kLogistic: {
      const auto value = static_cast<double>(z[0]);
      const bool one = y > 0.5F;
      if (slope != nullptr)
        *slope = static_cast<float>(1 / (1 + std::exp(-value)) - (one ? 1.0 : 0.0));
      return {softplus(one ? -value : value), (value > 0) == one};
    }
    case Loss::kSquared: {
      const double off = static_cast<double>(z[0]) - static_cast<double>(y);
      if (slope != nullptr) *slope = static_cast<float>(off);
      return {off * off / 2, false};
    }
  }
  return {};
}

std::vector<double> prediction(Loss loss, const float* z, std::size_t n) {
  std::vector<double> out(n);
  switch (loss) {
    case Loss::kSoftmax:
      softmax(z, n, out.data());
      break;
    case Loss::kLogistic: {
      const double one = 1 / (1 + std::exp(-static_cast<double>(z[0])));
      out = {1 - one, one};
      break;
    }
    case Loss::kSquared:
      out = {static_cast<double>(z[0])};
      break;
  }
  return out;
}

}  // namespace discreet::learn
