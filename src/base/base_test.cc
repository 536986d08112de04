#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "discreet/base/ball.h"
#include "discreet/base/error.h"
#include "discreet/base/number.h"
#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"

namespace discreet {
namespace {

Rational number(std::string_view text, Rounding rounding = Rounding::kDown) {
  auto value = parse_number(text, rounding);
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(Rational(-999));
}

TEST(Number, ReadsWhatPeopleWriteExactly) {
  EXPECT_EQ(number("0.1"), Rational(1, 10));
  EXPECT_EQ(number("0.1") * 10, 1);
  EXPECT_EQ(number("1e-6"), Rational(1, 1000000));
  EXPECT_EQ(number("1/3"), Rational(1, 3));
  EXPECT_EQ(number("-2.50E2"), -250);
  EXPECT_EQ(number("2^40"), Rational(Integer(1) << 40));
  EXPECT_EQ(number("2^-20"), Rational(1, 1 << 20));
  EXPECT_EQ(number(".5"), Rational(1, 2));
}

TEST(Number, ManyFactorsAreNotDepth) {
  std::string text = "1";
  for (int i = 0; i < 30; ++i) text += "*ln(3)/ln(3)*-1";
  EXPECT_NEAR(number(text).get_d(), 1, 1e-12);
}

TEST(Quote, KeepsAMessageOnItsLine) {
  EXPECT_EQ(quote("abc"), "'abc'");
  EXPECT_EQ(quote("a\nb\x1b[31m"), "'a\\x0ab\\x1b[31m'");
  EXPECT_EQ(quote(std::string(100, 'x')), "'" + std::string(60, 'x') + "…'");
}

TEST(Number, RoundsLogarithmsToTheSideAskedFor) {
  for (const char* text : {"ln(3)", "-ln(3)", "1/ln(3)", "ln(3)*ln(1/2)", "-2/ln(1/3)"}) {
    const Rational low = number(text, Rounding::kDown), high = number(text, Rounding::kUp);
    EXPECT_LT(low, high) << text;
    EXPECT_LT(Rational(high - low) * (Integer(1) << 120), 8) << text;
  }
  // ln 3 = 1.0986122886681098…
  EXPECT_LT(number("ln(3)", Rounding::kDown), number("1.09861228866810969140"));
  EXPECT_GT(number("ln(3)", Rounding::kUp), number("1.09861228866810969139"));
  EXPECT_EQ(number("ln(1)"), 0);
}

TEST(Number, RefusesEverythingElse) {
  for (const char* text :
       {"",     " ",       "nan",  "inf",   "-inf",     "0x10",
        "1e",   "1e99999", "1..2", "1/0",   "ln(0)",    "ln(-1)",
        "ln(3", "3)",      "1 2",  "2^1e9", "9^4096^2", "1e400000000000000000000",
        "--",   "1/ln(1)", "∞"}) {
    EXPECT_FALSE(parse_number(text, Rounding::kDown).has_value()) << text;
  }
  EXPECT_FALSE(parse_number(std::string(100000, '-'), Rounding::kDown).has_value());
}

// Logarithms that may be 0 as far as 128 bits tell: between a negative and a positive end, or with
// 0 at one of them.
TEST(Number, NothingIsDividedByWhatMayBeZero) {
  const std::string hair = std::string(60, '0') + "1", nines(60, '9');
  for (const std::string& text : {std::string("ln(ln(3)/ln(3))"), "ln(1." + hair + ")",
                                  "ln(0." + nines + ")", std::string("ln(1)"), std::string("0")}) {
    EXPECT_LE(number(text, Rounding::kDown), 0) << text;
    EXPECT_GE(number(text, Rounding::kUp), 0) << text;
    for (const char* dividend : {"1/", "-1/", "ln(3)/"})
      EXPECT_FALSE(parse_number(dividend + text, Rounding::kDown).has_value()) << dividend << text;
  }
}

// The largest piece of memory that GMP asks for while one of these lives.
class LargestPiece {
 public:
  LargestPiece() {
    largest_ = 0;
    mp_get_memory_functions(&allocate_, &reallocate_, &free_);
    mp_set_memory_functions(
        [](std::size_t size) {
          largest_ = std::max(largest_, size);
          return allocate_(size);
        },
        [](void* piece, std::size_t old_size, std::size_t size) {
          largest_ = std::max(largest_, size);
          return reallocate_(piece, old_size, size);
        },
        free_);
  }
  ~LargestPiece() { mp_set_memory_functions(allocate_, reallocate_, free_); }
  LargestPiece(const LargestPiece&) = delete;
  LargestPiece& operator=(const LargestPiece&) = delete;

  std::size_t bytes() const { return largest_; }

