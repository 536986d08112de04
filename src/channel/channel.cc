#include "discreet/channel/channel.h"

#include <fmt/format.h>

#include "discreet/base/try.h"

namespace discreet::channel {

Status check_extent(std::size_t rows, std::size_t columns) {
  if (rows == 0 || columns == 0)
    return fail(Code::kUsage, "a channel without entries; accepted is one row or more");
  if (columns > Channel::kMostEntries || rows > Channel::kMostEntries / columns) {
    return fail(Code::kUsage,
                fmt::format("a matrix of {} × {} entries; accepted are at most {} in all", rows,
                            columns, Channel::kMostEntries));
  }
  return {};
}

Result<Channel> Channel::create(std::size_t rows, std::size_t columns,
                                std::vector<Rational> entries) {
  TRY(check_extent(rows, columns));
  if (entries.size() != rows * columns) {
    return fail(Code::kUsage,
                fmt::format("{} entries for a matrix of {} × {}", entries.size(), rows, columns));
  }
  Rational sum;
  for (std::size_t y = 0; y < rows; ++y) {
    sum = 0;
    for (std::size_t z = 0; z < columns; ++z) {
      const Rational& entry = entries[y * columns + z];
      if (sgn(entry) < 0) {
        return fail(Code::kUsage, fmt::format("row {}, column {}: found {}; accepted is a "
                                              "probability from 0 to 1",
                                              y + 1, z + 1, to_text(to_double(entry))));
      }
      sum += entry;
    }
    if (sum != 1) {
      return fail(Code::kUsage, fmt::format("row {}: sums to {}; accepted is exactly 1", y + 1,
                                            to_text(to_double(sum))));
    }
  }
  return Channel(rows, columns, std::move(entries));
}

}  // namespace discreet::channel
