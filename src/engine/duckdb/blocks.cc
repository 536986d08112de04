#include "discreet/engine/duckdb/blocks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace discreet::engine::duckdb {

char* Block::grow(std::size_t capacity) {
  if (capacity > capacity_) {
    // Not initialised: a megabyte of zeros a block is time that nobody needs.
    std::unique_ptr<char[]> larger(new char[capacity + kPadding]);
    std::copy_n(buffer_.get(), size_, larger.get());
    std::fill_n(larger.get() + capacity, kPadding, '\0');
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  return buffer_.get();
}

bool PlacedFile::open(const std::string& path) {
  close();
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return is_open();
}

void PlacedFile::close() {
  if (is_open()) ::close(file_);
  file_ = -1;
}

bool PlacedFile::read(std::uint64_t at, char* into, std::size_t size, std::size_t& got) const {
  got = 0;
  while (got < size) {
    const ssize_t more = ::pread(file_, into + got, size - got, static_cast<off_t>(at + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return false;
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  return true;
}

Blocks::Blocks(std::vector<std::string> files, const Cut& cut, Reading* reading)
    : cut_(cut), files_(std::move(files)), reading_(reading) {}

bool Blocks::stopped() {
  if (reading_ && reading_->stop.load()) failed_ = true;
  return failed_;
}

std::size_t Blocks::load(std::uint64_t at, Block& into, std::size_t size) {
  std::size_t got = 0;
  into.resize(0);
  if (stopped()) return 0;
  if (!file_.read(at, into.grow(size), size, got)) failed_ = true;
  into.resize(got);
  return got;
}

std::uint64_t Blocks::next_line(std::uint64_t from) {
  while (const std::size_t got = load(from, scratch_, cut_.block)) {
    if (const char* line = find(scratch_.begin(), scratch_.end(), '\n'))
      return from + static_cast<std::uint64_t>(line - scratch_.begin()) + 1;
    from += got;
  }
  return from;
}

bool Blocks::next(Block& block) {
  const std::lock_guard lock(mutex_);
  while (!stopped()) {
    if (file_.is_open()) {
      const std::uint64_t before = at_;
      const bool taken = take(block);
      if (reading_) reading_->done += at_ - before;
      if (failed_) return false;
      if (taken) return true;
      file_.close();
    }
    if (opened_ == files_.size()) return false;
    if (!file_.open(files_[opened_++])) {
      failed_ = true;
      return false;
    }
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    load(0, scratch_, kMark.size());
    at_ = scratch_.text() == kMark ? kMark.size() : 0;
    begin();
  }
  return false;
}

bool LineBlocks::take(Block& block) {
  while (const std::size_t got = load(at_, block, cut_.block)) {
    std::size_t end = got;
    if (got == cut_.block) {
      const char* line = find_last(block.begin(), block.end(), '\n');
      end = line ? static_cast<std::size_t>(line - block.begin()) + 1 : 0;
    }
    if (end == 0) {  // a line that goes on behind the block
      const std::uint64_t next = next_line(at_ + got);
      if (next - at_ > cut_.longest) {
        at_ = next;
        continue;
      }
      end = load(at_, block, static_cast<std::size_t>(next - at_));
    }
    block.resize(end);
    at_ += end;
    return true;
  }
  return false;
}

}  // namespace discreet::engine::duckdb
