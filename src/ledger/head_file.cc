#include "discreet/ledger/head_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "discreet/base/durable_file.h"
#include "discreet/base/lock_file.h"
#include "discreet/base/try.h"
#include "discreet/ledger/record.h"

namespace discreet::ledger {
namespace {

constexpr std::size_t kPage =
    4096;  // no disk or file system tears two pages in one write to one of them

// "RECORD HASH CHECKSUM\n", then zeros.
std::string slot_text(const Head& head) {
  const std::string said = fmt::format("{} {}", head.record, head.hash);
  return fmt::format("{} {}\n", said, sha256_hex(said));
}

std::optional<Head> read_slot(std::string_view slot) {
  const std::string_view line = slot.substr(0, slot.find('\n'));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  Head head;
  const char* end = line.data() + first;
  if (std::from_chars(line.data(), end, head.record).ptr != end) return std::nullopt;
  head.hash = line.substr(first + 1, last - first - 1);
  if (slot_text(head) != std::string(line) + "\n") return std::nullopt;
  return head;
}

struct Slots {
  std::optional<Head> first, second;
};

Slots read_slots(const std::string& content) {
  const std::string_view all = content;
  Slots slots;
  slots.first = read_slot(all.substr(0, kPage));
  if (all.size() > kPage) slots.second = read_slot(all.substr(kPage));
  return slots;
}

std::uint64_t record_of(const std::optional<Head>& slot) { return slot ? slot->record : 0; }

}  // namespace

Result<std::optional<Head>> read_head(const std::string& path) {
  auto content = TRY(read_file(path));
  if (!content) return std::nullopt;
  Slots slots = read_slots(*content);
  if (!slots.first && !slots.second) {
    return fail(Code::kFailure, fmt::format("{}: this registry entry is damaged", path),
                "restore it, or remove it if you are sure that its ledger is the right one");
  }
  return record_of(slots.first) >= record_of(slots.second) ? slots.first : slots.second;
}

Status write_head(const std::string& path, const Head& head) {
  auto content = TRY(read_file(path));
  std::string slot = slot_text(head);
  slot.resize(kPage, '\0');
  if (!content) return write_durably(path, slot + std::string(kPage, '\0'));

  const Slots slots = read_slots(*content);
  const off_t at = record_of(slots.first) <= record_of(slots.second) ? 0 : kPage;
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return system_error(path, "opening", errno);
  int error = 0;
  for (std::size_t done = 0; done < slot.size() && error == 0;) {
    const ssize_t written =
        pwrite(file, slot.data() + done, slot.size() - done, at + static_cast<off_t>(done));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fdatasync(file) != 0) error = errno;
  close(file);
  if (error != 0) return system_error(path, "writing", error);
  return {};
}

}  // namespace discreet::ledger
