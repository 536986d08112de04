// IDX files: the first byte says how many of the bytes are images, the rest are their labels.
#include "discreet/learn/idx.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using namespace learn;

void check(const Idx& idx) {
  std::uint64_t product = 1;
  for (const std::uint64_t size : idx.sizes) product *= size;
  require(!idx.sizes.empty() && idx.sizes.size() <= 4, "there are 1 to 4 sizes");
  require(idx.bytes.size() == product, "there are as many bytes as the sizes say");
}

// How far the corpus must get.
struct Reached {
  Waypoint labelled{"pictures with labels"}, alone{"pictures without labels"};
};
Reached& reached() {
  static Reached all;
  return all;
}

}  // namespace

void target(std::string_view bytes) {
  reached();
  if (bytes.empty()) return;
  const std::size_t cut =
      std::min<std::size_t>(static_cast<unsigned char>(bytes[0]), bytes.size() - 1);
  const auto images = parse_idx("images", bytes.substr(1, cut));
  const auto labels = parse_idx("labels", bytes.substr(1 + cut));
  for (const auto* one : {&images, &labels}) {
    if (*one)
      check(**one);
    else
      require_refusal(one->error(), {Code::kUsage});
  }
  if (images)
    require(looks_like_idx(bytes.substr(1, cut)), "what is read as such a file looks like one");
  if (!images) return;
  constexpr std::size_t kClasses = 3;
  const auto read = pictures("images", *images, labels ? &*labels : nullptr, kClasses);
  if (!read) return require_refusal(read.error(), {Code::kUsage});
  require(read->count <= images->sizes[0], "there are no more examples than pictures");
  require(read->x.size() == read->count * read->shape.size(), "each example has all its points");
  for (const float x : read->x) require(x >= 0 && x <= 1, "points are from 0 to 1");
  if (!labels) {
    require(read->y.empty(), "without labels there are none");
    return reached().alone.pass();
  }
  require(read->y.size() == read->count, "each example has a label");
  for (const float y : read->y)
    require(y >= 0 && y < float(kClasses), "labels are numbers of classes");
  if (read->count > 0) reached().labelled.pass();
}

}  // namespace discreet::fuzz
