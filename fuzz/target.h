// A fuzz target takes any bytes and says so where a promise of the library doesn't hold for them.
//
// NAME_fuzz.cc defines target(). It is built in two ways: by `make fuzz` with libFuzzer, which
// makes up bytes (fuzzer.cc), and by every other build with a main that feeds it the files in
// corpus/NAME (replay.cc), so that what was found once is tested for ever.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::fuzz {

void target(std::string_view bytes);

// A promise that didn't hold. The library throws nothing; this is how a target stops.
class Finding : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// require(back == value, "a printed number reads back as itself");
inline void require(bool holds, std::string_view promise) {
  if (!holds) throw Finding(std::string(promise));
}

// A place in a target that the corpus must get to, or replay fails: promises that are never asked
// hold whatever the library does. Made before the first input, gone when the process ends.
//
//   Waypoint estimated("an estimate of flat");
//   estimated.pass();
class Waypoint {
 public:
  explicit Waypoint(std::string name);
  ~Waypoint();
  Waypoint(const Waypoint&) = delete;
  Waypoint& operator=(const Waypoint&) = delete;
  void pass() { passed_ = true; }
  // Those that nothing has got to so far.
  static std::vector<std::string> missed();

 private:
  std::string name_;
  bool passed_ = false;
};

// What every refusal owes its reader: a sentence that stays on its line and can't colour a
// terminal, JSON that parses, a place that lies in the text, and one of the codes (which become
// exit codes) that this part of the library may give.
void require_refusal(const Error& error, std::initializer_list<Code> accepted);

}  // namespace discreet::fuzz
