// The planted defect: blocks end where they are full, and not where lines do.
#include "discreet/engine/duckdb/blocks.h"

namespace discreet::engine::duckdb {

bool LineBlocks::take(Block& block) {
  const std::size_t got = load(at_, block, cut_.block);
  at_ += got;
  return got > 0;
}

}  // namespace discreet::engine::duckdb
