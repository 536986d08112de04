// A value that a mechanism let out, with what it cost and how far off it may be.
//
//   #include "discreet/mechanism/laplace.h"
//   auto mechanism = *count({.epsilon = Rational(1, 2)});
//   auto answer = *mechanism.release(Exact<std::int64_t>::from_private(412));
//   std::int64_t told = answer.value();               // 415
//   Rational epsilon = answer.guarantee().epsilon;    // 1/2
//   Rational error = answer.margin()->error;          // 6: within ±6, with 95 % confidence
//   // Post-processing: the same guarantee.
//   Released<bool> many = answer.map([](std::int64_t n) { return n > 400; });
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "discreet/base/number.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism {

// The exact value (on the grid) lies within ± `error` of the released one with at least this
// confidence, whatever it is. For a vector this holds for all cells at once.
struct Margin {
  Rational error;
  Rational confidence;
};

// The confidence that releases state.
inline const Rational kConfidence(19, 20);

template <class T>
class Released {
 public:
  Released(T value, privacy::Guarantee guarantee, std::optional<Margin> margin = std::nullopt)
      : value_(std::move(value)), guarantee_(std::move(guarantee)), margin_(std::move(margin)) {}

  const T& value() const& { return value_; }
  T value() && { return std::move(value_); }  // out of a result that is given up
  const privacy::Guarantee& guarantee() const { return guarantee_; }
  // None where an error has no size: a choice among candidates.
  const std::optional<Margin>& margin() const { return margin_; }

  // Post-processing: whatever is done with a released value, the guarantee stays. The margin
  // doesn't: nobody knows what f does to distances.
  template <class F>
  auto map(F&& f) const {
    using U = std::decay_t<std::invoke_result_t<F, const T&>>;
    return Released<U>(std::invoke(std::forward<F>(f), value_), guarantee_);
  }

 private:
  T value_;
  privacy::Guarantee guarantee_;
  std::optional<Margin> margin_;
};

}  // namespace discreet::mechanism
