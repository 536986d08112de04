// The numbers of group keys (key.h) in a run.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "discreet/bound/key.h"
#include "discreet/bound/priority.h"
#include "discreet/bound/secret.h"

namespace discreet::bound {

inline constexpr std::uint32_t kNoGroup = UINT32_MAX;

// All groups of a run, shared by its threads. A closed table knows its groups from the start, and
// no other.
class Groups {
 public:
  explicit Groups(const Secret& secret)
      : secret_(secret), hash_(secret.words[3], secret.words[0]) {}

  void close() { closed_ = true; }
  bool closed() const { return closed_; }
  // The number of this key; kNoGroup where the table is closed and doesn't know it, or is full.
  std::uint32_t number(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) return found->second;
    if (closed_ || keys_.size() >= kNoGroup - 1) return kNoGroup;
    const auto number = static_cast<std::uint32_t>(keys_.size());
    keys_.emplace_back(key);
    hashes_.push_back(Priority::key(secret_, hash_, key));
    numbers_.emplace(keys_.back(), number);
    return number;
  }
  std::size_t size() const { return keys_.size(); }
  const std::string& key(std::uint32_t number) const { return keys_[number]; }
  // By the key's content, not by its number: numbers depend on who came first.
  std::uint64_t hash(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    return hashes_[number];
  }
  std::vector<std::uint64_t> hashes() {
    const std::lock_guard lock(mutex_);
    return {hashes_.begin(), hashes_.end()};
  }

 private:
  std::mutex mutex_;
  const Secret secret_;
  SipHash hash_;
  bool closed_ = false;
  std::deque<std::string> keys_;
  std::deque<std::uint64_t> hashes_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace discreet::bound
