#include "discreet/random/generator.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>

#include "discreet/random/geometric.h"

namespace discreet::random {
namespace {

Status zero_entropy(std::span<std::byte> out) {
  std::fill(out.begin(), out.end(), std::byte{0});
  return {};
}
Status no_entropy(std::span<std::byte>) {
  return fail(Code::kFailure, "the injected entropy failure");
}

// AES-256-CTR from block 0 under `key`, by OpenSSL directly.
std::vector<unsigned char> key_stream(const std::array<unsigned char, 32>& key, std::size_t size) {
  std::vector<unsigned char> out(size), zeros(size);
  const std::array<unsigned char, 16> block{};
  EVP_CIPHER_CTX* cipher = EVP_CIPHER_CTX_new();
  int written = 0;
  EXPECT_EQ(EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), nullptr, key.data(), block.data()), 1);
  EXPECT_EQ(EVP_EncryptUpdate(cipher, out.data(), &written, zeros.data(), static_cast<int>(size)),
            1);
  EVP_CIPHER_CTX_free(cipher);
  return out;
}

// With a known seed the output is known: 32 bytes become the next key and are never given out, the
// rest is output.
TEST(Generator, ErasesItsKeyAsItGoes) {
  constexpr std::size_t kBuffer = 2048;
  Generator generator(zero_entropy);
  std::vector<std::uint64_t> words(2 * kBuffer);
  // in small pieces, so that the buffer is what answers
  for (std::size_t at = 0; at < words.size(); at += 64)
    ASSERT_TRUE(generator.fill(std::span(words).subspan(at, 64)).has_value());
  std::array<unsigned char, 32> key{};
  for (int block = 0; block < 2; ++block) {
    const std::vector<unsigned char> stream = key_stream(key, 32 + kBuffer * 8);
    EXPECT_EQ(std::memcmp(words.data() + static_cast<std::size_t>(block) * kBuffer,
                          stream.data() + 32, kBuffer * 8),
              0)
        << block;
    std::memcpy(key.data(), stream.data(), 32);
  }
}

TEST(Generator, LargeRequestsGoStraightToTheCaller) {
  Generator generator(zero_entropy);
  std::vector<std::uint64_t> words(10000);  // a chunk of 8192 words, then the next key's
  ASSERT_TRUE(generator.fill(words).has_value());
  const std::vector<unsigned char> first = key_stream({}, 32 + 65536);
  EXPECT_EQ(std::memcmp(words.data(), first.data() + 32, 65536), 0);
  std::array<unsigned char, 32> key;
  std::memcpy(key.data(), first.data(), 32);
  const std::vector<unsigned char> second = key_stream(key, 32 + 1808 * 8);
  EXPECT_EQ(std::memcmp(words.data() + 8192, second.data() + 32, 1808 * 8), 0);
}

TEST(Generator, FailureOfTheEntropySourceIsAnError) {
  Generator generator(no_entropy);
  std::uint64_t word = 42;
  const Status status = generator.fill({&word, 1});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, Code::kFailure);
  EXPECT_EQ(word, 42u);
  EXPECT_FALSE(generator.fill({&word, 1}).has_value()) << "it stays an error";
  EXPECT_FALSE(DiscreteLaplace::create(Rational(1))->sample(generator).has_value());
}

int entropy_calls = 0;
Status counted_entropy(std::span<std::byte> out) {
  ++entropy_calls;
  return zero_entropy(out);
}
Status entropy_once(std::span<std::byte> out) {
  return entropy_calls++ == 0 ? zero_entropy(out) : no_entropy(out);
}

TEST(Generator, ReseedsEveryGibibyte) {
  std::vector<std::uint64_t> words(1 << 20);  // 8 MiB at a time
  entropy_calls = 0;
  Generator generator(counted_entropy);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(generator.fill(words).has_value());  // 2.3 GiB
  EXPECT_EQ(entropy_calls, 3);
  entropy_calls = 0;
  Generator failing(entropy_once);
  int good = 0;
  while (good < 300 && failing.fill(words).has_value()) ++good;
  EXPECT_TRUE(good >= 127 && good <= 128) << "a reseed that fails ends the supply: " << good;
}

