// Names in queries and policies: any case is the same name.
#pragma once

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace discreet::policy {

inline bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

inline std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace discreet::policy
