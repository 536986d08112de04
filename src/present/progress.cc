#include "discreet/present/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "discreet/present/terminal.h"

namespace discreet::present {
namespace {
constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kQuiet = std::chrono::milliseconds(500);  // quick work shows nothing
constexpr std::uint64_t kWidth = 20;
}  // namespace

Progress::Progress(std::string what, std::uint64_t total, bool prints)
    : what_(std::move(what)),
      total_(total),
      shown_(can_redraw(stderr) && !(prints && is_terminal(stdout))),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + kQuiet) {}

Progress::~Progress() {
  if (shown_ && next_ > start_ + kQuiet) (void)std::fputs("\r\033[K", stderr);
}

void Progress::advance(std::uint64_t by) {
  done_ += by;
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kRedraw;
  draw();
}

void Progress::draw() const {
  if (total_ == 0) {
    (void)std::fputs(fmt::format("\r{} {}\033[K", what_, with_commas(done_)).c_str(), stderr);
    (void)std::fflush(stderr);
    return;
  }
  const std::uint64_t done = std::min(done_, total_);
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string bar;
  const auto filled = static_cast<std::uint64_t>(share * kWidth);
  for (std::uint64_t i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  std::string line = fmt::format("\r{} {} {:3.0f} %", what_, bar, share * 100);
  if (!only_share_) line += fmt::format("  {} of {}", with_commas(done), with_commas(total_));
  if (!only_share_ && share > 0) line += fmt::format(", {:.0f} s left", elapsed / share - elapsed);
  line += fmt::format("{}{}\033[K", note_.empty() ? "" : ", ", note_);
  (void)std::fputs(line.c_str(), stderr);  // a terminal that went away is no reason to stop
  (void)std::fflush(stderr);
}

std::string with_commas(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace discreet::present
