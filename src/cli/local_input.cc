#include "discreet/cli/local_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"

namespace discreet::cli {
namespace {

constexpr int kLook = 100;  // milliseconds between two looks at Ctrl-C

tl::unexpected<Error> cannot_read(const std::string& name, int reason) {
  return fail(Code::kFailure, fmt::format("{} could not be read", name),
              reason == ENOENT ? "does it exist?" : std::strerror(reason));
}

}  // namespace

Result<LineSource> LineSource::open(const std::string& path) {
  if (path == "-") return LineSource(STDIN_FILENO, "standard input", "standard input");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return cannot_read(quote(path), errno);
  return LineSource(file, path, quote(path));
}

LineSource::LineSource(int file, std::string path, std::string name)
    : file_(file), path_(std::move(path)), name_(std::move(name)) {
  struct stat about {};
  if (fstat(file_, &about) != 0 || !S_ISREG(about.st_mode)) return;
  start_ = lseek(file_, 0, SEEK_CUR);
  if (start_ >= 0)
    size_ = static_cast<std::uint64_t>(std::max<std::int64_t>(about.st_size - start_, 0));
}

LineSource::LineSource(LineSource&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      size_(other.size_),
      start_(other.start_),
      seen_(std::move(other.seen_)) {}

LineSource::~LineSource() {
  if (file_ > STDIN_FILENO) (void)close(file_);
}

Status LineSource::again() {
  seen_.clear();
  if (lseek(file_, start_, SEEK_SET) < 0) return cannot_read(name_, errno);
  return {};
}

Result<bool> LineSource::begins_with(std::string_view text) {
  present::Progress silent("reading", 0);
  const local::Fill more = fill(silent);
  std::string all;
  // a pipe is waited for only as long as it may still begin so
  while (all.size() < text.size() && text.starts_with(all)) {
    std::string next(text.size() - all.size(), '\0');
    next.resize(TRY(more(next)));
    if (next.empty()) break;
    all += next;
  }
  seen_ = all + seen_;
  return all.starts_with(text);
}

local::Fill LineSource::fill(present::Progress& progress, const std::atomic<bool>* stop) {
  return [this, &progress, stop](std::span<char> to) -> Result<std::size_t> {
    if (!seen_.empty()) {
      const std::size_t size = seen_.copy(to.data(), to.size());
      seen_.erase(0, size);
      progress.advance(size);
      return size;
    }
    for (;;) {
      if (Interrupt::asked()) return fail(Code::kInterrupted, "interrupted");
      if (stop != nullptr && *stop) return 0;
      if (!size_) {
        // a signal may wake another thread than the one that waits for a pipe
        pollfd wanted{file_, POLLIN, 0};
        const int ready = poll(&wanted, 1, kLook);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      }
      const ssize_t size = ::read(file_, to.data(), to.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return cannot_read(name_, errno);
      progress.advance(static_cast<std::uint64_t>(size));
      return static_cast<std::size_t>(size);
    }
  };
}

Result<std::vector<LineSource>> open_all(const std::vector<std::string>& paths) {
  std::vector<LineSource> out;
  if (paths.empty()) out.push_back(TRY(LineSource::open("-")));
  for (const std::string& path : paths) out.push_back(TRY(LineSource::open(path)));
  return out;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(file, text.data(), text.size());
    if (size < 0 && errno == EINTR && !Interrupt::asked()) continue;
    if (size < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

Result<std::string> read_bytes(const std::string& path) {
  LineSource source = TRY(LineSource::open(path));
  return read_bytes(source);
}

Result<std::string> read_bytes(LineSource& source) {
  present::Progress progress("reading " + source.name(), source.size());
  const local::Fill fill = source.fill(progress);
  std::string out;
  for (std::size_t size = 0;;) {
    // one byte more than the file has, so that its end is seen without growing
    out.resize(std::max<std::size_t>(
        size + source.size() + 1 - std::min<std::size_t>(size, source.size()), size + 4096));
    const std::size_t more = TRY(fill(std::span(out).subspan(size)));
    size += more;
    if (more == 0) {
      out.resize(size);
      return out;
    }
  }
}

}  // namespace discreet::cli
