#include "discreet/bound/chunks.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace discreet::bound {
namespace {

constexpr std::size_t kBlock = std::size_t{2} << 20, kChunkWords = 512;

}  // namespace

Chunks::Chunks(std::size_t record_words, std::size_t most)
    : chunk_words_(std::max(kChunkWords, record_words)), capacity_(chunk_words_ / record_words) {
  most_ = most / (8 * chunk_words_);
}

Chunks::~Chunks() { free_all(); }

std::uint64_t* Chunks::take() {
  taken_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    std::uint64_t* chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  if (fresh_left_ == 0) {
    const std::size_t size = (8 * chunk_words_ + kBlock - 1) / kBlock * kBlock;
    if (used_ == blocks_.size()) {
      void* block = std::aligned_alloc(kBlock, size);
      if (!block) throw std::bad_alloc();
      madvise(block, size, MADV_HUGEPAGE);  // only a wish
      blocks_.push_back(block);
    }
    fresh_ = static_cast<std::uint64_t*>(blocks_[used_++]);
    fresh_left_ = size / (8 * chunk_words_);
  }
  std::uint64_t* chunk = fresh_;
  fresh_ += chunk_words_;
  --fresh_left_;
  return chunk;
}

void Chunks::give_back(std::uint64_t* chunk) {
  taken_.fetch_sub(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  free_.push_back(chunk);
}

void Chunks::free_all() {
  take_back_all();
  for (void* block : blocks_) std::free(block);
  blocks_.clear();
}

void Chunks::take_back_all() {
  free_.clear();
  used_ = fresh_left_ = 0;
  taken_ = 0;
}

}  // namespace discreet::bound
