// Lines from a file or a pipe, in blocks that several threads work on at the same time while their
// results are taken in order.
//
//   struct Count final : Worker {
//     Status work(std::string_view lines) override {
//       for_each_line(lines, [this](std::string_view) { ++seen; });
//       return {};
//     }
//     Status take() override { return {}; }
//     std::uint64_t seen = 0;
//   };
//   Lines lines(from_text("one\ntwo\r\nthree"), 100);
//   Status done = in_order(lines, 2, [] { return std::make_unique<Count>(); });
//
// Memory is constant: of a line longer than `longest` only the first bytes are kept, more than that
// many, so that it can't be taken for one that is allowed. A line ends in LF or CRLF, the last one
// needn't; one empty line at the very end is none.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "discreet/base/error.h"

namespace discreet::local {

// Puts bytes at the start of `to` and says how many; 0 at the end. Called by one thread at a time.
using Fill = std::function<Result<std::size_t>(std::span<char> to)>;
Fill from_text(std::string_view text);  // which must stay where it is

class Lines {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  // `block` is how much is read at a time, where what is made of it takes much more.
  Lines(Fill fill, std::size_t longest, std::size_t block = kBlock)
      : fill_(std::move(fill)), longest_(longest), block_(block) {}

  struct Block {
    std::string_view text() const { return {data.get(), size}; }
    std::unique_ptr<char[]> data = {};
    std::size_t size = 0, capacity = 0;
  };
  // The next lines, whole; false at the end.
  Result<bool> next(Block& block);

 private:
  static void reserve(Block& block, std::size_t capacity);
  Status skip_line(Block& block);

  Fill fill_;
  std::size_t longest_, block_;
  std::string rest_;  // behind what was handed out
};

class Worker {
 public:
  virtual ~Worker() = default;
  virtual Status work(std::string_view lines) = 0;  // at the same time as others
  virtual Status take() = 0;                        // one after the other, in the order of lines
  virtual Status finish() { return {}; }            // one after the other, after the last block
};

// Makes a worker a thread (0: as many as there are processors) and lets them work until the lines
// end. Of failures the one of the earliest lines is returned; nothing behind it is taken. What a
// worker throws is a failure too.
Status in_order(Lines& lines, std::size_t threads,
                const std::function<std::unique_ptr<Worker>()>& make);

// Calls see(line) for each line, without its end.
template <class See>
void for_each_line(std::string_view lines, See&& see) {
  const char* at = lines.data();
  const char* const end = at + lines.size();
  while (at < end) {
    const auto* stop =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const next = stop == nullptr ? end : stop + 1;
    const char* last = stop == nullptr ? end : stop;
    if (last > at && last[-1] == '\r') --last;
    see(std::string_view(at, static_cast<std::size_t>(last - at)));
    at = next;
  }
}

}  // namespace discreet::local
