// Helper processes: a question's rows, exact values and noise stay in one, and only what is
// released comes back. Whatever happens in it, a crash, a hang, an end by force, looks the same
// from here: a query that could not be run. And whatever it does, it can be ended from here.
//
// A helper is a program of ours (discreet-helper), started by exec: never a copy of a process with
// threads. It is looked for beside the file that this library or program was loaded from, in the
// build tree as where it is installed; nothing in the environment chooses it. It is started with
// its service and stays for the next question: as many as may run at once.
//
//   engine::Watch watch;
//   Helpers helpers({"", "", "", "", {}});
//   Conversation conversation(helpers, watch);
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "discreet/base/temporary_folder.h"
#include "discreet/engine/failure.h"
#include "discreet/service/helper_line.h"
#include "discreet/service/helper_request.h"

namespace discreet::service {

inline constexpr int kHelperSocket = 3;

// One that was started. It ends with the object.
class Helper {
 public:
  static Result<std::unique_ptr<Helper>> start(Opening opening, const std::string& directory);
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  Line& line() { return *line_; }
  // Sends what it begins with, once.
  bool greet(const std::function<bool()>& go_on);

 private:
  Helper(int process, int watch, std::unique_ptr<Line> line, TemporaryFolder folder,
         std::string greeting)
      : process_(process),
        watch_(watch),
        line_(std::move(line)),
        folder_(std::move(folder)),
        greeting_(std::move(greeting)) {}

  const int process_, watch_;  // watch_: a descriptor of the process itself, that no other gets
  std::unique_ptr<Line> line_;
  TemporaryFolder folder_;
  std::optional<std::string> greeting_;
};

// The helpers of a service. All of it may be called from several threads at once.
class Helpers {
 public:
  // Starts the first one; whether that went well is said to whoever takes it.
  explicit Helpers(Opening opening);

  // Waits while as many questions run as may.
  Result<std::unique_ptr<Helper>> take(const std::function<Status()>& go_on);
  // In the place of one that has ended.
  Result<std::unique_ptr<Helper>> another(std::unique_ptr<Helper> ended);
  // Null: it is of no more use.
  void give_back(std::unique_ptr<Helper> helper);

 private:
  const std::string directory_;  // that the service was opened in
  const unsigned most_;
  const Opening opening_;
  std::mutex mutex_;
  std::condition_variable freed_;
  unsigned taken_ = 0;
  std::vector<std::unique_ptr<Helper>> free_;
};

// One question to a helper. What is allowed of time began with it.
class Conversation {
 public:
  Conversation(Helpers& helpers, const engine::Watch& watch);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  Status prepare(const Preparing& preparing);
  // What was released.
  Result<std::string> go();

 private:
  using Clock = std::chrono::steady_clock;
  // An error: it was interrupted, or its time is up.
  Status go_on(engine::Reserved reserved) const;
  Status try_once(const std::string& message, bool& gone);
  // Politely at first, so that a server's query is cancelled there.
  void stop();

  Helpers& helpers_;
  const engine::Watch& watch_;
  const Clock::time_point start_ = Clock::now();
  bool taken_ = false, useful_ = false;
  std::unique_ptr<Helper> helper_;
};

}  // namespace discreet::service
