// Models and checkpoints, whoever wrote them: the bytes without their digest, which is put behind
// them here, since nobody finds one by chance. The first byte says which of the two.
#include "discreet/base/digest.h"
#include "discreet/learn/checkpoint.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

// How far the corpus must get: past the digest, to what a reader does with what it has read.
struct Reached {
  Waypoint checkpoint{"a checkpoint that goes on"}, table{"a model of a table that predicts"},
      pictures{"a model of pictures that predicts"};
};
Reached& reached() {
  static Reached all;
  return all;
}

}  // namespace

void target(std::string_view bytes) {
  using namespace learn;
  reached();
  if (bytes.empty()) return;
  const bool checkpoint = bytes[0] == 'c';
  std::string whole(bytes.substr(1));
  whole += hex(sha256(whole));
  if (checkpoint) {
    const auto read = read_checkpoint("file", whole);
    if (!read) return require_refusal(read.error(), {Code::kFailure});
    require(read->checkpoint.begun <= read->checkpoint.steps, "no more is spent than was planned");
    const std::string again = write_checkpoint(read->checkpoint, read->boot);
    const auto back = read_checkpoint("file", again);
    require(back && write_checkpoint(back->checkpoint, back->boot) == again,
            "a checkpoint reads back as itself");
    reached().checkpoint.pass();
    return;
  }
  const auto model = read_model("file", whole);
  if (!model) return require_refusal(model.error(), {Code::kFailure});
  const std::string again = write_model(*model);
  const auto back = read_model("file", again);
  require(back && write_model(*back) == again, "a model reads back as itself");
  require(back->encoding.shape == model->encoding.shape && back->shape == model->shape,
          "shapes read back as they were");
  // What was read can be used.
  if (model->weights.size() > 2000 || model->shape.size() > 1000) return;
  const Examples none{
      .shape = model->shape, .count = 1, .x = std::vector<float>(model->shape.size())};
  const auto said = predict_all(*model, none);
  require(said && (*said)[0].size() == std::max<std::size_t>(model->classes, 1),
          "a model that was read predicts");
  (model->encoding.features.empty() ? reached().pictures : reached().table).pass();
}

}  // namespace discreet::fuzz
