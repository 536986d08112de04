#include "discreet/cli/learn_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/durable_file.h"
#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"

namespace discreet::cli {

Result<learn::Model> open_model(const std::string& path) {
  const auto bytes = TRY(read_file(path));
  if (!bytes)
    return bad_parameter("model", fmt::format("there is no file {}; accepted is a model that "
                                              "`discreet learn sgd` wrote",
                                              quote(path)));
  return learn::read_model(path, *bytes);
}

Result<learn::Examples> examples_for(const learn::Model& model, const std::string& parameter,
                                     const std::string& file, const std::string& labels,
                                     bool labelled) {
  auto rows = TRY(read_examples(parameter, file, labels, model.encoding, labelled));
  auto ready =
      TRY(learn::apply(model.front, std::move(rows), {.progress = {}, .stop = &Interrupt::flag()}));
  if (ready.shape.size() != model.shape.size())
    return fail(Code::kFailure, "the model's features are of other examples");
  return ready;
}

Status check_finite(const learn::Model& model) {
  if (std::ranges::all_of(model.weights, [](float w) { return std::isfinite(w); })) return {};
  return fail(Code::kFailure,
              "the training diverged: weights aren't finite, and no model was written; what was "
              "spent stays spent",
              advise("learning-rate", "a smaller one"));
}

Result<Evaluated> evaluate(const learn::Model& model, const learn::Examples& examples) {
  Evaluated out{.examples = examples.count};
  std::uint64_t right = 0;
  for (const learn::Scored& scored : TRY(learn::score_all(model, examples))) {
    out.loss += scored.loss;
    right += scored.right ? 1 : 0;
  }
  const auto n = static_cast<double>(std::max<std::uint64_t>(out.examples, 1));
  out.loss /= n;
  out.accuracy = static_cast<double>(right) / n;
  // The loss is ½(z − y)² on −1 … 1, half of the label's range a unit.
  out.rmse = std::sqrt(2 * out.loss) * (model.encoding.label.high - model.encoding.label.low) / 2;
  return out;
}

}  // namespace discreet::cli
