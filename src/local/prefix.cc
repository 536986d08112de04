#include "discreet/local/prefix.h"

#include <algorithm>
#include <string>

namespace discreet::local {
namespace {

// The first 60 binary digits of π behind the point: a number that nobody chose.
constexpr std::uint64_t kPoint = 0x243F6A8885A308D;
constexpr std::size_t kCoefficient = 7;  // bytes

// ⌈y·2^61/g⌉
std::uint64_t bucket_start(std::uint64_t y, std::uint64_t buckets) {
  return static_cast<std::uint64_t>(((random::Wide{y} << 61) + buckets - 1) / buckets);
}

std::array<std::uint64_t, kMostBytes> weights() {
  std::array<std::uint64_t, kMostBytes> out;
  std::uint64_t power = 1;
  for (std::size_t j = 0; j < kMostBytes; ++j) {
    if (j > 0 && j % kCoefficient == 0) power = multiply_add(power, kPoint, 0);
    const std::size_t shift = 8 * (kCoefficient - 1 - j % kCoefficient);
    out[j] = multiply_add(power, std::uint64_t{1} << shift, 0);
  }
  return out;
}

}  // namespace

Result<PaddedWord> padded(std::string_view word, std::size_t bytes) {
  std::size_t end = word.size();
  if (end > bytes) {
    end = bytes;
    // a character is a first byte from 0xC0 on and up to three from 0x80 to 0xBF
    const auto kind = [&](std::size_t at) { return static_cast<unsigned char>(word[at]) & 0xC0; };
    std::size_t first = end;
    while (first > 0 && end - first < 3 && kind(first) == 0x80) --first;
    if (kind(end) == 0x80 && kind(first) == 0xC0) end = first;
  }
  if (word.substr(0, end).find('\0') != std::string_view::npos)
    return bad_parameter("word",
                         "found a zero byte; accepted are words without, since zeros stand "
                         "behind words that are shorter than others");
  PaddedWord out = {};
  std::copy_n(word.begin(), end, out.begin());
  return out;
}

std::string unpadded(std::string_view bytes) {
  return std::string(bytes.substr(0, std::min(bytes.find('\0'), bytes.size())));
}

std::uint64_t byte_weight(std::size_t j) {
  static const std::array<std::uint64_t, kMostBytes> kWeights = weights();
  return kWeights[j];
}

std::uint64_t fingerprint(const PaddedWord& word, std::size_t bytes) {
  std::uint64_t x = 0;
  for (std::size_t j = 0; j < bytes; ++j) x = multiply_add(byte_weight(j), word[j], x);
  return x;
}

Interval bucket_interval(std::uint64_t y, std::uint64_t buckets) {
  const std::uint64_t start = bucket_start(y, buckets);
  return {start, std::min(bucket_start(y + 1, buckets), kField) - start};
}

}  // namespace discreet::local
