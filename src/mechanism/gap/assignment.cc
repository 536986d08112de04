#include "discreet/mechanism/gap/assignment.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <memory>

#include "discreet/base/try.h"
#include "discreet/random/wide.h"

namespace discreet::mechanism::gap {
namespace {

struct Free {
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MAC_CTX, Free>;

Context make_context() {
  EVP_MAC* const siphash = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
  if (siphash == nullptr) return nullptr;
  Context out(EVP_MAC_CTX_new(siphash));
  EVP_MAC_free(siphash);
  std::size_t size = sizeof(std::uint64_t);
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                   OSSL_PARAM_construct_end()};
  if (out && EVP_MAC_CTX_set_params(out.get(), parameters) != 1) out.reset();
  return out;
}

}  // namespace

Result<Assignment> Assignment::draw(std::uint64_t blocks, random::Source& source) {
  if (blocks < 1 || blocks > kMostBlocks)
    return bad_parameter("blocks", fmt::format("found {}; accepted is a whole number from 1 to {}",
                                               blocks, kMostBlocks));
  Assignment out(blocks);
  TRY(source.fill(out.key_));
  return out;
}

Result<std::uint64_t> Assignment::block_of(std::string_view unit) const {
  thread_local const Context context = make_context();  // setting one up costs more than a hash
  std::uint64_t hash = 0;
  std::size_t size = 0;
  EVP_MAC_CTX* const c = context.get();
  if (c == nullptr ||
      EVP_MAC_init(c, reinterpret_cast<const unsigned char*>(key_.data()), sizeof(key_), nullptr) !=
          1 ||
      EVP_MAC_update(c, reinterpret_cast<const unsigned char*>(unit.data()), unit.size()) != 1 ||
      EVP_MAC_final(c, reinterpret_cast<unsigned char*>(&hash), &size, sizeof(hash)) != 1 ||
      size != sizeof(hash))
    return fail(Code::kFailure, "the units could not be put into blocks: OpenSSL has no SipHash");
  // ⌊hash·blocks/2^64⌋: block sizes differ from uniform by a factor of at most 1 + 2^-44.
  return static_cast<std::uint64_t>((random::Wide(hash) * blocks_) >> 64);
}

}  // namespace discreet::mechanism::gap
