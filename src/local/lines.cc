#include "discreet/local/lines.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "discreet/base/guard.h"
#include "discreet/base/try.h"

namespace discreet::local {
namespace {

// How much of the text can be handed out: whole lines, without an empty last one, which counts only
// if something follows.
std::size_t whole_lines(std::string_view text) {
  const std::size_t last = text.rfind('\n');
  if (last == std::string_view::npos) return 0;
  const std::size_t start = last > 0 && text[last - 1] == '\r' ? last - 1 : last;
  return start == 0 || text[start - 1] == '\n' ? start : last + 1;
}

// At the end of everything: the same without one empty line, which may lack its end.
std::size_t last_lines(std::string_view text) {
  const std::size_t last = text.rfind('\n') + 1;  // npos + 1 = 0: all of it is one line
  if (text.substr(last) == "\r") return last;
  return last == text.size() ? 0 : text.size();
}

class Run {
 public:
  explicit Run(Lines& lines) : lines_(lines) {}

  void work(Worker& worker) {
    Lines::Block block;
    while (!ended_) {
      std::uint64_t number = 0;
      Status done;
      {
        const std::lock_guard lock(reading_);
        if (ended_) return;
        auto more = guarded([&] { return lines_.next(block); });
        ended_ = !more || !*more;
        if (more && !*more) return;
        if (!more) done = forward_error(more);
        number = blocks_++;
      }
      if (done) done = guarded([&] { return worker.work(block.text()); });
      if (!in_turn(worker, number, std::move(done))) return;
    }
  }
  std::optional<Error>& error() { return error_; }

 private:
  // Waits for all blocks before this one; false where the work is over.
  bool in_turn(Worker& worker, std::uint64_t number, Status done) {
    std::unique_lock lock(taking_);
    turn_changed_.wait(lock, [&] { return error_ || turn_ == number; });
    if (error_) return false;
    if (done) done = guarded([&] { return worker.take(); });
    if (!done) {
      error_ = std::move(done.error());
      ended_ = true;
    }
    ++turn_;
    turn_changed_.notify_all();
    return !error_;
  }

  Lines& lines_;
  std::mutex reading_, taking_;
  std::condition_variable turn_changed_;
  std::atomic<bool> ended_ = false;
  std::uint64_t blocks_ = 0, turn_ = 0;
  std::optional<Error> error_;
};

constexpr std::size_t kMostThreads = 16;  // more would wait for the one that reads

}  // namespace

Fill from_text(std::string_view text) {
  return [text](std::span<char> to) mutable -> Result<std::size_t> {
    const std::size_t size = std::min(to.size(), text.size());
    std::copy_n(text.begin(), size, to.begin());
    text.remove_prefix(size);
    return size;
  };
}

void Lines::reserve(Block& block, std::size_t capacity) {
  if (block.capacity >= capacity) return;
  auto data = std::make_unique_for_overwrite<char[]>(capacity);
  std::copy_n(block.data.get(), block.size, data.get());
  block.data = std::move(data);
  block.capacity = capacity;
}

Result<bool> Lines::next(Block& block) {
  block.size = 0;
  reserve(block, rest_.size() + block_);
  std::copy(rest_.begin(), rest_.end(), block.data.get());
  block.size = rest_.size();
  rest_.clear();
  for (std::size_t seen = 0;;) {
    // of bytes that were looked at only the last three can be part of an end
    const std::size_t from = seen - std::min<std::size_t>(seen, 3);
    if (const std::size_t whole = whole_lines(block.text().substr(from)); whole > 0) {
      rest_.assign(block.text().substr(from + whole));
      block.size = from + whole;
      break;
    }
    if (block.size > longest_ + 4) {
      TRY(skip_line(block));
      break;
    }
    seen = block.size;
    // doubled, so that a long line isn't copied once a read
    if (block.capacity < block.size + block_) reserve(block, 2 * block.size + block_);
    const std::size_t more =
        TRY(fill_({block.data.get() + block.size, std::min(block_, block.capacity - block.size)}));
    if (more == 0) {
      block.size = last_lines(block.text());
      if (block.size == 0) return false;
      break;
    }
    block.size += more;
  }
  return true;
}

// Cuts the line that is too long and leaves in rest_ what follows its end.
Status Lines::skip_line(Block& block) {
  block.size = longest_ + 4;
  block.data[block.size++] = '\n';
  std::string scratch(block_, '\0');
  for (;;) {
    const std::size_t more = TRY(fill_(scratch));
    const std::string_view read(scratch.data(), more);
    const std::size_t end = read.find('\n');
    if (end != std::string_view::npos) rest_.assign(read.substr(end + 1));
    if (more == 0 || end != std::string_view::npos) return {};
  }
}

Status in_order(Lines& lines, std::size_t threads,
                const std::function<std::unique_ptr<Worker>()>& make) {
  if (threads == 0)
    threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t i = 0; i < threads; ++i) workers.push_back(make());
  Run run(lines);
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    for (std::size_t i = 1; i < threads; ++i)
      others.emplace_back([&run, &worker = *workers[i]] { run.work(worker); });
  } catch (const std::system_error&) {  // no more threads: those there are do it all
  }
  run.work(*workers.front());
  for (std::thread& other : others) other.join();
  if (run.error()) return tl::unexpected<Error>(std::move(*run.error()));
  for (const auto& worker : workers) TRY(worker->finish());
  return {};
}

}  // namespace discreet::local
