#include "discreet/service/helper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "discreet/base/number.h"
#include "discreet/base/try.h"
#include "discreet/service/helper_place.h"

extern char** environ;

namespace discreet::service {
namespace {

using engine::Reserved;
using std::string;
using namespace std::chrono_literals;

constexpr int kLook = 50;       // milliseconds between looks at what stops it
constexpr auto kGrace = 400ms;  // to cancel what runs on a server
constexpr unsigned kTries = 2;  // one that waited may have been ended meanwhile

tl::unexpected<Error> not_started(const string& why) {
  return fail(
      Code::kFailure,
      fmt::format("the helper process could not be started: {}; nothing was reserved", why));
}

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    // A group of its own, so that Ctrl-C is for the service alone; no signal blocked or ignored.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// The environment, for what an engine's client reads of it, with another TMPDIR.
std::vector<string> environment(const string& folder) {
  std::vector<string> out;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("TMPDIR=")) out.emplace_back(*one);
  out.push_back("TMPDIR=" + folder);
  return out;
}

// Empty where it is gone: then it can't be gone back to.
string current_folder() {
  std::error_code failed;
  return std::filesystem::current_path(failed).string();
}

// Each has a share of the memory.
Opening for_one(Opening opening) {
  engine::Limits& limits = opening.limits;
  limits.queries = std::max(1u, limits.queries);
  if (limits.memory == 0)
    limits.memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 2;
  limits.memory = std::max<std::size_t>(1, limits.memory / limits.queries);
  limits.queries = 1;
  return opening;
}

}  // namespace

