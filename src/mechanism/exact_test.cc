// The barrier, as the compiler sees it. Programs that must not compile are in tests/exact/ as well,
// each tried by itself.
#include "discreet/mechanism/exact.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/released.h"

namespace discreet::mechanism {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <class T>
concept Comparable = requires(const T& a, const T& b) {
  a == b;
}
|| requires(const T& a, const T& b) { a < b; };
template <class T>
concept Decides = requires(const T& value) {
  value ? 1 : 0;
};
template <class T>
concept Adds = requires(const T& a, const T& b) {
  a + b;
};

// The concepts can tell: a plain number has all of it.
static_assert(Printable<int> && Comparable<int> && Decides<int> && Adds<int>);

template <class T>
constexpr bool closed() {
  using E = Exact<T>;
  return !Printable<E> && !Comparable<E> && !Decides<E> && !Adds<E> && !std::convertible_to<E, T> &&
         !std::constructible_from<T, E> && !std::convertible_to<E, bool> &&
         !std::constructible_from<bool, E> && !std::is_trivially_copyable_v<E> &&
         !std::is_aggregate_v<E> && !std::convertible_to<T, E> && !std::constructible_from<E, T> &&
         !std::convertible_to<E, std::string>;
}
static_assert(closed<std::int64_t>());
static_assert(closed<double>());
static_assert(closed<std::string>());
static_assert(closed<std::vector<std::int64_t>>());

TEST(Exact, CanBeHandedAround) {
  static_assert(std::copyable<Exact<std::int64_t>>);
  // Released with an ε that leaves no noise: what comes out is what went in.
  const Additive mechanism = *count({.epsilon = Rational(100)});
  auto a = Exact<std::int64_t>::from_private(412);
  auto b = a;
  EXPECT_EQ(mechanism.release(a)->value(), 412);
  EXPECT_EQ(mechanism.release(b)->value(), 412);
  a = Exact<std::int64_t>::from_private(7);
  EXPECT_EQ(mechanism.release(a)->value(), 7);
  EXPECT_EQ(mechanism.release(b)->value(), 412) << "a copy is its own";
  a = b;
  EXPECT_EQ(mechanism.release(a)->value(), 412);
  const auto c = std::move(a);
  EXPECT_EQ(mechanism.release(c)->value(), 412);
}

TEST(Released, MappingKeepsTheGuarantee) {
  const privacy::Guarantee guarantee{Rational(1, 2), Rational(1, 1000),
                                     privacy::Relation::kSubstitute};
  const Released<std::int64_t> answer(415, guarantee, Margin{6, kConfidence});
  const Released<std::string> text =
      answer.map([](std::int64_t n) { return n > 400 ? std::string("many") : "few"; });
  EXPECT_EQ(text.value(), "many");
  EXPECT_EQ(text.guarantee(), guarantee);
  EXPECT_FALSE(text.margin().has_value());
  EXPECT_EQ(answer.margin()->error, 6);
}

}  // namespace
}  // namespace discreet::mechanism
