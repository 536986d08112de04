// How wrong a prediction is, and which way is down.
#pragma once

#include <string_view>
#include <vector>

#include "discreet/learn/examples.h"

namespace discreet::learn {

enum class Loss {
  kSoftmax,   // −ln p_y, p = softmax(z): a class of several
  kLogistic,  // ln(1 + e^−z) for class 1, ln(1 + e^z) for class 0
  kSquared,   // ½(z − y)²
};
std::string_view name_of(Loss loss);

// What a network must put out.
std::size_t outputs_of(Loss loss, std::size_t classes);
Loss loss_for(std::size_t classes);

struct Scored {
  double loss = 0;
  bool right = false;  // the class, where there is one
};

// Of one example with output z (n numbers); slope = ∂loss/∂z, unless it is null.
Scored score(Loss loss, const float* z, std::size_t n, float y, float* slope);

// What is predicted: the probability of each class, or the number.
std::vector<double> prediction(Loss loss, const float* z, std::size_t n);

}  // namespace discreet::learn
