#include "discreet/random/generator.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "discreet/base/try.h"

namespace discreet::random {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kBufferWords =
    2048;  // 16 KiB: fits the first-level cache beside a sampler's tables
constexpr std::size_t kChunkBytes = std::size_t{1}
                                    << 16;  // how much one key encrypts of a large request
constexpr std::uint64_t kReseedBytes = std::uint64_t{1} << 30;

// What CTR mode encrypts: its key stream is the encryption of zeros.
constexpr std::array<unsigned char, kChunkBytes> kZeros{};

tl::unexpected<Error> cipher_failure() {
  return fail(Code::kFailure, "the random generator's cipher (AES-256-CTR) failed",
              "no noise was drawn");
}

}  // namespace

Status system_entropy(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return fail(Code::kFailure, "the operating system gave no entropy (getrandom failed)",
                  "no noise was drawn");
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

struct Generator::State {
  // Everything secret but the cipher's key schedule; in memory of its own that a forked child finds
  // zeroed.
  struct Secret {
    std::uint64_t seeded;  // 0 in a new process: no key yet
    std::uint64_t left;    // bytes until the next reseed
    std::uint64_t ready;   // words not yet handed out, at the end of `words`
    std::array<unsigned char, kKeyBytes> key;
    std::array<std::uint64_t, kBufferWords> words;
  };

  State() : cipher(EVP_CIPHER_CTX_new()) {
    void* memory =
        mmap(nullptr, sizeof(Secret), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    // Without this promise of the kernel a child would repeat its parent's noise: no memory, no
    // generator.
    if (madvise(memory, sizeof(Secret), MADV_WIPEONFORK) != 0) {
      munmap(memory, sizeof(Secret));
      return;
    }
    (void)madvise(memory, sizeof(Secret), MADV_DONTDUMP);
    secret = static_cast<Secret*>(memory);
  }
  ~State() {
    EVP_CIPHER_CTX_free(cipher);
    if (secret == nullptr) return;
    OPENSSL_cleanse(secret, sizeof(Secret));
    munmap(secret, sizeof(Secret));
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  EVP_CIPHER_CTX* cipher;
  Secret* secret = nullptr;
};

Generator::Generator(Entropy entropy) : entropy_(entropy), state_(std::make_unique<State>()) {}
Generator::~Generator() = default;
Generator::Generator(Generator&&) noexcept = default;
Generator& Generator::operator=(Generator&&) noexcept = default;

Status Generator::reseed() {
  State::Secret& secret = *state_->secret;
  secret.seeded = 0;
  std::array<std::byte, kKeyBytes> fresh;
  TRY(entropy_(fresh));
  // Added to the old key rather than put in its place: one weak answer of the system can't undo an
  // earlier good one.
  for (std::size_t i = 0; i < kKeyBytes; ++i) secret.key[i] ^= static_cast<unsigned char>(fresh[i]);
  OPENSSL_cleanse(fresh.data(), fresh.size());
  secret.left = kReseedBytes;
  secret.seeded = 1;
  return {};
}

// AES-256-CTR under the current key: the first 32 bytes are the next key, the rest is output.
Status Generator::expand(std::span<std::byte> out) {
  State::Secret& secret = *state_->secret;
  constexpr std::array<unsigned char, 16> kFirstBlock{};
  constexpr std::array<unsigned char, kKeyBytes> kNoKey{};
  EVP_CIPHER_CTX* cipher = state_->cipher;
  int first = 0, rest = 0, wiped = 0;
  const auto wanted = static_cast<int>(out.size());
  const bool good =
      EVP_EncryptInit_ex(
          cipher, EVP_CIPHER_CTX_get0_cipher(cipher) == nullptr ? EVP_aes_256_ctr() : nullptr,
          nullptr, secret.key.data(), kFirstBlock.data()) == 1 &&
      EVP_EncryptUpdate(cipher, secret.key.data(), &first, kZeros.data(), kKeyBytes) == 1 &&
      first == kKeyBytes &&
      EVP_EncryptUpdate(cipher, reinterpret_cast<unsigned char*>(out.data()), &rest, kZeros.data(),
                        wanted) == 1 &&
      rest == wanted;
  // The cipher's own memory still holds the key that made this block, in a place that a fork would
  // copy: overwrite it with a key that protects nothing.
  wiped = EVP_EncryptInit_ex(cipher, nullptr, nullptr, kNoKey.data(), kFirstBlock.data());
  if (!good || wiped != 1) {
    OPENSSL_cleanse(out.data(), out.size());
    OPENSSL_cleanse(&secret, sizeof(secret));  // no key, nothing ready: the next call starts afresh
    return cipher_failure();
  }
  secret.left -= std::min<std::uint64_t>(secret.left, out.size() + kKeyBytes);
  return {};
}

Status Generator::refill() {
  State::Secret& secret = *state_->secret;
  TRY(expand(std::as_writable_bytes(std::span(secret.words))));
  secret.ready = kBufferWords;
  return {};
}

Status Generator::fill(std::span<std::uint64_t> words) {
  if (state_ == nullptr || state_->cipher == nullptr || state_->secret == nullptr) {
    return fail(
        Code::kFailure,
        "the random generator has no memory that is safe across fork (Linux 4.14 or later has it)");
  }
  State::Secret& secret = *state_->secret;
  while (!words.empty()) {
    if (secret.seeded == 0 || secret.left == 0) {
      secret.ready = 0;
      TRY(reseed());
    }
    if (secret.ready == 0 && words.size() >= kBufferWords) {
      const std::span<std::uint64_t> chunk =
          words.first(std::min(words.size(), kChunkBytes / sizeof(std::uint64_t)));
      TRY(expand(std::as_writable_bytes(chunk)));
      words = words.subspan(chunk.size());
      continue;
    }
    if (secret.ready == 0) {
      TRY(refill());
    }
    const std::size_t count = std::min<std::size_t>(words.size(), secret.ready);
    std::uint64_t* from = secret.words.data() + (kBufferWords - secret.ready);
    std::copy_n(from, count, words.data());
    std::fill_n(from, count, 0);  // wiped as it is handed out
    secret.ready -= count;
    words = words.subspan(count);
  }
  return {};
}

Source& thread_generator() {
  thread_local Generator generator;
  return generator;
}

}  // namespace discreet::random
