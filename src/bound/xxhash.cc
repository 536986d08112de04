#include "discreet/bound/xxhash.h"

#include <bit>
#include <limits>
#include <string>

namespace discreet::bound {
namespace {

// Y. Collet, "xxHash fast digest algorithm", version 0.1.1 (2016): the description of XXH64.
constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f,
                        kPrime3 = 0x165667b19e3779f9, kPrime4 = 0x85ebca77c2b2ae63,
                        kPrime5 = 0x27d4eb2f165667c5;

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < count; ++i)
    out |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return out;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

void append(std::string& to, std::uint64_t word) {
  for (int shift = 56; shift >= 0; shift -= 8) to += static_cast<char>(word >> shift);
}

}  // namespace

std::uint64_t xxh64(std::string_view bytes) {
  std::size_t at = 0;
  std::uint64_t hash = kPrime5;
  constexpr std::size_t kStripe = 32;
  if (bytes.size() >= kStripe) {
    std::uint64_t lanes[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
    for (; at + kStripe <= bytes.size(); at += kStripe)
      for (std::size_t i = 0; i < 4; ++i)
        lanes[i] = round(lanes[i], little_endian(bytes, at + 8 * i, 8));
    hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
           std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += bytes.size();
  for (; at + 8 <= bytes.size(); at += 8)
    hash = std::rotl(hash ^ round(0, little_endian(bytes, at, 8)), 27) * kPrime1 + kPrime4;
  if (at + 4 <= bytes.size()) {
    hash = std::rotl(hash ^ (little_endian(bytes, at, 4) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < bytes.size(); ++at)
    hash = std::rotl(hash ^ (little_endian(bytes, at, 1) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::uint64_t Xxh64::text(std::string_view value, std::uint64_t key) const {
  std::string bytes(value);
  append(bytes, key);
  return xxh64(bytes);
}

std::uint64_t Xxh64::whole(std::int64_t value, std::uint64_t key) const {
  std::string bytes;
  append(bytes, static_cast<std::uint64_t>(value));
  append(bytes, key);
  return xxh64(bytes);
}

std::uint64_t Xxh64::real(double value, std::uint64_t key) const {
  if (value == 0) value = 0;
  if (value != value) value = std::numeric_limits<double>::quiet_NaN();
  return whole(std::bit_cast<std::int64_t>(value), key);
}

}  // namespace discreet::bound
