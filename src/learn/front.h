// What is done to examples before a network sees them, once: part of the model, so that new
// examples get the same. A function of each example by itself.
#pragma once

#include <optional>

#include "discreet/learn/examples.h"
#include "discreet/learn/pca.h"
#include "discreet/learn/scattering.h"

namespace discreet::learn {

struct Front {
  bool scattering = false;
  std::optional<Projection> projection = {};
};

Result<Examples> apply(const Front& front, Examples examples, const Watching& watching);

}  // namespace discreet::learn
