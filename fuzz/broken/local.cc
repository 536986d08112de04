// The planted defect: a number with leading zeros is taken for the number.
#include "discreet/local/checks.h"

namespace discreet::local {

Fault read_index(std::string_view text, std::uint64_t end, Word& out) {
  std::uint64_t value = 0;
  if (text.empty() || text.size() > 12) return Fault::kMalformed;
  for (const char c : text) {
    if (c < '0' || c > '9') return Fault::kMalformed;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (value >= end) return Fault::kOutOfRange;
  out = static_cast<Word>(value);
  return Fault::kNone;
}

}  // namespace discreet::local
