#include "discreet/ledger/store.h"

#include <filesystem>

#include "discreet/base/lock_file.h"
#include "discreet/base/try.h"
#include "discreet/ledger/postgres_store.h"
#include "discreet/ledger/sqlite_store.h"

namespace discreet::ledger {
namespace {

bool is_address(const std::string& location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

}  // namespace

Result<std::string> canonical_location(const std::string& location) {
  if (location.empty()) return fail(Code::kUsage, "ledger: found no location");
  if (is_address(location)) return postgres_location(location);
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(location), error);
  if (error) return system_error(location, "finding the ledger", error.value());
  return path.string();
}

Result<std::unique_ptr<Store>> make_store(const std::string& location, Clock clock) {
  auto canonical = TRY(canonical_location(location));
  if (is_address(location)) return make_postgres_store(location, std::move(clock));
  return make_sqlite_store(canonical, std::move(clock));
}

}  // namespace discreet::ledger
