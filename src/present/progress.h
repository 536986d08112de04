// A progress bar for long work, on standard error and only where that is a terminal.
//
//   Progress progress("drawing", 100'000'000);
//   for (int block = 0; block < 100; ++block) progress.advance(1'000'000);
//   // drawing ██████████░░░░░░░░░░  52 %  51,904,512 of 100,000,000, 3 s left
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace discreet::present {

class Progress {
 public:
  // A total of 0 isn't known: what is done is told, and no share of it. Work that prints on
  // standard output as it goes shows no bar where that is the screen too: it would stand in the
  // middle.
  Progress(std::string what, std::uint64_t total, bool prints = false);
  // Of work that is known by its share only, which says nothing of the time it takes.
  struct Percent {};
  Progress(std::string what, Percent) : Progress(std::move(what), 100) { only_share_ = true; }
  ~Progress();  // wipes the line: what was asked for stays alone on the screen
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t by);
  // What stands at the end of the line, from the next time that it is drawn.
  void note(std::string text) { note_ = std::move(text); }

 private:
  void draw() const;

  std::string what_, note_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  bool shown_, only_share_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

// 1234567 as 1,234,567.
std::string with_commas(std::uint64_t value);

}  // namespace discreet::present
