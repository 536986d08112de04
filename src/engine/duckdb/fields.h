// One row's fields as the text readers hand them over.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace discreet::engine::duckdb {

// Some bytes of a block, behind which kPadding more can be read; null: NULL.
struct Field {
  const char* data = nullptr;
  std::size_t size = 0;
  std::string_view text() const { return {data, size}; }
};
using Fields = std::vector<Field>;

}  // namespace discreet::engine::duckdb
