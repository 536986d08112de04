#include "discreet/engine/sample/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace discreet::engine::sample {
namespace {

constexpr int kLook = 100;  // milliseconds between looks at `stop`

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct Pipe {
  Descriptor from, to;
};
std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

// A file in memory that only this child has: there is nobody to keep pace with, and nothing of it
// on a disk.
Descriptor input_of(std::string_view header, std::string_view rows) {
  Descriptor out(memfd_create("rows", MFD_CLOEXEC));
  if (out.get() < 0 || !write_all(out.get(), header) || !write_all(out.get(), rows) ||
      lseek(out.get(), 0, SEEK_SET) != 0)
    return Descriptor();
  return out;
}

// The copy's side of Process::copy. What its libraries have to say when they fail goes nowhere.
[[noreturn]] void do_and_end(const Limits& limits, int output,
                             const std::function<std::optional<std::string>()>& work) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  bool ok = nothing >= 0 && dup2(output, 1) == 1 && dup2(nothing, 0) == 0 &&
            dup2(nothing, 2) == 2 && syscall(SYS_close_range, 3U, ~0U, 0U) == 0 &&
            confine_copy(limits);
  try {
    const auto result = ok ? work() : std::nullopt;
    ok = result && write_all(1, *result);
  } catch (...) {
    ok = false;
  }
  _exit(ok ? 0 : 1);
}

}  // namespace

std::optional<Process> Process::start(const Confinement& confinement, std::string_view header,
                                      std::string_view rows) {
  const Descriptor input = input_of(header, rows);
  std::optional<Pipe> output = make_pipe(), report = make_pipe();
  if (input.get() < 0 || !output || !report) return {};
  // fork, but into namespaces, and without the handlers that other threads' locks could hold up.
  const long child = syscall(SYS_clone, confinement.clone_flags(), nullptr, nullptr, nullptr, 0);
  if (child < 0) return {};
  if (child == 0) confinement.enter(input.get(), output->to.get(), report->to.get());
  return watched(static_cast<int>(child), output->from.release(), report->from.release());
}

std::optional<Process> Process::copy(const Limits& limits,
                                     const std::function<std::optional<std::string>()>& work) {
  std::optional<Pipe> output = make_pipe();
  if (!output) return {};
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) do_and_end(limits, output->to.get(), work);
  return watched(child, output->from.release(), -1);
}

std::optional<Process> Process::watched(int child, int out, int report) {
  Process process(child, static_cast<int>(syscall(SYS_pidfd_open, child, 0)), out, report);
  if (process.watch_ < 0 || fcntl(out, F_SETFL, O_NONBLOCK) != 0) return {};
  return process;
}

Process::Process(Process&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      watch_(std::exchange(other.watch_, -1)),
      out_(std::exchange(other.out_, -1)),
      report_(std::exchange(other.report_, -1)) {}

Process::~Process() {
  if (child_ > 0) {
    kill(-child_, SIGKILL);
    kill(child_, SIGKILL);  // it may not lead its group yet, and has started nothing then
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (const int fd : {watch_, out_, report_})
    if (fd >= 0) close(fd);
}

Confinement::Failure Process::started() {
  Confinement::Failure failure;
  ssize_t got = 0;
  do got = read(report_, &failure, sizeof(failure));
  while (got < 0 && errno == EINTR);
  // Nothing to read: the other end closed when the program started.
  if (got == static_cast<ssize_t>(sizeof(failure))) return failure;
  return {};
}

// False: there is nothing more for now, or ever, or it is too much.
bool Process::read_some(std::string& text) {
  std::array<char, 4096> buffer;
  const ssize_t got = read(out_, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0) {  // closed: it has nothing more to say
    close(out_);
    out_ = -1;
  }
  return got > 0 && text.size() <= kMostOutput;
}

std::optional<std::string> Process::output(Clock::time_point deadline,
                                           const std::atomic<bool>* stop) {
  std::string text;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < 0 || (stop != nullptr && stop->load())) return {};
    std::array<pollfd, 2> waiting{{{watch_, POLLIN, 0}, {out_, POLLIN, 0}}};
    const int ready = poll(waiting.data(), waiting.size(),
                           static_cast<int>(std::min<long long>(left + 1, kLook)));
    if (ready < 0 && errno != EINTR) return {};
    if (ready <= 0) continue;
    if (waiting[1].revents != 0)
      while (out_ >= 0 && read_some(text)) {
      }
    if (text.size() > kMostOutput) return {};
    if (waiting[0].revents != 0) break;
  }
  while (out_ >= 0 && read_some(text)) {  // what was left in the pipe
  }
  kill(-child_, SIGKILL);  // what it left behind in its group, where no namespace ends it
  int status = 0;
  if (waitpid(std::exchange(child_, -1), &status, 0) < 0) return {};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text.size() > kMostOutput) return {};
  return text;
}

}  // namespace discreet::engine::sample
