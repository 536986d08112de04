// What the hashes of a slot stand for: texts that nobody has listed, so that the one which is
// released can be told. Shared by all threads of a run; kept by content, so it doesn't matter who
// came first.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace discreet::bound {

class Words {
 public:
  void learn(std::int64_t hash, std::string_view text) {
    Shelf& shelf = shelves_[static_cast<std::uint64_t>(hash) % kShelves];
    const std::lock_guard lock(shelf.mutex);
    shelf.texts.try_emplace(hash, text);
  }
  // All of them; nobody learns any more.
  std::unordered_map<std::int64_t, std::string> all() const {
    std::unordered_map<std::int64_t, std::string> out;
    for (const Shelf& shelf : shelves_) out.insert(shelf.texts.begin(), shelf.texts.end());
    return out;
  }

 private:
  static constexpr std::size_t kShelves = 16;
  struct Shelf {
    std::mutex mutex;
    std::unordered_map<std::int64_t, std::string> texts;
  };
  std::array<Shelf, kShelves> shelves_;
};

// One thread's memory of what it has said already, so that the shelves are asked once a word.
class Learner {
 public:
  void learn(Words& words, std::int64_t hash, std::string_view text) {
    if (known_.size() < kMost ? known_.insert(hash).second : !known_.contains(hash))
      words.learn(hash, text);
  }

 private:
  static constexpr std::size_t kMost = 1'000'000;
  std::unordered_set<std::int64_t> known_;
};

}  // namespace discreet::bound
