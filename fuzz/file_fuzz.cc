// The first bytes of DuckDB files and the footers of Parquet files, which are read here before
// DuckDB reads the rest.
#include <cstdint>
#include <cstring>

#include "discreet/engine/duckdb/parquet_footer.h"
#include "discreet/engine/duckdb/storage_version.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using namespace engine::duckdb;

struct Reached {
  Waypoint complete{"a column that is never NULL"}, partly{"a footer that doesn't say so"},
      refused{"a DuckDB file of another version"};
};
Reached& reached() {
  static Reached all;
  return all;
}

void check_footer(std::string_view bytes) {
  const bool complete = footer_never_null(bytes, "k");
  (complete ? reached().complete : reached().partly).pass();
  // What stands behind the end isn't looked at.
  require(!footer_never_null(bytes.substr(0, bytes.size() / 2), "k") || complete,
          "what a beginning says, the whole says");
  std::string file = "PAR1" + std::string(bytes);
  const auto length = static_cast<std::uint32_t>(bytes.size());
  file.append(reinterpret_cast<const char*>(&length), sizeof length);
  file += "PAR1";
  const InFile whole(file, "whole.parquet"), alone(bytes, "alone.parquet");
  require(never_null({whole.path()}, "k") == complete, "a file says what its footer says");
  require(!never_null({whole.path(), alone.path()}, "k") || never_null({alone.path()}, "k"),
          "of several files each must say so");
}

void check_version(std::string_view bytes) {
  const InFile file(bytes, "t.duckdb");
  const Status readable = readable_storage(file.path());
  const auto version = storage_version(bytes);
  const bool known = version && *version >= kOldestStorage && *version <= kNewestStorage;
  require(readable.has_value() == (!version || known), "a file is refused for its version alone");
  if (readable) return;
  require_refusal(readable.error(), {Code::kFailure});
  reached().refused.pass();
}

}  // namespace

void target(std::string_view bytes) {
  reached();
  check_footer(bytes);
  check_version(bytes);
}

}  // namespace discreet::fuzz
