// A growing array of 64-bit words. Like std::vector, but it grows by realloc: for large blocks the
// kernel moves pages instead of copying them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace discreet::bound {

class Words {
 public:
  Words() = default;
  ~Words() { std::free(data_); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<std::uint64_t> span() { return {data_, size_}; }
  void append(const std::uint64_t* from, std::size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    std::memcpy(data_ + size_, from, count * sizeof *from);
    size_ += count;
  }
  void replace(std::span<const std::uint64_t> with) {
    size_ = 0;
    if (!with.empty()) append(with.data(), with.size());
  }
  void free() {
    std::free(std::exchange(data_, nullptr));
    size_ = capacity_ = 0;
  }

 private:
  void grow(std::size_t least) {
    const std::size_t wanted = std::max(least, std::max<std::size_t>(1024, 2 * capacity_));
    void* larger = std::realloc(data_, wanted * sizeof *data_);
    if (!larger) throw std::bad_alloc();
    data_ = static_cast<std::uint64_t*>(larger);
    capacity_ = wanted;
  }
  std::uint64_t* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace discreet::bound
