#include "discreet/service/helper_serve.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <exception>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include "discreet/base/number.h"
#include "discreet/base/temporary_folder.h"
#include "discreet/base/try.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/parser.h"
#include "discreet/engine/failure.h"
#include "discreet/engine/open.h"
#include "discreet/plan/verify.h"
#include "discreet/service/helper_line.h"
#include "discreet/service/helper_request.h"
#include "discreet/service/public_tables.h"
#include "discreet/service/run.h"
#include "discreet/service/service.h"
#include "discreet/service/stored.h"

namespace discreet::service {
namespace {

using std::string;

// The folder that the service made for it. Both remove it: either may be killed.
string& own_folder() {
  static string& folder = *new string;
  return folder;
}

[[noreturn]] void end(int code) {
  remove_temporary_folders();
  if (!own_folder().empty()) (void)rmdir(own_folder().c_str());
  _exit(code);
}

// What is written of a process that failed, a core or an image of its memory, holds rows.
void leave_no_trace() {
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)prctl(PR_SET_DUMPABLE, 0);
  // Ctrl-C is for the service, which says when to stop.
  for (const int sent : {SIGINT, SIGHUP, SIGPIPE}) (void)std::signal(sent, SIG_IGN);
  // Where a machine has no memory left, what is killed is this.
  std::ofstream("/proc/self/oom_score_adj") << 800;
}

// What the engine and the bounding may take, a quarter more, and a gibibyte for what neither counts
// (threads' arenas, other people's libraries): a runaway ends here and not with the machine. What
// may be written is limited, not addresses, of which DuckDB's allocator maps more than it uses.
void limit_memory(std::size_t memory) {
  std::ifstream pages("/proc/self/statm");
  std::size_t skipped = 0, data = 0;
  for (int i = 0; i < 5; ++i) pages >> skipped;
  pages >> data;
  const rlim_t most = data * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + memory + memory / 4 +
                      (std::size_t{1} << 30);
  const rlimit limit{most, most};
  (void)setrlimit(RLIMIT_DATA, &limit);
}

// What the service says, in order; but that it says stop, or is gone, is heard at once.
class Ear {
 public:
  explicit Ear(Line& line) : line_(line), thread_([this] { listen(); }) { thread_.detach(); }

  Message next() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return !messages_.empty(); });
    Message out = std::move(messages_.front());
    messages_.pop_front();
    return out;
  }
  std::atomic<bool>& stop() { return stop_; }

 private:
  void listen() {
    Message message;
    while (true) {
      switch (line_.hear(message, 1000)) {
        case Line::Heard::kNothing:
          continue;
        case Line::Heard::kGone:
          end(0);
        case Line::Heard::kMessage:
          break;
      }
      if (message.word == Word::kStop) {
        stop_ = true;
        continue;
      }
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
      wake_.notify_one();
    }
  }

  Line& line_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> messages_;
  std::thread thread_;
};

class Server {
 public:
  explicit Server(int descriptor) : line_(descriptor), ear_(line_) {}

  [[noreturn]] void serve() {
    Message message = ear_.next();
    const auto opening = read_opening(message.text);
    if (message.word != Word::kOpen || !opening) end(1);
    own_folder() = opening->folder;
    limit_memory(opening->limits.memory);
    const Status opened = open(*opening);
    message = ear_.next();
    while (true) {
      if (message.word != Word::kPrepare) end(1);
      ear_.stop() = false;
      const auto asked = read_preparing(message.text);
      if (!asked) end(1);
      auto prepared =
          opened ? prepare(*asked) : Result<plan::Plan>(tl::unexpected<Error>(opened.error()));
      if (!prepared) {
        say(Word::kFailed, message_of(prepared.error()));
        message = ear_.next();
        continue;
      }
      say(Word::kReady, "");
      message = ear_.next();
      if (message.word == Word::kPrepare) continue;  // that one could not be paid for
      if (message.word != Word::kGo) end(1);
      const double left = std::strtod(message.text.c_str(), nullptr);
      if (auto released = run(*prepared, *asked, left))
        say(Word::kDone, *released);
      else
        say(Word::kFailed, message_of(released.error()));
      message = ear_.next();
    }
  }

 private:
  void say(Word word, const string& text) {
    const std::lock_guard lock(saying_);
    if (!line_.send(word, text, [] { return true; })) end(1);
  }

  Status open(const Opening& opening) {
    policy_ = TRY(policy::Policy::parse(opening.text, opening.path, opening.directory));
    watch_.stop = &ear_.stop();
    watch_.progress = [this](double percent) { say(Word::kProgress, to_text(percent)); };
    watch_.pass = [this](std::uint32_t pass, std::uint32_t passes) {
      say(Word::kPass, joined({std::to_string(pass), std::to_string(passes)}));
    };
    engine_ = TRY(engine::open(policy_, opening.limits, watch_));
    catalog_ = TRY(policy::make_catalog(policy_, TRY(engine_->schemas(watch_))));
    // Both are opened at their first use: now, while the service plans, rather than when it waits.
    (void)engine::duckdb::parser().serialize("SELECT 1");
    (void)engine::duckdb::calculator();
    return {};
  }

  Result<plan::Plan> prepare(const Preparing& asked) {
    engine::Watch quiet;
    quiet.stop = watch_.stop;
    const PublicTables tables(*engine_, catalog_, quiet);
    auto question = TRY(sql::check(TRY(sql::parse(asked.text, engine::duckdb::parser())), catalog_,
                                   plan::tools(engine::duckdb::calculator(), &tables)));
    plan::Plan plan =
        TRY(plan::make_plan(std::move(question), catalog_, asked.options, asked.known));
    if (asked.only_surveys) {
      plan::Plan surveys = TRY(plan::only_surveys(plan));
      return same(std::move(surveys), asked);
    }
    return same(std::move(plan), asked);
  }

  // Files and public tables may have changed since the service planned: then this isn't what it
  // would pay for.
  Result<plan::Plan> same(plan::Plan plan, const Preparing& asked) {
    TRY(plan::verify(plan));
    if (fingerprint(policy_, plan, asked.presenting) != asked.fingerprint)
      return engine::could_not_run(engine::Reserved::kNothing);
    return plan;
  }

  // A server is told how long it may take, for the case that both processes are gone by then. The
  // service itself looks at the clock, and is first.
  Result<string> run(const plan::Plan& plan, const Preparing& asked, double seconds_left) {
    constexpr double kLater = 1;
    Asking asking;
    asking.presenting = asked.presenting;
    asking.watch = watch_;
    if (seconds_left > 0) asking.watch.timeout_seconds = seconds_left + kLater;
    if (asked.only_surveys)
      return stored_json({}, TRY(run_surveys(*engine_, catalog_, plan, asking)));
    const Ran ran = TRY(run_here(*engine_, catalog_, plan, asking, random::thread_generator()));
    return stored_json(ran.answer, ran.measured);
  }

  Line line_;
  Ear ear_;
  std::mutex saying_;
  engine::Watch watch_;
  policy::Policy policy_;
  policy::Catalog catalog_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace

void serve_helper(int descriptor) {
  leave_no_trace();
  try {
    (new Server(descriptor))->serve();
  } catch (...) {  // no memory, or a library that gave up
    end(1);
  }
}

}  // namespace discreet::service
