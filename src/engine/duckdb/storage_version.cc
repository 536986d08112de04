#include "discreet/engine/duckdb/storage_version.h"

#include <fmt/format.h>

#include <fstream>

namespace discreet::engine::duckdb {

namespace {

constexpr std::size_t kMagicAt = 8, kVersionAt = 12, kHead = 20;
// DuckDB 2 gave the number up: it always writes this one, and says the rest elsewhere.
constexpr std::uint64_t kGivenUp = 999;

}  // namespace

std::optional<std::uint64_t> storage_version(std::string_view head) {
  if (head.size() < kHead || head.substr(kMagicAt, 4) != "DUCK") return std::nullopt;
  std::uint64_t out = 0;
  for (std::size_t i = kHead; i-- > kVersionAt;)
    out = out << 8 | static_cast<unsigned char>(head[i]);
  return out;
}

Status readable_storage(const std::string& file) {
  std::string head(kHead, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  const auto version = storage_version(head);
  if (!version || (*version >= kOldestStorage && *version <= kNewestStorage)) return {};
  if (*version < kOldestStorage)
    return fail(Code::kFailure,
                fmt::format("'{}' was written by an older DuckDB (storage version {}); this "
                            "Discreet reads from version {}",
                            file, *version, kOldestStorage),
                "EXPORT DATABASE with the DuckDB that wrote it, IMPORT DATABASE with DuckDB 1.5");
  return fail(
      Code::kFailure,
      fmt::format("'{}' was written by a newer DuckDB ({}); this Discreet reads up to "
                  "storage version {}",
                  file,
                  *version == kGivenUp ? "2 or later" : fmt::format("storage version {}", *version),
                  kNewestStorage),
      "the DuckDB that wrote it can copy it for this one: ATTACH 'copy.duckdb' "
      "(STORAGE_VERSION 'v1.5.0'), then COPY FROM DATABASE");
}

}  // namespace discreet::engine::duckdb
