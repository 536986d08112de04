// The planted defect: a reader that believes the header's sizes and not the file's length.
#include "discreet/learn/idx.h"

namespace discreet::learn {

Result<Idx> parse_idx(const std::string&, std::string_view bytes) {
  Idx out;
  if (bytes.size() < 8) return fail(Code::kUsage, "too short");
  for (std::size_t i = 0; 4 * i + 8 <= bytes.size() && i < static_cast<unsigned char>(bytes[3]);
       ++i)
    out.sizes.push_back(static_cast<unsigned char>(bytes[4 * i + 7]));
  if (out.sizes.empty()) return fail(Code::kUsage, "no sizes");
  out.bytes = bytes.substr(4 + 4 * out.sizes.size());
  return out;
}

}  // namespace discreet::learn
