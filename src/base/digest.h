// SHA-256: by which files are known to be whole, and texts to be the same.
//
//   std::string name = hex(sha256("some text")).substr(0, 32);
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace discreet {

using Digest = std::array<unsigned char, 32>;
Digest sha256(std::string_view bytes);

std::string hex(std::span<const unsigned char> bytes);

}  // namespace discreet
