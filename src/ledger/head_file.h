// A ledger's last known head, in a file that is overwritten in place: one synced write for each
// transaction, and no space needed on a full disk. There are two slots, a page apart; each write
// goes to the older one, so that whatever a crash leaves of it, the other is whole. A slot proves
// itself by a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "discreet/base/error.h"

namespace discreet::ledger {

struct Head {
  std::uint64_t record = 0;
  std::string hash;
};

// The later of the slots that are whole; nothing where there is no file; an error where neither is
// whole.
Result<std::optional<Head>> read_head(const std::string& path);

// Durable on return. Writers take turns; readers may read at any time.
Status write_head(const std::string& path, const Head& head);

}  // namespace discreet::ledger
