// Numbers onto their grids, as bound/shape.h's Grid puts them there.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "discreet/bound/scale.h"
#include "discreet/engine/postgres/dialect.h"
#include "discreet/engine/pushdown/print.h"

namespace discreet::engine::postgres {

using std::string;
using Slot = bound::Slot;

namespace {

constexpr double kExact = 0x1p53;  // whole numbers up to here are doubles

// Which of `leaves` equal pieces.
string leaf(const string& value, const Slot& slot) {
  const double last = static_cast<double>(slot.leaves - 1);
  // Far outside is brought near first, where the difference can't overflow; and what is so near to
  // the bottom that the quotient would underflow is there.
  constexpr double kFar = 1e300;
  const double low = std::max(-kFar, slot.bottom - 2 * slot.width),
               high = std::min(kFar, slot.bottom + 2 * slot.width);
  return let(
      {fmt::format("least(greatest({}, {}), {})", value, real(low), real(high))},
      fmt::format("CASE WHEN {{0}} - {0} <= {1} THEN 0 ELSE CAST(least(({{0}} - {0}) / {2}, "
                  "1) * {3} AS bigint) END",
                  real(slot.bottom), real(slot.width * 0x1p-60), real(slot.width), real(last)));
}

string scale(const string& value, const Slot& slot, const Dialect& dialect) {
  const bound::ValueScale scale(slot.exponent);
  const auto sizes = static_cast<std::int64_t>(scale.bins() / 2);
  std::vector<double> edges;
  for (std::int64_t size = 0; size < sizes; ++size)
    edges.push_back(size == 0 ? 0 : scale.high(sizes + size));
  return fmt::format("CASE WHEN {0} < 0 THEN {1} - {2} ELSE {1} + {2} END", value, sizes,
                     dialect.edges_below(fmt::format("abs({})", value), edges));
}

string nearest(const string& value, const Slot& slot) {
  const double step = std::ldexp(1.0, slot.exponent), inverse = std::ldexp(1.0, -slot.exponent);
  const auto low = static_cast<double>(slot.low), high = static_cast<double>(slot.high);
  const bool exact = std::abs(low) <= kExact && std::abs(high) <= kExact &&
                     std::isfinite(low * step) && std::isfinite(high * step);
  // A product with less than 1 could underflow: what is so small is 0 on any grid.
  const string scaled =
      inverse >= 1 ? fmt::format("{{0}} * {}", real(inverse))
                   : fmt::format("CASE WHEN abs({{0}}) < {} THEN '0'::float8 ELSE {{0}} * {} END",
                                 real(step / 4), real(inverse));
  if (exact)
    return fmt::format(
        fmt::runtime("CAST(" + scaled + " AS bigint)"),
        fmt::format("least(greatest({}, {}), {})", value, real(low * step), real(high * step)));
  return fmt::format(
      fmt::runtime("CASE WHEN {0} <= " + real(low * step) + " THEN '" + std::to_string(slot.low) +
                   "'::bigint WHEN {0} >= " + real(high * step) + " THEN '" +
                   std::to_string(slot.high) + "'::bigint ELSE least(greatest(CAST(" + scaled +
                   " AS bigint), '" + std::to_string(slot.low) + "'::bigint), '" +
                   std::to_string(slot.high) + "'::bigint) END"),
      value);
}

}  // namespace

// NaN is larger than any number: what is below it is one, and NULL is not.
string Dialect::on_grid(const string& value, const Slot& slot) const {
  const auto printed = [&](const string& name) {
    switch (slot.kind) {
      case Slot::Kind::kLeaf:
        return leaf(name, slot);
      case Slot::Kind::kScale:
        return scale(name, slot, *this);
      case Slot::Kind::kNumber:
      case Slot::Kind::kReal:
      case Slot::Kind::kFlag:
      case Slot::Kind::kHash:
      case Slot::Kind::kWord:
      case Slot::Kind::kChoice:
        break;
    }
    return nearest(name, slot);
  };
  return fmt::format("CASE WHEN {} < 'NaN'::float8 THEN {} END", value, printed(value));
}

string Dialect::clamps(const string& value, const Slot& slot) const {
  // value · inverse < low − 0.5, without a product that could overflow: the other side is exact.
  const double step = std::ldexp(1.0, slot.exponent);
  double low = (static_cast<double>(slot.low) - 0.5) * step,
         high = (static_cast<double>(slot.high) + 0.5) * step;
  if (slot.kind == Slot::Kind::kLeaf) {
    low = slot.bottom;
    high = slot.bottom + slot.width;
  }
  return fmt::format("({0} < {1} OR ({0} > {2} AND {0} < 'NaN'::float8))", value, real(low),
                     real(high));
}

// width_bucket counts the thresholds that are not above; ours must be below.
string Dialect::edges_below(const string& value, const std::vector<double>& edges) const {
  std::vector<string> thresholds;
  for (const double edge : edges)
    thresholds.push_back(
        fmt::format("{}", std::nextafter(edge, std::numeric_limits<double>::infinity())));
  return fmt::format("CAST(width_bucket(CAST({} AS float8), '{{{}}}'::float8[]) AS bigint)", value,
                     pushdown::joined(thresholds, ","));
}

string Dialect::place_in(const string& value, const std::vector<string>& list) const {
  return fmt::format("CAST(array_position(ARRAY[{}], {}) - 1 AS bigint)", pushdown::joined(list),
                     value);
}

}  // namespace discreet::engine::postgres
