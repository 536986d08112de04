#include "discreet/cli/local_rounds.h"

#include <algorithm>
#include <cmath>

#include "discreet/cli/interrupt.h"

namespace discreet::cli {
namespace {

constexpr std::uint64_t kSteps = 1000;  // of one estimate

}  // namespace

double near_enough(std::uint64_t users, std::size_t domain, double tolerance) {
  const auto reports = static_cast<double>(users);
  const bool costly = reports * static_cast<double>(domain) > local::kManySteps;
  return costly ? std::max(tolerance, 1e-3 / reports) : tolerance;
}

RoundsBar::RoundsBar(double tolerance, std::size_t estimates)
    : tolerance_(tolerance), bar_("estimating", kSteps * estimates) {}

// How far rounds have come is told by what is missing, which falls by about the same factor in
// each.
bool RoundsBar::operator()(std::size_t round, double gap) {
  if (round < round_) {  // the next estimate
    bar_.advance(kSteps - done_);
    first_ = 0, done_ = 0;
  }
  round_ = round;
  if (first_ == 0) first_ = gap;
  const double way = std::log(first_ / gap) / std::log(first_ / tolerance_);
  const auto now =
      static_cast<std::uint64_t>(static_cast<double>(kSteps) * (way > 0 ? std::min(way, 1.0) : 0));
  if (now > done_) {
    bar_.advance(now - done_);
    done_ = now;
  }
  return !Interrupt::asked();
}

Status not_interrupted(const local::Estimate& estimate) {
  if (estimate.stopped != local::Stopped::kAsked) return {};
  return fail(Code::kInterrupted, "interrupted");
}

}  // namespace discreet::cli
