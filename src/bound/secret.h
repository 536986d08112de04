// The run's secret: 256 bits that choose which of a unit's groups and rows are kept. It is drawn
// for one run and forgotten.
//
// Every choice is a function of the secret and of this unit's own rows, so that no unit's presence
// changes what is kept of another. The hash's outputs are never shown; privacy needs nothing of it
// but that, fairness needs it to look random.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "discreet/bound/hashing.h"
#include "discreet/bound/wide.h"
#include "discreet/random/source.h"

namespace discreet::bound {

struct Secret {
  std::array<std::uint64_t, 4> words{};
  // Null: choices are made by this room's own hash, which is the quickest.
  const Hashing* hashing = nullptr;
  static Result<Secret> draw(random::Source& source) {
    Secret out;
    if (auto ok = source.fill(out.words); !ok) return tl::unexpected<Error>(ok.error());
    return out;
  }
};

// SipHash-1-3 (Aumasson and Bernstein) with 64 or 128 bits of output.
class SipHash {
 public:
  SipHash(std::uint64_t k0, std::uint64_t k1) : k0_(k0), k1_(k1) {}

  std::uint64_t operator()(std::string_view text) const { return hash(text, nullptr); }
  // Both halves of 128 bits.
  std::uint64_t operator()(std::string_view text, std::uint64_t& high) const {
    return hash(text, &high);
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
  struct State {
    std::uint64_t a, b, c, d;
    void round() {
      a += b;
      b = rotate(b, 13) ^ a;
      a = rotate(a, 32);
      c += d;
      d = rotate(d, 16) ^ c;
      a += d;
      d = rotate(d, 21) ^ a;
      c += b;
      b = rotate(b, 17) ^ c;
      c = rotate(c, 32);
    }
  };
  std::uint64_t hash(std::string_view text, std::uint64_t* high) const {
    State s{k0_ ^ 0x736f6d6570736575u, k1_ ^ 0x646f72616e646f6du, k0_ ^ 0x6c7967656e657261u,
            k1_ ^ 0x7465646279746573u};
    if (high) s.b ^= 0xee;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; at += 8, left -= 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      s.d ^= word;
      s.round();
      s.a ^= word;
    }
    std::uint64_t last = static_cast<std::uint64_t>(text.size()) << 56;
    for (std::size_t i = 0; i < left; ++i)
      last |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    s.d ^= last;
    s.round();
    s.a ^= last;
    s.c ^= high ? 0xee : 0xff;
    for (int i = 0; i < 3; ++i) s.round();
    const std::uint64_t out = s.a ^ s.b ^ s.c ^ s.d;
    if (high) {
      s.b ^= 0xdd;
      for (int i = 0; i < 3; ++i) s.round();
      *high = s.a ^ s.b ^ s.c ^ s.d;
    }
    return out;
  }
  std::uint64_t k0_, k1_;
};

// A keyed permutation of 64-bit numbers (three rounds of multiply, add and xor-shift): whole-number
// units never collide.
inline std::uint64_t permute(const Secret& secret, std::uint64_t x) {
  x = (x ^ secret.words[0]) * 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x = (x + secret.words[1]) * 0xBF58476D1CE4E5B9u;
  x ^= x >> 29;
  x = (x ^ secret.words[2]) * 0x94D049BB133111EBu;
  return x ^ (x >> 32);
}

// Mixes two numbers under the secret: the high and low half of their product, folded.
inline std::uint64_t mix(const Secret& secret, std::uint64_t a, std::uint64_t b) {
  const auto fold = [](std::uint64_t x, std::uint64_t y) {
    const UnsignedWide product = static_cast<UnsignedWide>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  return fold(fold(a ^ secret.words[2], b ^ secret.words[3]) ^ secret.words[0],
              secret.words[1] | 1);
}

}  // namespace discreet::bound
