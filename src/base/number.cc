#include "discreet/base/number.h"

#include <fmt/format.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"

namespace discreet {
namespace {

constexpr long kLargestExponent = 4096;
constexpr std::size_t kMostDigits = 2 * kLargestExponent;  // of a decimal; twice that of a fraction
constexpr mpfr_prec_t kLogBits = 128;

// A number, or the two rationals it lies between: only ln(x) makes them differ.
struct Range {
  Rational low, high;
};

Range times(const Range& a, const Range& b) {
  const Rational ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(std::begin(ends), std::end(ends)),
          *std::max_element(std::begin(ends), std::end(ends))};
}

// A recursive-descent reader of   product := factor (('*'|'/') factor)*
//                                 factor  := '-'? ( decimal ('^' '-'? integer)? | 'ln(' product ')'
//                                 )
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Range> read() {
    auto value = TRY(product());
    skip_spaces();
    if (at_ != text_.size()) return wrong();
    return value;
  }

 private:
  Result<Range> product() {
    auto value = factor();
    while (value) {
      skip_spaces();
      if (at_ >= text_.size() || (text_[at_] != '*' && text_[at_] != '/')) return value;
      const char op = text_[at_++];
      auto right = factor();
      if (!right) return right;
      if (op == '/') {
        if (sgn(right->low) <= 0 && sgn(right->high) >= 0) return wrong();
        right = Range{1 / right->high, 1 / right->low};
      }
      value = times(*value, *right);
      if (too_large(value->low) || too_large(value->high)) return wrong();
    }
    return value;
  }

  Result<Range> factor() {
    skip_spaces();
    if (take("-")) {
      if (++depth_ > kDeepest) return wrong();
      auto value = factor();
      --depth_;
      if (value) value = Range{-value->high, -value->low};
      return value;
    }
    if (take("ln(")) return logarithm();
    auto value = decimal();
    if (!value) return forward_error(value);
    if (take("^")) {
      value = power(*value);
      if (!value) return forward_error(value);
    }
    return Range{*value, *value};
  }

  Result<Rational> power(const Rational& base) {
    const bool negative = take("-");
    auto exponent = decimal();
    if (!exponent || exponent->get_den() != 1 || *exponent > kLargestExponent || sgn(base) == 0)
      return wrong();
    const unsigned long size = exponent->get_num().get_ui();
    // a^b has about log2(a)·b bits: what is sane to write is small, what isn't must not eat the
    // memory
    const std::size_t bits =
        std::max(mpz_sizeinbase(base.get_num_mpz_t(), 2), mpz_sizeinbase(base.get_den_mpz_t(), 2));
    if (bits * size > 64 * kLargestExponent) return wrong();
    Rational out;
    mpz_pow_ui(out.get_num_mpz_t(), base.get_num_mpz_t(), size);
    mpz_pow_ui(out.get_den_mpz_t(), base.get_den_mpz_t(), size);
    if (negative) mpq_inv(out.get_mpq_t(), out.get_mpq_t());
    if (too_large(out)) return wrong();
    return out;
  }

  Result<Range> logarithm() {
    if (++depth_ > kDeepest) return wrong();
    auto argument = product();
    --depth_;
    if (!argument) return argument;
    skip_spaces();
    if (!take(")") || sgn(argument->low) <= 0) return wrong();
    return Range{log_of(argument->low, MPFR_RNDD), log_of(argument->high, MPFR_RNDU)};
  }

  // ln rises, so rounding the argument and then its logarithm the same way stays on one side of the
  // truth.
  static Rational log_of(const Rational& argument, mpfr_rnd_t mode) {
    mpfr_t x;
    mpfr_init2(x, kLogBits);
    mpfr_set_q(x, argument.get_mpq_t(), mode);
    mpfr_log(x, x, mode);
    Rational out;
    mpfr_get_q(out.get_mpq_t(), x);
    mpfr_clear(x);
    return out;
  }

