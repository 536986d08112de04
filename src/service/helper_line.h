// Messages between a service and its helper process, over a pair of sockets: a letter, a length, a
// text. Nobody waits here for longer than a moment: the other side may be stopped.
//
//   Line line(-1);
//   bool sent = line.send(Word::kStop, "", [] { return true; });  // false: nobody is there
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discreet::service {

enum class Word : char {
  // To the helper.
  kOpen = 'o',     // the policy, the limits
  kPrepare = 'p',  // a question, and the plan that must come of it
  kGo = 'g',       // it is paid for; how many seconds are left, 0: any
  kStop = 's',
  // From it.
  kReady = 'r',     // the plan is the same
  kProgress = '%',  // a number
  kPass = '#',      // two numbers
  kDone = 'd',      // what is released, as it is stored (stored.h)
  kFailed = 'f',    // an error
};

struct Message {
  Word word = Word::kFailed;
  std::string text;
};

class Line {
 public:
  explicit Line(int descriptor) : descriptor_(descriptor) {}
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Asks `go_on` every now and then while the other side doesn't listen. False: it is gone, or
  // `go_on` said so.
  bool send(Word word, std::string_view text, const std::function<bool()>& go_on);
  // Waits so long at most.
  enum class Heard { kMessage, kNothing, kGone };
  Heard hear(Message& message, int milliseconds);

 private:
  const int descriptor_;
  std::string heard_;  // that is no whole message yet
};

// Several texts as one, and back; nothing where it isn't a list of so many.
std::string joined(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> parted(std::string_view joined, std::size_t count);

}  // namespace discreet::service
