// Numbers as people write them: ε = ln(3), δ = 1e-6.
#include "discreet/base/number.h"
#include "discreet/ledger/account.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

void shown_on_its_side(const Rational& value, Rounding rounding) {
  const double near = to_double(value, rounding);
  const bool up = rounding == Rounding::kUp;
  if (const auto exact = exactly(near))
    require(up ? *exact >= value : *exact <= value, "a double lies on the side it is rounded to");
  const auto shown = parse_number(ledger::short_text(value, rounding), rounding);
  // a product may lie beyond the exponents that are read
  require(!shown || (up ? *shown >= value : *shown <= value),
          "a short text lies on the side it is rounded to");
}

}  // namespace

void target(std::string_view bytes) {
  const auto low = parse_number(bytes, Rounding::kDown), high = parse_number(bytes, Rounding::kUp);
  require(low.has_value() == high.has_value(), "the rounding decides no refusal");
  if (!low) return require_refusal(low.error(), {Code::kUsage});
  require(*low <= *high, "down is not above up");
  for (const Rational& value : {*low, *high}) {
    const auto back = parse_number(to_decimal(value), Rounding::kDown);
    require(back && *back == value, "a printed number reads back");
    shown_on_its_side(value, Rounding::kDown);
    shown_on_its_side(value, Rounding::kUp);
  }
}

}  // namespace discreet::fuzz
