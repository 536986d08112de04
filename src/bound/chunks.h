// Memory for records: chunks of some kilobytes out of large blocks, with a limit.
//
// Blocks are two megabytes, aligned, so that the kernel can back them with large pages: a hundred
// times fewer page faults. A chunk that comes back is given out again; blocks go back to the system
// with the last of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace discreet::bound {

struct Chunk {
  std::uint64_t* words = nullptr;
  std::uint32_t records = 0;
};

class Chunks {
 public:
  // `most`: bytes. A chunk holds at least one record of `record_words`.
  Chunks(std::size_t record_words, std::size_t most);
  ~Chunks();
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;

  std::size_t capacity() const { return capacity_; }  // in records
  // Throws std::bad_alloc where the system has no more; the limit is for the caller to ask about.
  std::uint64_t* take();
  void give_back(std::uint64_t* chunk);
  bool within_limit() const { return taken() <= most_; }
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }
  std::size_t most() const { return most_; }
  // All chunks at once; none may be in use any more. Freed, or to be taken again: the system would
  // have to clear new ones.
  void free_all();
  void take_back_all();

 private:
  std::size_t chunk_words_, capacity_, most_;
  std::atomic<std::size_t> taken_{0};  // chunks in use
  std::mutex mutex_;
  std::vector<void*> blocks_;
  std::size_t used_ = 0;  // blocks that chunks were taken of
  std::vector<std::uint64_t*> free_;
  std::uint64_t* fresh_ = nullptr;
  std::size_t fresh_left_ = 0;  // chunks left in the newest block
};

}  // namespace discreet::bound
