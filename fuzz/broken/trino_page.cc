// The planted defect: wide numbers are read as doubles are, with 53 bits.
#include <cstdlib>

#include "discreet/engine/trino/cell.h"

namespace discreet::engine::trino {

std::optional<Cell> read_cell(CellType type, std::string_view text) {
  Cell out;
  out.null = false;
  out.text = std::string(text);
  if (type == CellType::kWide)
    out.wide = static_cast<bound::Wide>(std::strtod(out.text.c_str(), nullptr));
  return out;
}

}  // namespace discreet::engine::trino
