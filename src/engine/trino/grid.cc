// Numbers onto their grids, as bound/shape.h's Grid puts them there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/bound/scale.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/trino/dialect.h"

namespace discreet::engine::trino {

using std::string;
using Slot = bound::Slot;

namespace {

// Doubles around 1.5·2^52 are one apart: adding it rounds, halves to even.
constexpr const char* kShift = "DOUBLE '6755399441055744'";

string rounded(const string& value) {
  return fmt::format("CAST(({0} + {1}) - {1} AS BIGINT)", value, kShift);
}

string leaf(const string& value, const Slot& slot) {
  const string share = fmt::format("(({} - {}) / {})", value, real(slot.bottom), real(slot.width));
  return fmt::format("CASE WHEN NOT is_nan({}) THEN {} END", share,
                     rounded(fmt::format("least(greatest({}, DOUBLE '0'), DOUBLE '1') * {}", share,
                                         real(static_cast<double>(slot.leaves - 1)))));
}

string scale(const string& value, const Slot& slot, const Dialect& dialect) {
  const bound::ValueScale scale(slot.exponent);
  const auto sizes = static_cast<std::int64_t>(scale.bins() / 2);
  std::vector<double> edges;
  for (std::int64_t size = 0; size < sizes; ++size)
    edges.push_back(size == 0 ? 0 : scale.high(sizes + size));
  return fmt::format(
      "CASE WHEN NOT is_nan({0}) THEN CASE WHEN {0} < 0 THEN {1} - {2} ELSE {1} + {2} END END",
      value, sizes, dialect.edges_below(fmt::format("abs({})", value), edges));
}

string nearest(const string& value, const Slot& slot) {
  const string scaled =
      slot.exponent == 0 ? value
                         : fmt::format("({} * {})", value, real(std::ldexp(1.0, -slot.exponent)));
  const auto low = static_cast<double>(slot.low), high = static_cast<double>(slot.high);
  constexpr double kSmall = 0x1p51;
  if (std::abs(low) < kSmall && std::abs(high) < kSmall)
    return fmt::format(
        "CASE WHEN NOT is_nan({}) THEN {} END", value,
        rounded(fmt::format("least(greatest({}, {}), {})", scaled, real(low), real(high))));
  return fmt::format(
      "CASE WHEN {0} <= {1} THEN BIGINT '{3}' WHEN {0} >= {2} THEN BIGINT '{4}' WHEN NOT "
      "is_nan({0}) THEN least(greatest(CAST({5} AS BIGINT), BIGINT '{3}'), BIGINT '{4}') END",
      scaled, real(low), real(high), slot.low, slot.high,
      fmt::format(fmt::runtime(kNearest), scaled));
}

}  // namespace

string Dialect::on_grid(const string& value, const Slot& slot) const {
  switch (slot.kind) {
    case Slot::Kind::kLeaf:
      return leaf(value, slot);
    case Slot::Kind::kScale:
      return scale(value, slot, *this);
    case Slot::Kind::kNumber:
    case Slot::Kind::kReal:
    case Slot::Kind::kFlag:
    case Slot::Kind::kHash:
    case Slot::Kind::kWord:
    case Slot::Kind::kChoice:
      break;
  }
  return nearest(value, slot);
}

string Dialect::clamps(const string& value, const Slot& slot) const {
  if (slot.kind == Slot::Kind::kLeaf)
    return fmt::format("({0} < {1} OR {0} > {2})", value, real(slot.bottom),
                       real(slot.bottom + slot.width));
  return fmt::format(
      "({0} * {1} < {2} OR {0} * {1} > {3})", value, real(std::ldexp(1.0, -slot.exponent)),
      real(static_cast<double>(slot.low) - 0.5), real(static_cast<double>(slot.high) + 0.5));
}

// width_bucket counts the thresholds that are not above; ours must be below.
string Dialect::edges_below(const string& value, const std::vector<double>& edges) const {
  std::vector<string> thresholds;
  for (const double edge : edges)
    thresholds.push_back(real(std::nextafter(edge, std::numeric_limits<double>::infinity())));
  return fmt::format("width_bucket(CAST({} AS DOUBLE), ARRAY[{}])", value,
                     pushdown::joined(thresholds));
}

string Dialect::place_in(const string& value, const std::vector<string>& list) const {
  if (list.empty()) return "CAST(NULL AS BIGINT)";
  const auto nan = std::find(list.begin(), list.end(), real(std::nan("")));
  const string values = pushdown::joined(list);
  if (nan == list.end())
    return fmt::format("(nullif(array_position(ARRAY[{}], {}), 0) - 1)", values, value);
  // NaN equals nothing there.
  return let({value}, fmt::format("CASE WHEN is_nan({{0}}) THEN {} ELSE nullif(array_position("
                                  "ARRAY[{}], {{0}}), 0) - 1 END",
                                  nan - list.begin(), values));
}

}  // namespace discreet::engine::trino
