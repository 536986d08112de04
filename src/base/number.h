// Numbers as people write them, held exactly: 0.1 is one tenth, and ten of them are 1.
//
//   Rational epsilon = *parse_number("0.1", Rounding::kDown);
//   std::string ten = to_decimal(epsilon * 10);  // "1"
#pragma once

#include <gmpxx.h>

#include <string>
#include <string_view>

#include "discreet/base/error.h"

namespace discreet {

using Integer = mpz_class;
using Rational = mpq_class;  // in lowest terms wherever this library makes one

// Which way to go where a number can't be held exactly. Charges go up, scales of noise go up,
// privacy parameters that are asked for go down: towards more privacy, whatever the number means.
enum class Rounding { kDown, kUp };

// Reads 42, -0.5, 1e-6, 1/3, ln(3), 2*ln(3), ln(3)/2, 2^40. Everything but ln(x) is exact; ln(x) is
// rounded at 128 bits. Refuses nan, inf, empty and trailing text, and exponents past ±4096.
Result<Rational> parse_number(std::string_view text, Rounding rounding);

// The nearest double on the given side (exact where one is).
double to_double(const Rational& value, Rounding rounding);
// The nearest double, halves to even: what a decimal means in a program. (mpq_class::get_d cuts
// off: a tenth would become 0.09999999999999999.)
double to_double(const Rational& value);

// The double that is written as exactly this decimal, where there is one; else the nearest on the
// given side. For JSON: 0.1 stays 0.1.
double to_written_double(const Rational& value, Rounding rounding);

// Exact where the decimal ends within 40 digits ("0.1", "1500000"); else the fraction "1/3".
std::string to_decimal(const Rational& value);

// The shortest text that reads back as the same double; "inf", "-inf" and "nan" by name.
std::string to_text(double value);

// Every finite double is a rational number; this is that one.
Result<Rational> exactly(double value);

}  // namespace discreet
