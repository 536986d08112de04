// The storage version of a DuckDB file, as its first bytes say it. DuckDB raises the number when a
// file can hold what older releases can't read; a file that is too new (or too old) for the DuckDB
// inside gets a sentence that says so, instead of "can't be opened".
//
//   Status ok = readable_storage("shop.duckdb");
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "discreet/base/error.h"

namespace discreet::engine::duckdb {

// What the DuckDB inside reads. It has no way to ask it; its test compares them with the library.
constexpr std::uint64_t kOldestStorage = 64, kNewestStorage = 68;

// Of a file's first bytes: a checksum of eight bytes, "DUCK", the version in the next eight, lowest
// first. Nothing where they aren't a DuckDB file's.
std::optional<std::uint64_t> storage_version(std::string_view head);

// Fails if it is the version that keeps this file from being read.
Status readable_storage(const std::string& file);

}  // namespace discreet::engine::duckdb
