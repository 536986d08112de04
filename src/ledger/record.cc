#include "discreet/ledger/record.h"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "discreet/base/digest.h"

namespace discreet::ledger {

const std::string kNoHash(64, '0');

std::string sha256_hex(std::string_view bytes) { return hex(sha256(bytes)); }

std::string chain_hash(std::string_view previous, std::string_view body) {
  std::string bytes = "discreet ledger 1\n";
  bytes.append(previous).append("\n").append(body);
  return sha256_hex(bytes);
}

Result<std::string> canonical(const Json& body) {
  try {
    return body.dump();
  } catch (const Json::exception&) {
    return fail(Code::kUsage, "ledger: a text to be recorded is not valid UTF-8");
  }
}

Result<Json> parse_body(const std::string& body) {
  Json parsed = Json::parse(body, nullptr, false);
  if (!parsed.is_object()) return fail(Code::kFailure, "ledger: a record is not a JSON object");
  return parsed;
}

Json number(const Rational& value) { return to_decimal(value); }

Result<Rational> number(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || !found->is_string()) {
    return fail(Code::kFailure, fmt::format("ledger: a record has no number '{}'", key));
  }
  auto value = parse_number(found->get_ref<const std::string&>(), Rounding::kUp);
  if (!value)
    return fail(Code::kFailure, fmt::format("ledger: a record's '{}' is not a number", key));
  return value;
}

std::string text(const Json& body, const char* key) {
  const auto found = body.find(key);
  return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string utc(std::int64_t seconds) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 40> out{};
  std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return out.data();
}

std::int64_t from_utc(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return -1;
  // strptime reads more than this form: spaces, short fields, the 31st of every month.
  const std::int64_t seconds = timegm(&parts);
  return utc(seconds) == text ? seconds : -1;
}

}  // namespace discreet::ledger
