// One record of the chain, and the hash that ties it to the one before.
//
//     hash(0) = 64 zeros,
//     hash(n) = SHA-256("discreet ledger 1\n" ‖ hash(n−1) in hex ‖ "\n" ‖ body(n))
//
// A body is canonical JSON (keys sorted, no spaces), and numbers that matter are exact text ("0.1",
// "1/3"). Whoever edits, inserts, drops or reorders a record changes every later hash, and the last
// one is known elsewhere: to the registry and on the receipts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "discreet/base/error.h"
#include "discreet/base/number.h"

namespace discreet::ledger {

using Json = nlohmann::json;

std::string sha256_hex(std::string_view bytes);

// What a store keeps, unread.
struct Row {
  std::uint64_t record = 0;  // 1, 2, 3, …
  std::string body;
  std::string hash;
  std::optional<std::string>
      result;  // a release's answer, kept beside the chain; the body has its SHA-256
};

extern const std::string kNoHash;  // that of record 0, which isn't there

std::string chain_hash(std::string_view previous, std::string_view body);

// The text of a body. Fails on text that isn't UTF-8.
Result<std::string> canonical(const Json& body);
// Never throws; an error where the text isn't a JSON object.
Result<Json> parse_body(const std::string& body);

// Exact numbers in bodies.
Json number(const Rational& value);
Result<Rational> number(const Json& body, const char* key);
// "" where the key is absent.
std::string text(const Json& body, const char* key);

// Seconds since 1970 as 2026-11-15T21:00:00Z, and back (-1 where it isn't such a text).
std::string utc(std::int64_t seconds);
std::int64_t from_utc(const std::string& text);

}  // namespace discreet::ledger
