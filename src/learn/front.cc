#include "discreet/learn/front.h"

#include "discreet/base/try.h"

namespace discreet::learn {

Result<Examples> apply(const Front& front, Examples examples, const Watching& watching) {
  if (front.scattering) examples = TRY(scatter(std::move(examples), watching));
  if (front.projection) {
    if (examples.shape.size() != front.projection->width)
      return fail(Code::kFailure, "the model's projection is of other examples");
    examples = project(*front.projection, examples);
  }
  return examples;
}

}  // namespace discreet::learn
