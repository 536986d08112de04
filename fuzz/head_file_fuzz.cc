// A registry's head file, as a crash or a stranger may have left it.
#include <fmt/format.h>

#include "discreet/ledger/head_file.h"
#include "discreet/ledger/record.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {

using namespace ledger;

void target(std::string_view bytes) {
  const InFile file(bytes, "ledger.head");
  const auto head = read_head(file.path());
  if (!head) {
    require_refusal(head.error(), {Code::kFailure});
  } else {
    require(head->has_value(), "a file that is there has a head, or is damaged");
    const std::string said = fmt::format("{} {}", (*head)->record, (*head)->hash);
    require(bytes.find(said + " " + sha256_hex(said)) != bytes.npos,
            "a head is one that was written, with its checksum");
  }
  // Whatever was there, what is written next is what is read next, unless a later one is known.
  const std::uint64_t known = head && *head ? (*head)->record : 0;
  const Head next{known + 1, chain_hash(kNoHash, bytes)};
  if (known == UINT64_MAX) return;
  require(write_head(file.path(), next).has_value(), "a head can be written");
  const auto back = read_head(file.path());
  require(back && *back && (*back)->record == next.record && (*back)->hash == next.hash,
          "the head that was written is the one that is read");
}

}  // namespace discreet::fuzz
