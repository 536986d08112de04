// A model: what was learnt, how to use it, and what it cost. Nothing else of the rows is in it.
//
//   std::string bytes;  // what stands in the file
//   Examples examples;
//   Model model = *read_model("digits.model", bytes);
//   Examples ready = *apply(model.front, std::move(examples), {});
//   std::vector<Scored> scores = *score_all(model, ready);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discreet/learn/encoding.h"
#include "discreet/learn/front.h"
#include "discreet/learn/loss.h"
#include "discreet/learn/network.h"

namespace discreet::learn {

// What was promised, as it was promised.
struct Promise {
  double epsilon = 0;
  Rational delta;
  std::vector<std::string> events = {};  // expressions of what was spent
  std::string relation = "add-remove";   // of one example
  std::uint64_t examples = 0;            // N, which is public
  std::uint64_t steps = 0;
};

struct Model {
  std::string network;      // as make_network reads it
  std::size_t classes = 0;  // 0: a number
  Shape shape = {};         // of what the network takes, behind the front
  Encoding encoding = {};
  Front front = {};
  std::vector<float> weights = {};
  Promise promise = {};
};

// A line of JSON, then numbers as they stand in memory, then a digest of it all.
std::string write_model(const Model& model);
// The bytes may be anybody's: every size is checked before it is used. `name` is for messages.
Result<Model> read_model(const std::string& name, std::string_view bytes);
// The same of a model that was written without weights, since they are elsewhere (a checkpoint's).
Result<Model> read_outline(const std::string& name, std::string_view bytes);

// What the network says, example by example: the losses, or the predictions (probabilities of the
// classes; a number in the label's own units).
Result<std::vector<Scored>> score_all(const Model& model, const Examples& examples);
Result<std::vector<std::vector<double>>> predict_all(const Model& model, const Examples& examples);

}  // namespace discreet::learn
