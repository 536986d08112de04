// How many questions are to be asked, and from which seed on: DISCREET_QUESTIONS=1000.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace discreet::service::testing::questions {

// A number in the environment; nothing where it has none.
inline std::optional<std::uint64_t> setting(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::optional<std::uint64_t>(std::strtoull(text, nullptr, 10)) : std::nullopt;
}

}  // namespace discreet::service::testing::questions
