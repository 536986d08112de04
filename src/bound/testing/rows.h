// Rows for the tests of the bounding, as an engine holds them, and a look behind the barrier.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "discreet/bound/batch.h"
#include "discreet/bound/priority.h"
#include "discreet/bound/shape.h"
#include "discreet/mechanism/door.h"
#include "discreet/random/testing/sources.h"

namespace discreet::bound::testing {

// Tests look behind the barrier.
struct Opened : mechanism::Door {
  template <class T>
  static const T& look(const mechanism::Exact<T>& exact) {
    return open(exact);
  }
};

inline Secret secret_of(std::uint64_t seed) {
  random::testing::Seeded source(seed);
  return *Secret::draw(source);
}

struct Row {
  std::int64_t unit;
  std::int64_t group;
  double value;
};

inline Shape simple_shape(std::uint32_t groups, std::uint32_t rows) {
  Shape shape;
  shape.keys = 1;
  shape.slots = {{.kind = Slot::Kind::kNumber, .exponent = -2, .low = -40, .high = 40}};
  shape.totals = {{.kind = Total::Kind::kRows},
                  {.kind = Total::Kind::kSum, .slot = 0},
                  {.kind = Total::Kind::kUnits}};
  shape.max_groups = groups;
  shape.max_rows = rows;
  return shape;
}

// The rows as an engine holds them.
struct Columns {
  std::vector<std::int64_t> units, groups;
  std::vector<double> values;
  explicit Columns(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      units.push_back(row.unit);
      groups.push_back(row.group);
      values.push_back(row.value);
    }
  }
  Batch batch(std::size_t at, std::size_t count) const {
    Batch out;
    out.rows = count;
    out.unit = {.kind = Column::Kind::kWhole, .whole = units.data() + at};
    out.keys = {{.kind = Column::Kind::kWhole, .whole = groups.data() + at}};
    out.slots = {{.kind = Column::Kind::kReal, .real = values.data() + at}};
    return out;
  }
};

inline std::vector<Row> some_rows(std::size_t count, std::uint64_t units, std::uint64_t groups,
                                  std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back({static_cast<std::int64_t>(draw() % units),
                    static_cast<std::int64_t>(draw() % groups),
                    static_cast<double>(draw() % 100) / 7});
  return rows;
}

}  // namespace discreet::bound::testing
