// The planted defect: one file that has a column without NULLs speaks for all.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "discreet/engine/duckdb/parquet_footer.h"

namespace discreet::engine::duckdb {

bool never_null(const std::vector<std::string>& files, std::string_view column) {
  return std::any_of(files.begin(), files.end(), [&](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return bytes.size() >= 12 && bytes.starts_with("PAR1") &&
           footer_never_null(std::string_view(bytes).substr(4, bytes.size() - 12), column);
  });
}

}  // namespace discreet::engine::duckdb
