// A table's text files as blocks of whole records, for several threads at once: a thread takes the
// next block (one at a time finds where it ends) and then reads its records alone.
//
//   LineBlocks blocks({"visits.jsonl"}, {});
//   Block block;
//   while (blocks.next(block)) block.text();  // whole lines
//
// What a record is, and so where a block may end, is the format's: LineBlocks here, CsvBlocks in
// csv_blocks.h, ArrayBlocks in json_array.h. A block is about Cut::block bytes; where a record is
// longer the block grows to hold it, up to Cut::longest, and a record beyond that is passed over,
// whatever its length, without being held in memory: it costs itself. So a reader's memory is its
// threads times a block, and files are never mapped (one that is cut short while it is read just
// ends).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/engine/duckdb/scan.h"

namespace discreet::engine::duckdb {

struct Cut {
  std::size_t block = std::size_t{1} << 20;
  std::size_t longest = std::size_t{1} << 24;  // no less than `block`
};

// Text that is scanned: kPadding bytes stand behind it.
class Block {
 public:
  std::string_view text() const { return {buffer_.get(), size_}; }
  const char* begin() const { return buffer_.get(); }
  const char* end() const { return buffer_.get() + size_; }
  // Room for that many bytes; what was there stays.
  char* grow(std::size_t capacity);
  void resize(std::size_t size) { size_ = size; }

 private:
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0, capacity_ = 0;
};

// A file read by place.
class PlacedFile {
 public:
  PlacedFile() = default;
  ~PlacedFile() { close(); }
  PlacedFile(const PlacedFile&) = delete;
  PlacedFile& operator=(const PlacedFile&) = delete;
  bool open(const std::string& path);
  void close();
  bool is_open() const { return file_ >= 0; }
  // As many bytes as there are, up to `size`; nothing where they can't be read.
  bool read(std::uint64_t at, char* into, std::size_t size, std::size_t& got) const;

 private:
  int file_ = -1;
};

// How far a reader is, and a way to stop it: shared with whoever looks on.
struct Reading {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> done{0}, all{0};  // bytes
};

class Blocks {
 public:
  virtual ~Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // Any thread, any time. False: there are no more, or failed().
  bool next(Block& block);
  // A file could not be read, or the reading was stopped.
  bool failed() const { return failed_.load(); }

 protected:
  Blocks(std::vector<std::string> files, const Cut& cut, Reading* reading);
  // A new file, at its first byte behind a byte order mark.
  virtual void begin() {}
  // Reads from at() on and leaves it at the next border. False: this file has no more.
  virtual bool take(Block& block) = 0;

  // The bytes from a place on, up to cut_.block of them (fewer: the file ends there).
  std::size_t load(std::uint64_t at, Block& into, std::size_t size);
  // The place behind the next line break, or the file's end.
  std::uint64_t next_line(std::uint64_t from);
  bool stopped();

  const Cut cut_;
  std::uint64_t at_ = 0;  // a border in the file at hand
  Block scratch_;

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  const std::vector<std::string> files_;
  std::size_t opened_ = 0;
  PlacedFile file_;
  Reading* const reading_;  // may be null
};

// Every line is a record.
class LineBlocks final : public Blocks {
 public:
  LineBlocks(std::vector<std::string> files, const Cut& cut, Reading* reading = nullptr)
      : Blocks(std::move(files), cut, reading) {}

 private:
  bool take(Block& block) override;
};

}  // namespace discreet::engine::duckdb
