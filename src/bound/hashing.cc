#include "discreet/bound/hashing.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace discreet::bound {
namespace {

// Three words, and how bytes get into them (B. Jenkins, "lookup3.c", 2006, public domain).
struct State {
  std::uint32_t a, b, c;

  void mix() {
    const auto step = [](std::uint32_t& x, std::uint32_t& y, const std::uint32_t& z, int by) {
      x -= y;
      x ^= std::rotl(y, by);
      y += z;
    };
    step(a, c, b, 4);
    step(b, a, c, 6);
    step(c, b, a, 8);
    step(a, c, b, 16);
    step(b, a, c, 19);
    step(c, b, a, 4);
  }
  void finish() {
    const auto step = [](std::uint32_t& x, const std::uint32_t& y, int by) {
      x ^= y;
      x -= std::rotl(y, by);
    };
    step(c, b, 14);
    step(a, c, 11);
    step(b, a, 25);
    step(c, b, 16);
    step(a, c, 4);
    step(b, a, 14);
    step(c, b, 24);
  }
};

constexpr int kHalf = 32;

std::uint64_t hash(std::string_view bytes, std::uint64_t key) {
  // The golden ratio and a constant of PostgreSQL's.
  const std::uint32_t start =
      0x9e3779b9U + static_cast<std::uint32_t>(bytes.size()) + std::uint32_t{3923095};
  State state{start, start, start};
  if (key != 0) {
    state.a += static_cast<std::uint32_t>(key >> kHalf);
    state.b += static_cast<std::uint32_t>(key);
    state.mix();
  }
  constexpr std::size_t kBlock = 12;
  const auto word = [](const char* at) {
    std::uint32_t out;
    std::memcpy(&out, at, sizeof out);
    return out;
  };
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) {
    state.a += word(bytes.data());
    state.b += word(bytes.data() + 4);
    state.c += word(bytes.data() + 8);
    state.mix();
  }
  // What is left goes where a whole block's bytes would, but for c: its lowest byte stands for the
  // length, so the bytes there are one place higher.
  const auto piece = [&](std::size_t from, std::size_t count, int shift) {
    std::uint32_t out = 0;
    for (std::size_t i = from; i < std::min(from + count, bytes.size()); ++i)
      out += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]))
             << (8 * (i - from) + static_cast<std::size_t>(shift));
    return out;
  };
  state.a += piece(0, 4, 0);
  state.b += piece(4, 4, 0);
  state.c += piece(8, 3, 8);
  state.finish();
  return (static_cast<std::uint64_t>(state.b) << kHalf) | state.c;
}

}  // namespace

std::uint64_t Lookup3::whole(std::int64_t value, std::uint64_t key) const {
  return real(static_cast<double>(value), key);
}

std::uint64_t Lookup3::real(double value, std::uint64_t key) const {
  if (value == 0) return key;
  if (value != value) value = std::numeric_limits<double>::quiet_NaN();
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  return hash({bytes, sizeof bytes}, key);
}

std::uint64_t Lookup3::text(std::string_view value, std::uint64_t key) const {
  return hash(value, key);
}

}  // namespace discreet::bound
