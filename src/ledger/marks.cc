#include "discreet/ledger/marks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "discreet/base/digest.h"

namespace discreet::ledger {
namespace {

constexpr off_t kBlock = 16384;

// So many bytes from there, or what there is; false where the file can't be read.
bool read_some(int file, off_t at, off_t most, std::string& into) {
  std::array<char, kBlock> block{};
  const auto wanted = static_cast<std::size_t>(most);
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t got =
        pread(file, block.data() + done, wanted - done, at + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  into.append(block.data(), done);
  return true;
}

// The first and the last block, and between them the beginnings of DuckDB's own blocks: each has
// the checksum of all that is in it there, so that two databases of one size are told apart by any
// row.
bool read_sample(int file, off_t size, std::string& into) {
  constexpr off_t kHeaders = 3 * 4096, kStored = 262144, kBeginning = 16, kMost = 4096;
  if (!read_some(file, 0, kBlock, into)) return false;
  if (size <= kBlock) return true;
  const off_t stride = kStored * (1 + size / (kStored * kMost));
  for (off_t at = kHeaders + stride; at < size - kBlock; at += stride)
    if (!read_some(file, at, kBeginning, into)) return false;
  return read_some(file, size - kBlock, kBlock, into);
}

// HMAC-SHA-256(key, size ‖ sample), half of it. Empty for what isn't a file that can be read, and
// for an empty one, which is nobody's.
std::string content_mark(const std::string& path, const std::string& key) {
  // Nobody waits for a pipe here.
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about {};
  std::string said;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    said = fmt::format("{}\n", about.st_size);
    if (!read_sample(file, about.st_size, said)) said.clear();
  }
  close(file);
  if (said.empty()) return {};
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(said.data()), said.size(), digest.data(),
           &size) == nullptr)
    return {};
  return "content " + hex({digest.data(), 16});
}

}  // namespace

std::string inode_mark(const std::string& path) {
  struct statx about {};
  if (statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE | STATX_INO | STATX_BTIME, &about) != 0 ||
      (about.stx_mask & STATX_INO) == 0 || !S_ISREG(about.stx_mode))
    return {};
  std::string out =
      fmt::format("inode {}:{}:{}", about.stx_dev_major, about.stx_dev_minor, about.stx_ino);
  if ((about.stx_mask & STATX_BTIME) != 0)
    out += fmt::format(" of {}.{:09}", about.stx_btime.tv_sec, about.stx_btime.tv_nsec);
  return out;
}

std::vector<Mark> marks_of(const Terms& terms, const std::optional<std::string>& key) {
  std::vector<Mark> out;
  const auto add = [&](Mark::Of of, const std::string& source, std::string name) {
    if (!name.empty()) out.push_back({of, source, std::move(name)});
  };
  for (const std::string& file : terms.files) {
    add(Mark::Of::kFile, file, inode_mark(file));
    if (key) add(Mark::Of::kContent, file, content_mark(file, *key));
  }
  for (const auto& [source, name] : terms.numbers) add(Mark::Of::kTable, source, name);
  return out;
}

}  // namespace discreet::ledger
