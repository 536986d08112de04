// A private value, on the inner side of the noise barrier.
//
//   #include "discreet/mechanism/laplace.h"
//   auto smokers = Exact<std::int64_t>::from_private(412);
//   // std::cout << smokers;      doesn't compile
//   // if (smokers > 400) …       doesn't compile
//   auto mechanism = *laplace({.epsilon = Rational(1, 2), .sensitivity = 1});
//   auto answer = *mechanism.release(smokers);  // the one way out: with noise, and with its cost
//
// An Exact can be stored, copied, moved and handed to a mechanism. It can't be printed, compared,
// branched on, converted or serialised: it has no operators and no accessors, and isn't trivially
// copyable, so std::bit_cast is refused too. What opens it is the Door (door.h), which only
// mechanisms have. (C++ can't stop a program that is determined to read its own memory; the barrier
// is against mistakes.)
//
// In the query path the room `bound` is the only one that makes an Exact. A program that computes
// its own statistics says `from_private` where a private number enters: the name to look for in a
// review.
#pragma once

#include <type_traits>
#include <utility>

namespace discreet::mechanism {

class Door;

template <class T>
class Exact {
 public:
  static Exact from_private(T value) { return Exact(std::move(value)); }

  Exact(const Exact& other) : value_(other.value_) {}
  Exact& operator=(const Exact& other) {
    value_ = other.value_;
    return *this;
  }
  Exact(Exact&& other) noexcept : value_(std::move(other.value_)) {}
  Exact& operator=(Exact&& other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  // A plain number is wiped: it doesn't stay behind on the stack.
  ~Exact() {
    if constexpr (std::is_arithmetic_v<T>) *const_cast<volatile T*>(&value_) = T{};
  }

 private:
  friend class Door;
  explicit Exact(T value) : value_(std::move(value)) {}
  T value_;
};

}  // namespace discreet::mechanism
