// IDX files, as MNIST and its kin are published: a few sizes and then bytes.
//
//   const std::string bytes, others;  // what the files hold
//   auto images = parse_idx("train-images-idx3-ubyte", bytes);   // sizes {60000, 28, 28}
//   auto labels = parse_idx("train-labels-idx1-ubyte", others);  // sizes {60000}
//   Examples examples = *pictures("train-images-idx3-ubyte", *images, &*labels, 10);
//
// The format: two bytes 0, a byte for the type of a number, a byte for how many sizes there are,
// the sizes as 32-bit numbers with the highest byte first, then the numbers, and nothing behind
// them. Only bytes (type 8) are read. What is wrong with a file is decided by its header and its
// length alone: no picture can make it fail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/learn/examples.h"

namespace discreet::learn {

struct Idx {
  std::vector<std::uint64_t> sizes;  // 1 to 4 of them
  std::string_view bytes;            // as many as their product; they stay the caller's
};

// Does it begin as such a file does? Other files of rows begin with text.
bool looks_like_idx(std::string_view bytes);

// `name` is for messages.
Result<Idx> parse_idx(const std::string& name, std::string_view bytes);

// Pictures (count × height × width, or × channels × height × width) as examples, points divided by
// 255. The labels (count) are numbers of classes; a picture whose label isn't below `classes` is
// left out. Without labels y stays empty.
Result<Examples> pictures(const std::string& name, const Idx& images, const Idx* labels,
                          std::size_t classes);

// Where the labels of images are looked for: "images" and "idx3" in the file's name become "labels"
// and "idx1". Empty where the name has no "images".
std::string labels_beside(const std::string& images);

}  // namespace discreet::learn
