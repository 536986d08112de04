// A place in a policy's file, and the values that may stand there. What is none of them is refused
// in the words of that place: "clinic.toml: policy.budget: accepted is …".
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>

#include "discreet/base/error.h"
#include "discreet/base/number.h"
#include "discreet/policy/toml.h"

namespace discreet::policy {

struct Place {
  const std::string& path;
  std::string key;
  Place in(std::string_view name) const {
    return {path, key.empty() ? std::string(name) : fmt::format("{}.{}", key, name)};
  }
  tl::unexpected<Error> fail(std::string message, std::string hint = {}) const {
    return discreet::fail(Code::kUsage, fmt::format("{}: {}: {}", path, key, message),
                          std::move(hint));
  }
};

// A key that isn't known is told with the nearest one that is.
Status known_keys(const Place& at, const toml::table& table,
                  std::initializer_list<const char*> known);

// `example` is what could stand there.
Result<std::string> text_at(const Place& at, const toml::node& node,
                            std::string_view example = "visits");
// 3, 0.1 and "ln(3)" alike.
Result<Rational> number_at(const Place& at, const toml::node& node, Rounding rounding);
Result<std::int64_t> count_at(const Place& at, const toml::node& node);
Result<bool> bool_at(const Place& at, const toml::node& node);

}  // namespace discreet::policy
