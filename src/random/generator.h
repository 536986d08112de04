// The cryptographic generator: a 256-bit key from the operating system (getrandom), expanded by
// AES-256-CTR.
//
//   Source& source = thread_generator();  // this thread's own; no lock
//   std::uint64_t word = 0;
//   Status drawn = source.fill({&word, 1});
//
// - Fast key erasure (Bernstein): every block of output brings the next key with it and the old key
//   is overwritten, and words are wiped as they are handed out, so that a later look into memory
//   tells nothing about noise already drawn.
//
// - Safe across fork: its state lives in memory that the kernel zeroes in a child
//   (MADV_WIPEONFORK); the child finds no key and draws its own.
//
// - It reseeds from the operating system every kReseedBytes. A failure of the entropy source or the
//   cipher is an Error.
#pragma once

#include <cstddef>
#include <memory>

#include "discreet/random/source.h"

namespace discreet::random {

// Asks the operating system for entropy; replaceable so that tests can make it fail.
using Entropy = Status (*)(std::span<std::byte> out);
Status system_entropy(std::span<std::byte> out);

class Generator final : public Source {
 public:
  explicit Generator(Entropy entropy = system_entropy);
  ~Generator() override;
  Generator(Generator&&) noexcept;
  Generator& operator=(Generator&&) noexcept;

  Status fill(std::span<std::uint64_t> words) override;

 private:
  struct State;
  Status refill();
  Status expand(std::span<std::byte> out);
  Status reseed();

  Entropy entropy_;
  std::unique_ptr<State> state_;
};

// One generator a thread, made on first use.
Source& thread_generator();

}  // namespace discreet::random
