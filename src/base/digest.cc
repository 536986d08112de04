#include "discreet/base/digest.h"

#include <openssl/sha.h>

namespace discreet {

Digest sha256(std::string_view bytes) {
  static_assert(sizeof(Digest) == SHA256_DIGEST_LENGTH);
  Digest out;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data());
  return out;
}

std::string hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

}  // namespace discreet