Result<std::unique_ptr<Helper>> Helper::start(Opening opening, const string& directory) {
  const auto program = TRY(helper_place());
  auto folder = TRY(TemporaryFolder::make());
  opening.folder = folder.path();
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return not_started("there are no more descriptors");
  auto line = std::make_unique<Line>(ends[0]);
  const Line theirs(ends[1]);
  std::vector<string> variables = environment(folder.path());
  std::vector<char*> pointers;
  for (string& one : variables) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  string name = program;
  std::array<char*, 2> arguments{name.data(), nullptr};
  Actions actions;
  Attributes attributes;
  posix_spawn_file_actions_adddup2(actions.get(), ends[1], kHelperSocket);
  // What it or its libraries have to say goes nowhere: it could be about rows.
  for (const int standard : {0, 1, 2})
    posix_spawn_file_actions_addopen(actions.get(), standard, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_addclosefrom_np(actions.get(), kHelperSocket + 1);
  if (!directory.empty()) posix_spawn_file_actions_addchdir_np(actions.get(), directory.c_str());
  pid_t process = -1;
  const int failed = posix_spawn(&process, program.c_str(), actions.get(), attributes.get(),
                                 arguments.data(), pointers.data());
  if (failed != 0)
    return not_started(fmt::format("'{}' can't be run ({})", program,
                                   std::error_code(failed, std::generic_category()).message()));
  const int watch = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  std::unique_ptr<Helper> out(
      new Helper(process, watch, std::move(line), std::move(folder), message_of(opening)));
  // What fits into a socket is sent without waiting, so that it gets ready while its service does.
  constexpr std::size_t kFits = std::size_t{1} << 16;
  if (out->greeting_->size() < kFits) (void)out->greet([] { return false; });
  return out;
}

Helper::~Helper() {
  line_.reset();
  if (watch_ >= 0)
    (void)syscall(SYS_pidfd_send_signal, watch_, SIGKILL, nullptr, 0);
  else
    (void)kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (watch_ >= 0) close(watch_);
}

bool Helper::greet(const std::function<bool()>& go_on) {
  if (!greeting_) return true;
  return line_->send(Word::kOpen, *std::exchange(greeting_, std::nullopt), go_on);
}

Helpers::Helpers(Opening opening)
    : directory_(current_folder()),
      most_(std::max(1u, opening.limits.queries)),
      opening_(for_one(std::move(opening))) {
  if (auto first = Helper::start(opening_, directory_)) free_.push_back(std::move(*first));
}

Result<std::unique_ptr<Helper>> Helpers::take(const std::function<Status()>& go_on) {
  std::unique_lock lock(mutex_);
  while (taken_ >= most_) {
    freed_.wait_for(lock, std::chrono::milliseconds(kLook));
    TRY(go_on());
  }
  std::unique_ptr<Helper> out;
  if (free_.empty()) {
    out = TRY(Helper::start(opening_, directory_));
  } else {
    out = std::move(free_.back());
    free_.pop_back();
  }
  ++taken_;
  return out;
}

Result<std::unique_ptr<Helper>> Helpers::another(std::unique_ptr<Helper> ended) {
  ended.reset();
  return Helper::start(opening_, directory_);
}

void Helpers::give_back(std::unique_ptr<Helper> helper) {
  {
    const std::lock_guard lock(mutex_);
    --taken_;
    if (helper) free_.push_back(std::move(helper));
  }
  freed_.notify_one();
}

Conversation::Conversation(Helpers& helpers, const engine::Watch& watch)
    : helpers_(helpers), watch_(watch) {}

Conversation::~Conversation() {
  if (!taken_) return;
  if (!useful_) helper_.reset();  // ends it
  helpers_.give_back(std::move(helper_));
}

Status Conversation::go_on(Reserved reserved) const {
  if (watch_.stop != nullptr && watch_.stop->load()) return engine::was_interrupted(reserved);
  const std::chrono::duration<double> passed = Clock::now() - start_;
  if (watch_.timeout_seconds > 0 && passed.count() > watch_.timeout_seconds)
    return engine::took_too_long(reserved, "the query");
  return {};
}

Status Conversation::try_once(const string& message, bool& gone) {
  const auto still = [this] { return go_on(Reserved::kNothing).has_value(); };
  Line& line = helper_->line();
  gone = !helper_->greet(still) || !line.send(Word::kPrepare, message, still);
  Message said;
  while (!gone) {
    TRY(go_on(Reserved::kNothing));
    const auto heard = line.hear(said, kLook);
    if (heard == Line::Heard::kNothing) continue;
    gone = heard == Line::Heard::kGone;
    if (gone) break;
    if (said.word == Word::kReady) {
      useful_ = true;  // also where it isn't paid for after all
      return {};
    }
    if (said.word != Word::kFailed) continue;
    auto error = read_error(said.text);
    useful_ = true;  // as far as it is known
    if (error) return tl::unexpected<Error>(std::move(*error));
    break;
  }
  TRY(go_on(Reserved::kNothing));
  return engine::could_not_run(Reserved::kNothing);
}

Status Conversation::prepare(const Preparing& preparing) {
  helper_ = TRY(helpers_.take([this] { return go_on(Reserved::kNothing); }));
  taken_ = true;
  const string message = message_of(preparing);
  for (unsigned tried = 1;; ++tried) {
    bool gone = false;
    Status ok = try_once(message, gone);
    if (ok || !gone || tried == kTries) return ok;
    helper_ = TRY(helpers_.another(std::move(helper_)));
  }
}

void Conversation::stop() {
  const auto end = Clock::now() + kGrace;
  const auto in_time = [&] { return Clock::now() < end; };
  Message said;
  if (!helper_->line().send(Word::kStop, "", in_time)) return;
  while (in_time()) {
    const auto heard = helper_->line().hear(said, kLook / 5);
    if (heard == Line::Heard::kGone) return;
    if (heard == Line::Heard::kMessage && (said.word == Word::kDone || said.word == Word::kFailed))
      return;
  }
}

Result<string> Conversation::go() {
  useful_ = false;
  const auto still = [this] { return go_on(Reserved::kStays).has_value(); };
  const std::chrono::duration<double> passed = Clock::now() - start_;
  const double left =
      watch_.timeout_seconds > 0 ? std::max(0.001, watch_.timeout_seconds - passed.count()) : 0;
  bool there = helper_->line().send(Word::kGo, to_text(left), still);
  Message said;
  while (true) {
    if (Status fine = go_on(Reserved::kStays); !fine) {
      if (there) stop();
      return forward_error(fine);
    }
    if (!there) return engine::could_not_run();
    switch (helper_->line().hear(said, kLook)) {
      case Line::Heard::kNothing:
        continue;
      case Line::Heard::kGone:
        there = false;
        continue;
      case Line::Heard::kMessage:
        break;
    }
    switch (said.word) {
      case Word::kProgress:
        if (watch_.progress) watch_.progress(std::strtod(said.text.c_str(), nullptr));
        continue;
      case Word::kPass: {
        const auto parts = parted(said.text, 2);
        if (parts && watch_.pass)
          watch_.pass(static_cast<std::uint32_t>(std::strtoul((*parts)[0].c_str(), nullptr, 10)),
                      static_cast<std::uint32_t>(std::strtoul((*parts)[1].c_str(), nullptr, 10)));
        continue;
      }
      case Word::kDone:
        useful_ = true;
        return std::move(said.text);
      case Word::kFailed: {
        // A server that is gone tells nothing of its rows, and is named (engine/failure.h). All
        // else is one text.
        const auto error = read_error(said.text);
        if (error && error->code == Code::kFailure &&
            error->message.text().ends_with(engine::and_spent(Reserved::kStays)))
          return tl::unexpected<Error>(*error);
        return engine::could_not_run();
      }
      case Word::kOpen:
      case Word::kPrepare:
      case Word::kGo:
      case Word::kStop:
      case Word::kReady:
        return engine::could_not_run();
    }
    return engine::could_not_run();
  }
}

}  // namespace discreet::service
