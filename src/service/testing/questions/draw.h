// Reproducible choices: the same seed draws the same world and the same questions.
//
//   Draw draw(7);
//   std::string word = draw.from<std::string>({"one", "two"});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "discreet/random/testing/sources.h"

namespace discreet::service::testing::questions {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : source_(seed) {}

  std::size_t below(std::size_t count) {
    std::uint64_t word = 0;
    (void)source_.fill({&word, 1});
    return static_cast<std::size_t>(word % count);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class T>
  T from(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  std::string word(const std::vector<std::string>& words) { return from(words); }

 private:
  random::testing::Seeded source_;
};

}  // namespace discreet::service::testing::questions
