#include "discreet/mechanism/parameter.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"

namespace discreet::mechanism {
namespace {

template <class T>
std::optional<T> get(const Parameters::Named& values, std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  const T* value = std::get_if<T>(&found->second);
  return value == nullptr ? std::nullopt : std::optional<T>(*value);
}

tl::unexpected<Error> refuse(const Parameter& parameter, const std::string& found) {
  return bad_parameter(std::string(parameter.name),
                       fmt::format("found {}; accepted is {}", found, accepted(parameter)));
}

Result<Rational> number_of(const Parameter& parameter, const ParameterValue& value) {
  if (const auto* number = std::get_if<Rational>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return Rational(Integer(static_cast<long>(*whole)));
  return refuse(parameter, "something else");
}

bool in_range(const Parameter& parameter, const Rational& number) {
  if (parameter.most != 0 && number > Rational(Integer(static_cast<long>(parameter.most))))
    return false;
  switch (parameter.kind) {
    case ParameterKind::kPositive:
      return sgn(number) > 0;
    case ParameterKind::kNotNegative:
      return sgn(number) >= 0;
    case ParameterKind::kNumber:
      return true;
    case ParameterKind::kProbability:
      return sgn(number) > 0 && number < 1;
    case ParameterKind::kWhole:
      return number.get_den() == 1 && number >= 1 && mpz_fits_slong_p(number.get_num_mpz_t()) != 0;
    case ParameterKind::kFlag:
    case ParameterKind::kRelation:
    case ParameterKind::kLabels:
    case ParameterKind::kChoice:
    case ParameterKind::kRange:
      break;
  }
  return false;
}

Result<ParameterValue> checked_value(const Parameter& parameter, const ParameterValue& value) {
  switch (parameter.kind) {
    case ParameterKind::kFlag:
      if (!std::holds_alternative<bool>(value)) return refuse(parameter, "something else");
      return value;
    case ParameterKind::kRelation:
      if (!std::holds_alternative<privacy::Relation>(value))
        return refuse(parameter, "something else");
      return value;
    case ParameterKind::kLabels:
      if (!std::holds_alternative<std::vector<std::string>>(value))
        return refuse(parameter, "something else");
      return value;
    case ParameterKind::kChoice: {
      const auto* word = std::get_if<std::string>(&value);
      if (word == nullptr) return refuse(parameter, "something else");
      const auto& known = parameter.choices;
      if (std::find(known.begin(), known.end(), *word) == known.end())
        return refuse(parameter, quote(*word));
      return value;
    }
    case ParameterKind::kRange: {
      const auto* range = std::get_if<Limits>(&value);
      if (range == nullptr) return refuse(parameter, "something else");
      if (range->low >= range->high)
        return refuse(parameter, quote(to_decimal(range->low) + "," + to_decimal(range->high)));
      return value;
    }
    case ParameterKind::kPositive:
    case ParameterKind::kNotNegative:
    case ParameterKind::kNumber:
    case ParameterKind::kProbability:
    case ParameterKind::kWhole:
      break;
  }
  const Rational number = TRY(number_of(parameter, value));
  if (!in_range(parameter, number)) return refuse(parameter, quote(to_decimal(number)));
  if (parameter.kind == ParameterKind::kWhole)
    return static_cast<std::int64_t>(number.get_num().get_si());
  return number;
}

}  // namespace

std::optional<Rational> Parameters::number(std::string_view name) const {
  return get<Rational>(values_, name);
}
std::optional<std::int64_t> Parameters::whole(std::string_view name) const {
  return get<std::int64_t>(values_, name);
}
bool Parameters::flag(std::string_view name) const {
  return get<bool>(values_, name).value_or(false);
}
std::vector<std::string> Parameters::labels(std::string_view name) const {
  return get<std::vector<std::string>>(values_, name).value_or(std::vector<std::string>{});
}
std::optional<std::string> Parameters::choice(std::string_view name) const {
  return get<std::string>(values_, name);
}
std::optional<Limits> Parameters::range(std::string_view name) const {
  return get<Limits>(values_, name);
}
privacy::Relation Parameters::relation() const {
  return stated_relation().value_or(privacy::Relation::kAddRemove);
}
std::optional<privacy::Relation> Parameters::stated_relation() const {
  return get<privacy::Relation>(values_, kRelation.name);
}

std::string accepted(const Parameter& parameter) {
  const std::string end = parameter.most == 0 ? "" : fmt::format(" at most {}", parameter.most);
  const auto number = [&](std::string_view low) {
    return fmt::format("a number{}{}{}, such as {}", low,
                       !low.empty() && !end.empty() ? " and" : "", end, parameter.example);
  };
  switch (parameter.kind) {
    case ParameterKind::kPositive:
      return number(" above 0");
    case ParameterKind::kNotNegative:
      return number(" of at least 0");
    case ParameterKind::kNumber:
      return number("");
    case ParameterKind::kProbability:
      return number(" above 0 and below 1");
    case ParameterKind::kWhole:
      return fmt::format("a whole number from 1{}",
                         parameter.most == 0 ? " on" : fmt::format(" to {}", parameter.most));
    case ParameterKind::kFlag:
      return "true or false";
    case ParameterKind::kRelation:
      return "add-remove or substitute";
    case ParameterKind::kLabels:
      return "a list of words";
    case ParameterKind::kChoice:
      return fmt::format("{}", fmt::join(parameter.choices, ", "));
    case ParameterKind::kRange:
      return "two numbers, the first below the second, such as 0,100";
  }
  return {};
}

Result<Parameters> checked(std::string_view who, std::span<const Parameter> known,
                           const Parameters& given) {
  std::vector<std::string> names;
  for (const Parameter& parameter : known) names.emplace_back(parameter.name);
  for (const auto& [name, value] : given.all()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return fail(
          Code::kUsage,
          fmt::format("{}: found the parameter {}, which it doesn't take", who, quote(name)),
          did_you_mean(name, names));
    }
  }
  Parameters out;
  for (const Parameter& parameter : known) {
    const auto found = given.all().find(parameter.name);
    if (found != given.all().end()) {
      ParameterValue value = TRY(checked_value(parameter, found->second));
      out.set(parameter.name, std::move(value));
    } else if (parameter.required) {
      return bad_parameter(std::string(parameter.name),
                           "missing; accepted is " + accepted(parameter));
    }
  }
  return out;
}

}  // namespace discreet::mechanism