  // digits [. digits] [e [+-] digits]
  Result<Rational> decimal() {
    std::string digits;
    long point = 0;
    while (is_digit()) digits += text_[at_++];
    if (take(".")) {
      while (is_digit()) {
        digits += text_[at_++];
        --point;
      }
    }
    if (digits.empty() || digits.size() > kMostDigits) return wrong();
    if (take("e") || take("E")) {
      const bool negative = take("-");
      if (!negative) take("+");
      long exponent = 0;
      if (!is_digit()) return wrong();
      while (is_digit()) {
        exponent = exponent * 10 + (text_[at_++] - '0');
        if (exponent > kLargestExponent) return wrong();
      }
      point += negative ? -exponent : exponent;
    }
    Rational value(Integer(digits, 10));
    Integer ten;
    mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(point)));
    if (point >= 0) {
      value *= ten;
    } else {
      value /= ten;
    }
    if (too_large(value)) return wrong();
    return value;
  }

  bool is_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  tl::unexpected<Error> wrong() const {
    return fail(Code::kUsage, fmt::format("found {}, which is not a number", quote(text_)),
                "write it like 0.5, 1e-6, 1/3 or ln(3)");
  }

  // What is sane to write is small. What is held can always be written out, as to_decimal does, and
  // read again: a ledger depends on it.
  static bool too_large(const Rational& value) {
    constexpr std::size_t kMostBits = 3 * kMostDigits;  // fewer than kMostDigits decimal digits
    return mpz_sizeinbase(value.get_num_mpz_t(), 2) > kMostBits ||
           mpz_sizeinbase(value.get_den_mpz_t(), 2) > kMostBits;
  }

  static constexpr int kDeepest = 16;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Rational> parse_number(std::string_view text, Rounding rounding) {
  constexpr std::size_t kLongest = 20'000;
  auto range = Reader(text.substr(0, kLongest + 1)).read();
  if (text.size() > kLongest) {
    return fail(Code::kUsage, fmt::format("found {}, a number of more than {} characters",
                                          quote(text), kLongest));
  }
  if (!range) return forward_error(range);
  return rounding == Rounding::kUp ? range->high : range->low;
}

namespace {

double rounded(const Rational& value, mpfr_rnd_t mode) {
  mpfr_t x;
  mpfr_init2(x, 53);
  mpfr_set_q(x, value.get_mpq_t(), mode);
  const double out = mpfr_get_d(x, mode);
  mpfr_clear(x);
  return out;
}

}  // namespace

double to_double(const Rational& value, Rounding rounding) {
  return rounded(value, rounding == Rounding::kUp ? MPFR_RNDU : MPFR_RNDD);
}

double to_double(const Rational& value) { return rounded(value, MPFR_RNDN); }

std::string to_decimal(const Rational& value) {
  // A fraction in lowest terms ends in decimal iff its denominator is 2^a 5^b; then max(a, b)
  // digits do.
  constexpr unsigned long kMostDigits = 40;
  Integer rest = value.get_den();
  const unsigned long twos = mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), Integer(2).get_mpz_t());
  const unsigned long fives =
      mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), Integer(5).get_mpz_t());
  const unsigned long digits = std::max(twos, fives);
  if (rest != 1 || digits > kMostDigits) return value.get_str();
  if (digits == 0) return value.get_num().get_str();
  Integer ten;
  mpz_ui_pow_ui(ten.get_mpz_t(), 10, digits);
  std::string text = Integer(abs(value.get_num()) * ten / value.get_den()).get_str();
  if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
  text.insert(text.size() - digits, ".");
  return (sgn(value) < 0 ? "-" : "") + text;
}

std::string to_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

Result<Rational> exactly(double value) {
  if (!std::isfinite(value)) {
    return fail(Code::kUsage, fmt::format("found {}, accepted is a finite number", to_text(value)));
  }
  return Rational(value);
}

double to_written_double(const Rational& value, Rounding rounding) {
  for (const Rounding side : {Rounding::kDown, Rounding::kUp}) {
    const double near = to_double(value, side);
    if (const auto back = parse_number(to_text(near), rounding); back && *back == value)
      return near;
  }
  return to_double(value, rounding);
}

}  // namespace discreet
