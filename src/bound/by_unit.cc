#include "discreet/bound/by_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace discreet::bound {

void ByUnit::make_room(std::span<const Chunk> chunks) {
  count_ = 0;
  for (const Chunk& chunk : chunks) count_ += chunk.records;
  if (count_ * layout_.stride <= room_) return;
  room_ = count_ * layout_.stride + count_ * layout_.stride / 4;
  records_ = std::make_unique_for_overwrite<std::uint64_t[]>(room_);
}

void ByUnit::take(std::span<const Chunk> chunks) {
  make_room(chunks);
  std::uint64_t* to = records_.get();
  for (const Chunk& chunk : chunks) {
    std::memcpy(to, chunk.words, chunk.records * layout_.stride * sizeof *to);
    to += chunk.records * layout_.stride;
  }
}

void ByUnit::put_back(std::span<const Chunk> chunks) const {
  const std::uint64_t* from = records_.get();
  for (const Chunk& chunk : chunks) {
    std::memcpy(chunk.words, from, chunk.records * layout_.stride * sizeof *from);
    from += chunk.records * layout_.stride;
  }
}

// Counts the rows of each bucket, of which there are about half as many as rows, and places them:
// most buckets have one unit or none. The others are put in order one by one.
void ByUnit::sort(std::span<const Chunk> chunks) {
  make_room(chunks);
  constexpr std::size_t kFewest = 16, kMost = std::size_t{1} << 20;
  const std::size_t buckets = std::bit_floor(std::clamp(count_ / 2, kFewest, kMost));
  bits_ = static_cast<unsigned>(std::bit_width(buckets)) - 1;
  ends_.assign(buckets, 0);
  for (const Chunk& chunk : chunks) {
    Record record = chunk.words;
    for (std::uint32_t i = 0; i < chunk.records; ++i, record += layout_.stride)
      ++ends_[bucket(record)];
  }
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends_) {
    const std::uint32_t size = end;
    end = begin;
    begin += size;
  }
  switch (layout_.stride) {
    case 2:
      place<2>(chunks);
      break;
    case 3:
      place<3>(chunks);
      break;
    case 4:
      place<4>(chunks);
      break;
    case 5:
      place<5>(chunks);
      break;
    default:
      place<0>(chunks);
  }
  begin = 0;
  for (const std::uint32_t end : ends_) {
    if (end - begin > 1) order(begin, end);
    begin = end;
  }
}

// kStride is the layout's, or 0 where it isn't worth a loop of its own.
template <std::size_t kStride>
void ByUnit::place(std::span<const Chunk> chunks) {
  const std::size_t stride = kStride > 0 ? kStride : layout_.stride;
  for (const Chunk& chunk : chunks) {
    Record record = chunk.words;
    for (std::uint32_t i = 0; i < chunk.records; ++i, record += stride) {
      std::uint64_t* to = records_.get() + ends_[bucket(record)]++ * stride;
      for (std::size_t word = 0; word < stride; ++word) to[word] = record[word];
    }
  }
}

// The rows of one bucket.
void ByUnit::order(std::size_t begin, std::size_t end) {
  const std::size_t stride = layout_.stride;
  std::uint64_t* const first = records_.get() + begin * stride;
  std::uint64_t* const last = records_.get() + end * stride;
  std::uint64_t* at = first + stride;
  while (at != last && same_unit(first, at)) at += stride;
  if (at == last) return;
  constexpr std::size_t kFew = 64;
  if (end - begin <= kFew) {
    // One unit after the other to the front.
    for (std::uint64_t* front = first; front != last;) {
      const Record unit = front;
      front += stride;
      for (at = front; at != last; at += stride) {
        if (!same_unit(unit, at)) continue;
        if (at != front) std::swap_ranges(at, at + stride, front);
        front += stride;
      }
    }
    return;
  }
  order_.clear();
  for (at = first; at != last; at += stride) order_.push_back(at);
  std::sort(order_.begin(), order_.end(), [this](Record a, Record b) {
    return a[0] != b[0] ? a[0] < b[0] : layout_.unit_words == 2 && a[1] < b[1];
  });
  moved_.clear();
  for (const Record record : order_) moved_.insert(moved_.end(), record, record + stride);
  std::copy(moved_.begin(), moved_.end(), first);
}

}  // namespace discreet::bound
