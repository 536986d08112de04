// The planted defect: a reader that believes a slot without its checksum.
#include "discreet/ledger/head_file.h"

#include <cstdlib>
#include <fstream>

namespace discreet::ledger {

Result<std::optional<Head>> read_head(const std::string& path) {
  std::ifstream file(path);
  Head head;
  file >> head.record >> head.hash;
  return head;
}

}  // namespace discreet::ledger
