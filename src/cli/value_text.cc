#include "discreet/cli/value_text.h"

#include <cmath>

#include "discreet/policy/value.h"
#include "discreet/privacy/event.h"

namespace discreet::cli {
namespace {

using mechanism::Gaps;
using mechanism::Label;
using mechanism::Labels;
using mechanism::Rows;
using mechanism::Value;
using privacy::Overloaded;

template <class Items, class Write>
std::string list_of(const Items& items, const Write& write) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += write(item);
  }
  return out + "]";
}

std::string number(const Rational& value) { return number_json(value); }
std::string numbers(const mechanism::Numbers& values) { return list_of(values, number); }
std::string counts(const mechanism::Counts& all) {
  std::string out = "{";
  for (const auto& [name, count] : all)
    out += (out.size() > 1 ? "," : "") + text_json(name) + ":" + std::to_string(count);
  return out + "}";
}
std::string label(const Label& value) {
  return value.name ? text_json(*value.name) : std::to_string(value.index);
}

Integer rounded(const Rational& value, Rounding rounding) {
  Integer out;
  (rounding == Rounding::kDown ? mpz_fdiv_q : mpz_cdiv_q)(
      out.get_mpz_t(), value.get_num().get_mpz_t(), value.get_den().get_mpz_t());
  return out;
}

// Decimals after the point are cut where six digits are enough without them. A zero before the
// first digit that counts is none.
Rational six_digits(const Rational& value, Rounding rounding) {
  if (value == 0) return value;
  constexpr long kEnough = 100'000;
  Rational scale = 1;
  while (abs(value) * scale < kEnough) scale *= 10;
  return Rational(rounded(value * scale, rounding)) / scale;
}

}  // namespace

std::string json_of(const Value& value) {
  return std::visit(Overloaded{
                        [](const Rational& one) { return number(one); },
                        [](const mechanism::Numbers& all) { return numbers(all); },
                        [](const Label& one) { return label(one); },
                        [](const Labels& all) { return list_of(all, label); },
                        [](const mechanism::Flags& all) {
                          return list_of(all, [](bool flag) { return flag ? "true" : "false"; });
                        },
                        [](const Gaps& all) {
                          return list_of(
                              all, [](const auto& gap) { return gap ? number(*gap) : "null"; });
                        },
                        [](const Rows& all) { return list_of(all, numbers); },
                        [](const mechanism::Counts& all) { return counts(all); },
                        [](const mechanism::Nothing&) { return std::string("null"); },
                    },
                    value);
}

std::string text_of(const Label& value) {
  if (value.name == "") return "(empty)";
  return value.name.value_or(std::to_string(value.index));
}

std::string text_of(const Value& value) {
  if (std::holds_alternative<mechanism::Nothing>(value)) return "(nothing)";
  const Label* one = std::get_if<Label>(&value);
  return one != nullptr ? text_of(*one) : json_of(value);
}

Value shortened(const Value& value, Rounding rounding) {
  if (const auto* one = std::get_if<Rational>(&value)) return six_digits(*one, rounding);
  const auto* all = std::get_if<mechanism::Numbers>(&value);
  if (all == nullptr) return value;
  mechanism::Numbers out;
  for (const Rational& one : *all) out.push_back(six_digits(one, rounding));
  return out;
}

std::string bound_text(double bound) {
  if (!std::isfinite(bound)) return number_json(bound);
  const Rational exact(bound), below(std::nextafter(bound, 0.0));
  const Rational down = six_digits(exact, Rounding::kDown);
  return number_json(to_double(down >= below ? down : six_digits(exact, Rounding::kUp)));
}

std::string number_json(const Rational& value) {
  std::string text = to_decimal(value);
  return text.find('/') == std::string::npos ? text : number_json(to_double(value));
}

std::string number_json(double value) { return policy::json_number(value); }

std::string text_json(std::string_view text) { return policy::json_text(text); }

}  // namespace discreet::cli
