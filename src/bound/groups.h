// Group keys and their numbers. A key is a list of values, each a whole number, a real, a text or
// NULL, held as bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "discreet/bound/secret.h"

namespace discreet::bound {

// Bytes of a key: for each value a tag and its content. Reals are normalised: one zero, one NaN.
class KeyBytes {
 public:
  void clear() { bytes_.clear(); }
  void null() { bytes_.push_back('n'); }
  void whole(std::int64_t value) { raw('i', value); }
  void real(double value) {
    if (value == 0) value = 0;
    if (value != value) value = __builtin_nan("");
    raw('d', value);
  }
  void text(std::string_view value) {
    raw('s', static_cast<std::uint64_t>(value.size()));
    bytes_.append(value);
  }
  std::string_view view() const { return bytes_; }

 private:
  template <class T>
  void raw(char tag, T value) {
    char piece[1 + sizeof value];
    piece[0] = tag;
    std::memcpy(piece + 1, &value, sizeof value);
    bytes_.append(piece, sizeof piece);
  }
  std::string bytes_;
};

inline constexpr std::uint32_t kNoGroup = UINT32_MAX;

// All groups of a run, shared by its threads. A closed table knows its groups from the start, and
// no other.
class Groups {
 public:
  explicit Groups(const Secret& secret) : hash_(secret.words[3], secret.words[0]) {}

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
    hashes_.push_back(hash_(key));
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
  SipHash hash_;
  bool closed_ = false;
  std::deque<std::string> keys_;
  std::deque<std::uint64_t> hashes_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// One thread's memory of group numbers: open addressing, so that a row costs one probe.
class GroupCache {
 public:
  explicit GroupCache(Groups& groups) : groups_(groups), table_(256) {}

  // The same for a key of one whole number, or of one text of up to 16 bytes, held in three words.
  std::uint32_t whole(std::int64_t value) {
    return small({static_cast<std::uint64_t>(value), 0, kWholeTag},
                 [&](KeyBytes& key) { key.whole(value); });
  }
  std::uint32_t short_text(std::string_view text) {
    Small wanted{0, 0, text.size()};
    if (text.size() >= 8) {
      std::memcpy(&wanted.a, text.data(), 8);
      std::memcpy(&wanted.b, text.data() + text.size() - 8, 8);
    } else if (text.size() >= 4) {
      std::uint32_t low = 0, high = 0;
      std::memcpy(&low, text.data(), 4);
      std::memcpy(&high, text.data() + text.size() - 4, 4);
      wanted.a = low | static_cast<std::uint64_t>(high) << 32;
    } else {
      std::memcpy(&wanted.a, text.data(), text.size());
    }
    return small(wanted, [&](KeyBytes& key) { key.text(text); });
  }

  std::uint32_t number(std::string_view key) {
    const std::uint64_t hash = quick(key);
    for (std::size_t at = hash & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
      Entry& entry = table_[at];
      if (!entry.used) return learn(key, hash);
      if (entry.hash == hash && entry.key == key) return entry.number;
    }
  }

 private:
  static constexpr std::uint64_t kWholeTag = 100;
  struct Small {
    std::uint64_t a = 0, b = 0,
                  tag = 0;  // the tag of a text is its length, which makes the words unambiguous
    friend bool operator==(const Small&, const Small&) = default;
  };
  struct SmallEntry {
    Small key;
    std::uint32_t number = 0;
    bool used = false;
  };
  static std::size_t place_of(const Small& key) {
    const UnsignedWide product = static_cast<UnsignedWide>(key.a ^ 0x9E3779B97F4A7C15u) *
                                 (key.b + key.tag + 0xD6E8FEB86659FD93u);
    return static_cast<std::size_t>(product) ^ static_cast<std::size_t>(product >> 64);
  }
  template <class Write>
  std::uint32_t small(const Small& wanted, Write&& write) {
    for (std::size_t at = place_of(wanted) & (small_.size() - 1);;
         at = (at + 1) & (small_.size() - 1)) {
      SmallEntry& entry = small_[at];
      if (entry.used) {
        if (entry.key == wanted) return entry.number;
        continue;
      }
      KeyBytes bytes;
      write(bytes);
      const std::uint32_t found = groups_.number(bytes.view());
      if (small_used_ >= kMostRemembered) return found;
      entry = {wanted, found, true};
      if (++small_used_ * 2 > small_.size()) {
        std::vector<SmallEntry> old(small_.size() * 2);
        old.swap(small_);
        for (const SmallEntry& one : old) {
          if (!one.used) continue;
          std::size_t place = place_of(one.key) & (small_.size() - 1);
          while (small_[place].used) place = (place + 1) & (small_.size() - 1);
          small_[place] = one;
        }
      }
      return found;
    }
  }
  std::vector<SmallEntry> small_ = std::vector<SmallEntry>(256);
  std::size_t small_used_ = 0;

  struct Entry {
    bool used = false;
    std::uint32_t number = 0;
    std::uint64_t hash = 0;
    std::string key;
  };
  static std::uint64_t quick(std::string_view key) {
    std::uint64_t hash = key.size() * 0x9E3779B97F4A7C15u;
    const char* at = key.data();
    std::size_t left = key.size();
    const auto step = [&](std::uint64_t word) {
      const UnsignedWide product = static_cast<UnsignedWide>(hash ^ word) * 0xD6E8FEB86659FD93u;
      hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    for (; left >= 8; at += 8, left -= 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      step(word);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    step(word ^ (static_cast<std::uint64_t>(left) << 56));
    return hash ^ (hash >> 31);
  }
  std::uint32_t learn(std::string_view key, std::uint64_t hash) {
    const std::uint32_t number = groups_.number(key);
    if (++used_ * 2 > table_.size()) {
      std::vector<Entry> old(table_.size() * 2);
      old.swap(table_);
      for (Entry& entry : old)
        if (entry.used) place(std::move(entry));
    }
    if (used_ > kMostRemembered)
      return number;  // a closed table can be asked for any number of unknown keys
    place({true, number, hash, std::string(key)});
    return number;
  }
  void place(Entry entry) {
    std::size_t at = entry.hash & (table_.size() - 1);
    while (table_[at].used) at = (at + 1) & (table_.size() - 1);
    table_[at] = std::move(entry);
  }
  Groups& groups_;
  static constexpr std::size_t kMostRemembered = 4000000;
  std::vector<Entry> table_;
  std::size_t used_ = 0;
};

}  // namespace discreet::bound