std::array<unsigned char, 32> first_key, second_key;  // of fresh_twice
Status fresh_twice(std::span<std::byte> out) {
  const auto& key = entropy_calls++ == 0 ? first_key : second_key;
  std::memcpy(out.data(), key.data(), out.size());
  return {};
}

// What the system gives at a reseed is added to the key: neither a weak second answer (zeros) makes
// the stream a known one, nor is a good one left out.
TEST(Generator, AReseedAddsToTheKey) {
  constexpr std::size_t kChunk = 8192;  // words that one key makes of a large request
  for (const bool weak : {true, false}) {
    for (std::size_t i = 0; i < 32; ++i) {
      first_key[i] = static_cast<unsigned char>(7 * i + 1);
      second_key[i] = weak ? 0 : static_cast<unsigned char>(0x5A ^ (11 * i));
    }
    entropy_calls = 0;
    Generator generator(fresh_twice);
    std::vector<std::uint64_t> words(kChunk);
    std::array<unsigned char, 32> key = first_key;
    for (int chunk = 0; chunk < 20'000; ++chunk) {
      ASSERT_TRUE(generator.fill(words).has_value());
      if (entropy_calls == 2) break;  // this chunk is the first after the reseed
      std::memcpy(key.data(), key_stream(key, 32).data(), 32);
    }
    ASSERT_EQ(entropy_calls, 2);
    for (std::size_t i = 0; i < 32; ++i) key[i] ^= second_key[i];
    const std::vector<unsigned char> expected = key_stream(key, 32 + kChunk * 8);
    EXPECT_EQ(std::memcmp(words.data(), expected.data() + 32, kChunk * 8), 0) << weak;
  }
}

// Looks for 16 bytes in every writable part of this process's memory but the stack. The needle is
// kept inverted, so that it doesn't find itself.
bool memory_holds(const std::array<unsigned char, 16>& inverted) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  std::array<char, 512> line;
  bool found = false;
  while (!found && std::fgets(line.data(), line.size(), maps) != nullptr) {
    unsigned long from = 0, to = 0;
    std::array<char, 8> rights{};
    if (std::sscanf(line.data(), "%lx-%lx %7s", &from, &to, rights.data()) != 3 ||
        rights[0] != 'r' || rights[1] != 'w')
      continue;
    // not the kernel's pages, nor the stack: the dynamic linker spills whatever the vector
    // registers hold below it
    if (std::strstr(line.data(), "[v") != nullptr || std::strstr(line.data(), "[stack]") != nullptr)
      continue;
    const auto* at = reinterpret_cast<const unsigned char*>(from);
    const auto* end = reinterpret_cast<const unsigned char*>(to) - 16;
    for (; at < end && !found; at += 8) {  // keys and words lie on 8-byte boundaries
      found = true;
      for (std::size_t i = 0; i < 16 && found; ++i)
        found = at[i] == static_cast<unsigned char>(~inverted[i]);
    }
  }
  (void)std::fclose(maps);
  return found;
}

Status marked_entropy(std::span<std::byte> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(0xA5 ^ (37 * i));
  return {};
}

