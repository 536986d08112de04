// Sources of bits for tests only: nothing that is shipped can be told what to draw.
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/random/source.h"

namespace discreet::random::testing {

// Reproducible bits (SplitMix64): tests that draw samples are the same on every run.
class Seeded final : public Source {
 public:
  explicit Seeded(std::uint64_t seed) : state_(seed) {}
  Status fill(std::span<std::uint64_t> words) override;

 private:
  std::uint64_t state_;
};

// Hands out the given words first, then Seeded ones.
class Scripted final : public Source {
 public:
  explicit Scripted(std::vector<std::uint64_t> words, std::uint64_t seed = 1)
      : words_(std::move(words)), rest_(seed) {}
  Status fill(std::span<std::uint64_t> words) override;

 private:
  std::vector<std::uint64_t> words_;
  std::size_t at_ = 0;
  Seeded rest_;
};

// Counts the words that pass through.
class Counting final : public Source {
 public:
  explicit Counting(Source& inner) : inner_(inner) {}
  Status fill(std::span<std::uint64_t> words) override {
    count_ += words.size();
    return inner_.fill(words);
  }
  std::uint64_t count() const { return count_; }

 private:
  Source& inner_;
  std::uint64_t count_ = 0;
};

// Fails after so many words.
class Failing final : public Source {
 public:
  explicit Failing(std::uint64_t after) : left_(after) {}
  Status fill(std::span<std::uint64_t> words) override;

 private:
  std::uint64_t left_;
  Seeded rest_{7};
};

}  // namespace discreet::random::testing
