#include "discreet/engine/sample/write_rules.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace discreet::engine::sample {
namespace {

// Part of the kernel's interface; named here, since its header may be older than the kernel.
struct Rules {
  std::uint64_t files, network, scope;
};
struct [[gnu::packed]] Beneath {
  std::uint64_t allowed;
  std::int32_t folder;
};
constexpr unsigned kAskVersion = 1;
constexpr int kBeneath = 1;
constexpr std::uint64_t kWrite = 1U << 1;
constexpr std::uint64_t kRemoveAndMake = 0x1ff0;  // bits 4 to 12
constexpr std::uint64_t kMove = 1U << 13;         // since version 2
constexpr std::uint64_t kTruncate = 1U << 14;     // since version 3
constexpr std::uint64_t kBindAndConnect = 3;      // since version 4
constexpr std::uint64_t kDeviceCalls = 1U << 15;  // since version 5
constexpr std::uint64_t kSocketsAndSignals = 3;   // since version 6

constexpr std::uint64_t accesses(int version) {
  return kWrite | kRemoveAndMake | (version >= 2 ? kMove : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kDeviceCalls : 0);
}

bool allow(int rules, const char* path, std::uint64_t accesses) {
  const int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return false;
  const Beneath rule{accesses, place};
  const bool ok = syscall(SYS_landlock_add_rule, rules, kBeneath, &rule, 0) == 0;
  return close(place) == 0 && ok;
}

}  // namespace

int landlock_version() {
  return static_cast<int>(
      std::max(0L, syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion)));
}

bool restrict_writing(int version, const char* folder) {
  const std::uint64_t all = accesses(version);
  const Rules wanted{all, version >= 4 ? kBindAndConnect : 0,
                     version >= 6 ? kSocketsAndSignals : 0};
  // An older kernel knows the first fields alone.
  const std::size_t size = version >= 6   ? sizeof(Rules)
                           : version >= 4 ? offsetof(Rules, scope)
                                          : offsetof(Rules, network);
  const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &wanted, size, 0));
  if (rules < 0) return false;
  const bool ok = (folder == nullptr || (allow(rules, folder, all) &&
                                         allow(rules, "/dev/null", all & (kWrite | kTruncate)))) &&
                  syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  return close(rules) == 0 && ok;
}

}  // namespace discreet::engine::sample
