#include "discreet/engine/postgres/row.h"

#include <libpq-fe.h>

#include <bit>

namespace discreet::engine::postgres {
namespace {

constexpr Oid kBigint = 20, kDouble = 701, kText = 25, kNumeric = 1700;

Oid number_of(pushdown::Held held) {
  switch (held) {
    case pushdown::Held::kWhole:
      return kBigint;
    case pushdown::Held::kReal:
      return kDouble;
    case pushdown::Held::kText:
      return kText;
    case pushdown::Held::kWide:
      break;
  }
  return kNumeric;
}

// Big-endian, of as many bytes as there are.
std::uint64_t read_bytes(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char byte : bytes) out = (out << 8) | static_cast<unsigned char>(byte);
  return out;
}

}  // namespace

bool has_columns(const pg_result* answer, const std::vector<pushdown::Held>& expected) {
  if (PQnfields(answer) != static_cast<int>(expected.size())) return false;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (PQftype(answer, static_cast<int>(i)) != number_of(expected[i]) ||
        PQfformat(answer, static_cast<int>(i)) != 1)
      return false;
  return true;
}

bool is_held(pushdown::Held held, std::string_view bytes) {
  switch (held) {
    case pushdown::Held::kText:
      return true;
    case pushdown::Held::kWhole:
    case pushdown::Held::kReal:
      return bytes.size() == 8;
    case pushdown::Held::kWide:
      break;
  }
  return is_numeric(bytes);
}

bool has_values(const pg_result* answer, const std::vector<pushdown::Held>& expected) {
  const BinaryRow row(answer);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!row.is_null(i) && !is_held(expected[i], row.text(i))) return false;
  return true;
}

bool BinaryRow::is_null(std::size_t column) const {
  return PQgetisnull(answer_, 0, static_cast<int>(column)) != 0;
}

std::string_view BinaryRow::text(std::size_t column) const {
  const int at = static_cast<int>(column);
  return {PQgetvalue(answer_, 0, at), static_cast<std::size_t>(PQgetlength(answer_, 0, at))};
}

std::int64_t BinaryRow::whole(std::size_t column) const {
  const std::string_view bytes = text(column);
  return bytes.size() == 8 ? static_cast<std::int64_t>(read_bytes(bytes)) : 0;
}

double BinaryRow::real(std::size_t column) const {
  const std::string_view bytes = text(column);
  return bytes.size() == 8 ? std::bit_cast<double>(read_bytes(bytes)) : 0;
}

bound::Wide BinaryRow::wide(std::size_t column) const {
  return is_null(column) ? 0 : read_numeric(text(column));
}

namespace {

// Four numbers of 16 bits: how many digits to the base 10000, the weight of the first, the sign,
// digits shown after the point; then the digits.
constexpr std::size_t kHead = 8;
constexpr std::uint64_t kPlus = 0, kMinus = 0x4000, kBase = 10'000;

std::uint64_t half(std::string_view bytes, std::size_t i) {
  return read_bytes(bytes.substr(2 * i, 2));
}

}  // namespace

bool is_numeric(std::string_view bytes) {
  if (bytes.size() < kHead || bytes.size() != kHead + 2 * half(bytes, 0)) return false;
  for (std::size_t i = kHead / 2; i < bytes.size() / 2; ++i)
    if (half(bytes, i) >= kBase) return false;
  return half(bytes, 2) == kPlus || half(bytes, 2) == kMinus;
}

bound::Wide read_numeric(std::string_view bytes) {
  constexpr bound::Wide kMost = bound::Wide{1} << 100;
  if (!is_numeric(bytes)) return 0;
  const std::uint64_t count = half(bytes, 0);
  const auto weight = static_cast<std::int16_t>(half(bytes, 1));
  bound::Wide out = 0;
  for (std::size_t place = 0; weight >= 0 && place <= static_cast<std::size_t>(weight); ++place) {
    const std::uint64_t digit = place < count ? half(bytes, kHead / 2 + place) : 0;
    out = out * static_cast<bound::Wide>(kBase) + static_cast<bound::Wide>(digit);
    if (out > kMost) {
      out = kMost;
      break;
    }
  }
  return half(bytes, 2) == kMinus ? -out : out;
}

}  // namespace discreet::engine::postgres