 private:
  static inline std::size_t largest_ = 0;
  static inline void* (*allocate_)(std::size_t) = nullptr;
  static inline void* (*reallocate_)(void*, std::size_t, std::size_t) = nullptr;
  static inline void (*free_)(void*, std::size_t) = nullptr;
};

// A power of 55 million bits is refused before it is calculated, not after.
TEST(Number, APowerDoesNotEatTheMemory) {
  constexpr std::size_t kMost = 1 << 18;
  for (const char* text : {"1e4096^4096", "1e-4096^4096", "1e4096^-4096"}) {
    const LargestPiece largest;
    EXPECT_FALSE(parse_number(text, Rounding::kDown).has_value()) << text;
    EXPECT_GT(largest.bytes(), 0U);
    EXPECT_LT(largest.bytes(), kMost) << text;
  }
}

TEST(Number, DecimalsAreExactOrFractions) {
  EXPECT_EQ(to_decimal(Rational(1, 10)), "0.1");
  EXPECT_EQ(to_decimal(Rational(-1, 8)), "-0.125");
  EXPECT_EQ(to_decimal(Rational(1, 3)), "1/3");
  EXPECT_EQ(to_decimal(1500000), "1500000");
  EXPECT_EQ(to_decimal(number("1e-6")), "0.000001");
}

TEST(Number, DoublesOnEitherSide) {
  EXPECT_LT(to_double(Rational(1, 10), Rounding::kDown), to_double(Rational(1, 10), Rounding::kUp));
  EXPECT_EQ(to_double(Rational(1, 4), Rounding::kDown), 0.25);
  EXPECT_EQ(*exactly(0.1), Rational(0.1));
  EXPECT_NE(*exactly(0.1), Rational(1, 10));
  EXPECT_FALSE(exactly(std::numeric_limits<double>::quiet_NaN()).has_value());
  EXPECT_FALSE(exactly(std::numeric_limits<double>::infinity()).has_value());
}

TEST(Ball, EnclosesTheTruth) {
  const Ball third(Rational(1, 3), 64);
  EXPECT_LE(third.lower(), 1.0 / 3);
  EXPECT_GE(third.upper(), 1.0 / 3);
  const Ball e = exp(Ball(1), 200);
  EXPECT_EQ(e.floor_shifted(64), Integer("50143449209799256682"));  // ⌊e·2^64⌋, OEIS A001113
  EXPECT_EQ(e.ceil_shifted(64), Integer("50143449209799256683"));
  EXPECT_TRUE(surely_less(Ball(2), e));
  EXPECT_FALSE(surely_less(e, e));
  const Ball quarter = div(Ball::pi(200), Ball(4), 200);
  EXPECT_NEAR(atan(Ball(1), 200).middle(), quarter.middle(), 1e-16);
  EXPECT_TRUE(surely_less(tan(quarter, 200), Ball(Rational(1000001, 1000000), 200)));
  EXPECT_FALSE(surely_less(tan(quarter, 200), Ball(1)));

  const Ball wide = Ball::between(1, 2, 64);
  EXPECT_FALSE(surely_less(wide, Ball(2)));
  EXPECT_TRUE(surely_at_most(Ball(1), Ball(1)));
}

TEST(Suggest, FindsTheNearestWord) {
  const std::vector<std::string> words{"laplace", "gaussian", "geometric", "discrete-gaussian"};
  EXPECT_EQ(nearest("lapalce", words), "laplace");
  EXPECT_EQ(nearest("Gausian", words), "gaussian");
  EXPECT_EQ(nearest("zzzzzz", words), "");
  EXPECT_EQ(did_you_mean("zzzzzz", words),
            "one of laplace, gaussian, geometric, discrete-gaussian");
}

TEST(Error, PointsAtThePlace) {
  const Error error{Code::kUsage, "unknown event 'gausian'", "did you mean 'gaussian'?",
                    Position{"laplace(1)\n é gausian(2)", 15, 7}};
  EXPECT_EQ(error.text(),
            "unknown event 'gausian' (did you mean 'gaussian'?)\n   é gausian(2)\n     ^^^^^^^");
  EXPECT_EQ(
      error.json(),
      R"({"code":"usage","message":"unknown event 'gausian'","hint":"did you mean 'gaussian'?","position":{"offset":15,"length":7,"line":2,"column":4}})");
}

TEST(Error, ShowsOneHundredCharactersOfALongLine) {
  const std::string far = std::string(5000, 'a') + "é wrong " + std::string(5000, 'b');
  const std::string text = Error{Code::kRefused, "no", "", Position{far, 5003, 5}}.text();
  EXPECT_EQ(text, "no\n  …" + std::string(48, 'a') + "é wrong " + std::string(44, 'b') + "…\n  " +
                      std::string(51, ' ') + "^^^^^");
  const std::string first = Error{Code::kRefused, "no", "", Position{far, 0, 9000}}.text();
  EXPECT_EQ(first, "no\n  " + std::string(100, 'a') + "…\n  " + std::string(100, '^'));
  const std::string last = Error{Code::kRefused, "no", "", Position{far, far.size(), 1}}.text();
  EXPECT_EQ(last, "no\n  …" + std::string(100, 'b') + "\n  " + std::string(101, ' ') + "^");
}

TEST(Error, ACaretPastTheEndStaysPrintable) {
  const Error error{Code::kUsage, "m", "", Position{"abc", 99, 5}};
  EXPECT_EQ(error.text(), "m\n  abc\n     ^");
}

TEST(ToDouble, IsTheNearest) {
  for (const char* text : {"0.05", "0.07", "0.1", "-0.1", "1e-6", "123456789.123456789", "1e300"})
    EXPECT_EQ(to_double(*parse_number(text, Rounding::kDown)), std::strtod(text, nullptr)) << text;
  EXPECT_LT(parse_number("0.07", Rounding::kDown)->get_d(), 0.07);  // what cutting off would give
}

}  // namespace
}  // namespace discreet
