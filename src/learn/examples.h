// What a model learns from: numbers for each example, and what is to be predicted. Private, like
// the rows it comes from.
//
//   Examples two{.shape = {.width = 3}, .count = 2, .x = {0, 1, 0, 1, 0, 0}, .y = {1, 0},
//                .classes = 2};
//   std::span<const float> second = two.row(1);  // 1, 0, 0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace discreet::learn {

// Of one example: an image, channel by channel, or a plain row of `width` numbers.
struct Shape {
  std::size_t channels = 1, height = 1, width = 1;
  std::size_t size() const { return channels * height * width; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Examples {
  Shape shape = {};
  std::size_t count = 0;
  std::vector<float> x = {};  // count × shape.size(), one example after the other; of an image
                              // channel by channel, each row by row
  std::vector<float> y = {};  // count: the number of a class, or a number (scaled to -1 … 1)
  std::size_t classes = 0;    // 0: y is a number

  std::span<const float> row(std::size_t i) const {
    return std::span(x).subspan(i * shape.size(), shape.size());
  }
};

}  // namespace discreet::learn