// A key that made noise must be gone once the noise is drawn, from the cipher's own memory too, and
// in a forked child; so must the words that were handed out.
TEST(Generator, LeavesNoUsedKeyOrWordInMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory is terabytes that can't be read through";
#endif
  std::array<unsigned char, 16> seed_inverted{}, word_inverted{};
  for (std::size_t i = 0; i < 16; ++i)
    seed_inverted[i] = static_cast<unsigned char>(~(0xA5 ^ (37 * i)));
  {
    std::array<std::byte, 32> present{};
    ASSERT_TRUE(marked_entropy(present).has_value());
    volatile std::byte keep = present[0];
    (void)keep;
    std::vector<std::byte> copy(present.begin(), present.end());
    EXPECT_TRUE(memory_holds(seed_inverted))
        << "the search finds what is there (" << static_cast<int>(copy[0]) << ")";
    OPENSSL_cleanse(copy.data(), copy.size());
    OPENSSL_cleanse(present.data(), present.size());
  }
  Generator generator(marked_entropy);
  std::array<std::uint64_t, 2> words{};
  ASSERT_TRUE(generator.fill(words).has_value());
  std::memcpy(word_inverted.data(), words.data(), 16);
  for (unsigned char& byte : word_inverted) byte = static_cast<unsigned char>(~byte);
  OPENSSL_cleanse(words.data(), sizeof(words));  // a plain assignment would be optimised away
  EXPECT_FALSE(memory_holds(seed_inverted)) << "the key that made the block";
  EXPECT_FALSE(memory_holds(word_inverted)) << "the words handed out";
  const pid_t child = fork();
  if (child == 0) _exit(memory_holds(seed_inverted) || memory_holds(word_inverted) ? 1 : 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the child's copy";
}

TEST(Generator, AMovedFromOneFailsInGoodOrder) {
  Generator first;
  Generator second(std::move(first));
  std::uint64_t word = 0;
  EXPECT_TRUE(second.fill({&word, 1}).has_value());
  EXPECT_FALSE(
      first.fill({&word, 1}).has_value());  // NOLINT(bugprone-use-after-move): that is the test
}

TEST(Generator, TwoNeverAgree) {
  Generator a, b;
  std::array<std::uint64_t, 4> x{}, y{};
  ASSERT_TRUE(a.fill(x).has_value());
  ASSERT_TRUE(b.fill(y).has_value());
  EXPECT_NE(x, y);
}

std::array<std::uint64_t, 4> draw_in_child(Source& source) {
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::array<std::uint64_t, 4> words{};
    const bool good = source.fill(words).has_value() &&
                      write(pipe_ends[1], words.data(), sizeof(words)) == sizeof(words);
    _exit(good ? 0 : 1);
  }
  std::array<std::uint64_t, 4> words{};
  EXPECT_EQ(read(pipe_ends[0], words.data(), sizeof(words)), static_cast<ssize_t>(sizeof(words)));
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return words;
}

// Parent and children fork from the same state in the middle of a buffer; all of them must differ.
TEST(Generator, IsSafeAcrossFork) {
  Source& source = thread_generator();
  std::array<std::uint64_t, 4> words{};
  std::set<std::array<std::uint64_t, 4>> seen;
  ASSERT_TRUE(source.fill(words).has_value());
  for (int i = 0; i < 4; ++i) seen.insert(draw_in_child(source));
  ASSERT_TRUE(source.fill(words).has_value());
  seen.insert(words);
  EXPECT_EQ(seen.size(), 5u);
}

TEST(Generator, EveryThreadHasItsOwn) {
  constexpr std::size_t kThreads = 4, kWords = 20000;
  std::vector<std::vector<std::uint64_t>> words(kThreads, std::vector<std::uint64_t>(kWords));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t at = 0; at < kWords; at += 100)
        EXPECT_TRUE(thread_generator().fill(std::span(words[t]).subspan(at, 100)).has_value());
    });
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& part : words) all.insert(part.begin(), part.end());
  EXPECT_EQ(all.size(), kThreads * kWords);
}

// Bits are balanced and bytes equally likely: a crude check that nothing is stuck (the cipher's
// quality is not ours to test).
TEST(Generator, NothingIsStuck) {
  std::vector<std::uint64_t> words(1 << 16);
  ASSERT_TRUE(thread_generator().fill(words).has_value());
  std::array<int, 64> ones{};
  for (const std::uint64_t word : words)
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
  for (const int count : ones) EXPECT_NEAR(count, 1 << 15, 8 * 128);
}

}  // namespace
}  // namespace discreet::random
