// By what a unit's groups and rows are chosen: the smallest of these numbers stay. They are made in
// one of two ways: the quickest, this room's own, or by a hash that an engine has (hashing.h), in
// just these formulas:
//
//     unit        hash of its key                    by words[0] of the secret
//     group       hash of each of its values         by words[1]; of several: the first, then ⊕
//                                                    hash of the next's; a whole number's, here
//                                                    and above, is `halves`
//     a ⊕ b       whole(a xor b)                     by words[2]
//     (unit, group)   unit ⊕ group
//     row         (unit, group), then ⊕ hash of each slot's value (by words[3]), of 1 if marked
//     copy        row ⊕ hash of 4·number + purpose   by words[3]
//
// A slot that holds nothing is the value kNothing; a text's value is its hash by words[3]. Of
// groups and of copies the smallest stay, as whole numbers with a sign.
#pragma once

#include <cstdint>

#include "discreet/bound/key.h"
#include "discreet/bound/secret.h"

namespace discreet::bound {

class Priority {
 public:
  Priority(const Secret& secret, bool text_units) : secret_(secret), text_units_(text_units) {}

  // `unit` is the first word of a record, `group` the hash of a group's key.
  std::uint64_t group(std::uint64_t unit, std::uint64_t group) const {
    return secret_.hashing ? ordered(combine(hash_of(unit), group)) : mix(secret_, unit, group);
  }
  std::uint64_t row(std::uint64_t unit, std::uint64_t group) const {
    return secret_.hashing ? combine(hash_of(unit), group) : mix(secret_, group, unit);
  }
  std::uint64_t with(std::uint64_t row, std::uint64_t value) const {
    return secret_.hashing ? combine(row, inner(value)) : mix(secret_, row, value);
  }
  std::uint64_t copy(std::uint64_t row, std::uint64_t purpose, std::uint64_t number) const {
    return secret_.hashing ? ordered(combine(row, inner(4 * number + purpose)))
                           : mix(secret_, row ^ purpose, number);
  }
  bool as_an_engine() const { return secret_.hashing != nullptr; }

  // A unit's first word, and its second where it is a text.
  static std::uint64_t word(const Secret& secret, std::int64_t unit) {
    return secret.hashing ? static_cast<std::uint64_t>(unit)
                          : permute(secret, static_cast<std::uint64_t>(unit));
  }
  static std::uint64_t word(const Secret& secret, const SipHash& hash, std::string_view unit,
                            std::uint64_t& second) {
    const std::uint64_t first = hash(unit, second);
    return secret.hashing ? secret.hashing->text(unit, secret.words[0]) : first;
  }
  // Of a slot's text.
  static std::uint64_t text(const Secret& secret, const SipHash& hash, std::string_view text) {
    return secret.hashing ? secret.hashing->text(text, secret.words[3]) : hash(text);
  }
  static std::uint64_t key(const Secret& secret, const SipHash& hash, std::string_view bytes);

 private:
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) const {
    return secret_.hashing->whole(static_cast<std::int64_t>(a ^ b), secret_.words[2]);
  }
  // Engines compare whole numbers with a sign.
  static std::uint64_t ordered(std::uint64_t hash) { return hash ^ (std::uint64_t{1} << 63); }
  std::uint64_t inner(std::uint64_t value) const {
    return secret_.hashing->whole(static_cast<std::int64_t>(value), secret_.words[3]);
  }
  std::uint64_t hash_of(std::uint64_t unit) const {
    return text_units_ ? unit
                       : secret_.hashing->halves(static_cast<std::int64_t>(unit), secret_.words[0]);
  }

  const Secret& secret_;
  const bool text_units_;
};

// What NULL is among a group's values.
inline constexpr std::uint64_t kNullHash = 0x6e756c6c;

// The hash of a group by its key's bytes.
inline std::uint64_t Priority::key(const Secret& secret, const SipHash& hash,
                                   std::string_view bytes) {
  if (!secret.hashing) return hash(bytes);
  const Hashing& hashing = *secret.hashing;
  std::uint64_t out = 0;
  bool first = true;
  for (const KeyValue& value : read_key(bytes).value_or(std::vector<KeyValue>{})) {
    std::uint64_t one = kNullHash;
    if (value.kind == KeyValue::Kind::kWhole) one = hashing.halves(value.whole, secret.words[1]);
    if (value.kind == KeyValue::Kind::kReal) one = hashing.real(value.real, secret.words[1]);
    if (value.kind == KeyValue::Kind::kText) one = hashing.text(value.text, secret.words[1]);
    // Hashed again: a group of two equal values would else be as good as any other of two equal
    // ones.
    const std::uint64_t next = hashing.whole(static_cast<std::int64_t>(one), secret.words[3]);
    out = first ? one : hashing.whole(static_cast<std::int64_t>(out ^ next), secret.words[2]);
    first = false;
  }
  return out;
}

}  // namespace discreet::bound
