#include "discreet/learn/idx.h"

#include <fmt/format.h>

#include "discreet/base/quote.h"

namespace discreet::learn {
namespace {

constexpr std::size_t kMagic = 4, kSize = 4, kMostSizes = 4;
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 40;
constexpr unsigned char kBytes = 8;

unsigned char at(std::string_view bytes, std::size_t place) {
  return static_cast<unsigned char>(bytes[place]);
}

tl::unexpected<Error> bad(const std::string& name, const std::string& found, Phrase hint = {}) {
  return fail(Code::kUsage,
              fmt::format("{}: found {}; accepted is an IDX file of bytes: a header of 1 to {} "
                          "sizes and as many bytes as their product",
                          quote(name), found, kMostSizes),
              std::move(hint));
}

}  // namespace

bool looks_like_idx(std::string_view bytes) {
  if (bytes.size() < kMagic || at(bytes, 0) != 0 || at(bytes, 1) != 0) return false;
  const unsigned char type = at(bytes, 2);
  return type >= 0x08 && type <= 0x0E && at(bytes, 3) >= 1;
}

Result<Idx> parse_idx(const std::string& name, std::string_view bytes) {
  if (bytes.size() >= 2 && at(bytes, 0) == 0x1F && at(bytes, 1) == 0x8B)
    return bad(name, "a gzip file", "unpack it with gunzip");
  if (bytes.size() < kMagic) return bad(name, fmt::format("{} bytes", bytes.size()));
  if (at(bytes, 0) != 0 || at(bytes, 1) != 0) return bad(name, "another kind of file");
  if (at(bytes, 2) != kBytes)
    return bad(name, fmt::format("numbers of type 0x{:02X} (bytes are 0x08)", at(bytes, 2)));
  const std::size_t sizes = at(bytes, 3), header = kMagic + kSize * sizes;
  if (sizes < 1 || sizes > kMostSizes) return bad(name, fmt::format("{} sizes", sizes));
  if (bytes.size() < header) return bad(name, "a header that is cut short");
  Idx out;
  std::uint64_t product = 1, extent = 1;  // the extent without sizes of 0
  for (std::size_t i = 0; i < sizes; ++i) {
    std::uint64_t size = 0;
    for (std::size_t b = 0; b < kSize; ++b) size = size << 8 | at(bytes, kMagic + kSize * i + b);
    out.sizes.push_back(size);
    // Each factor is below 2^32 and the extent so far at most 2^40: nothing wraps unseen.
    if (size != 0 && extent > kMostNumbers / size) return bad(name, "sizes beyond 2^40 numbers");
    extent *= size == 0 ? 1 : size;
    product *= size;
  }
  out.bytes = bytes.substr(header);
  if (out.bytes.size() != product)
    return bad(name,
               fmt::format("{} bytes behind a header that says {}", out.bytes.size(), product));
  return out;
}

Result<Examples> pictures(const std::string& name, const Idx& images, const Idx* labels,
                          std::size_t classes) {
  if (images.sizes.size() < 3)
    return fail(Code::kUsage,
                fmt::format("{}: found {} sizes; accepted are pictures: count × height × width, or "
                            "count × channels × height × width",
                            quote(name), images.sizes.size()));
  const std::size_t rank = images.sizes.size();
  Examples out;
  out.shape = {rank == 4 ? images.sizes[1] : 1, images.sizes[rank - 2], images.sizes[rank - 1]};
  const std::size_t all = images.sizes[0], points = out.shape.size();
  if (points == 0)
    return fail(Code::kUsage, fmt::format("{}: found pictures without points", quote(name)));
  if (labels != nullptr && (labels->sizes.size() != 1 || labels->sizes[0] != all))
    return fail(Code::kUsage,
                fmt::format("{}: found {} pictures and {} labels; accepted is one label a picture",
                            quote(name), all, labels->sizes[0]),
                advise("labels", "FILE"));
  out.x.reserve(all * points);
  out.classes = classes;
  for (std::size_t i = 0; i < all; ++i) {
    if (labels != nullptr) {
      const std::size_t label = at(labels->bytes, i);
      if (label >= classes) continue;
      out.y.push_back(static_cast<float>(label));
    }
    for (std::size_t p = 0; p < points; ++p)
      out.x.push_back(static_cast<float>(at(images.bytes, i * points + p)) / 255.0F);
    ++out.count;
  }
  return out;
}

std::string labels_beside(const std::string& images) {
  const std::size_t slash = images.rfind('/');
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  std::string out = images;
  const std::size_t place = out.rfind("images");
  if (place == std::string::npos || place < start) return {};
  out.replace(place, 6, "labels");
  for (const char* rank : {"idx3", "idx4"})
    if (const std::size_t found = out.rfind(rank); found != std::string::npos && found >= start)
      out.replace(found, 4, "idx1");
  return out;
}

}  // namespace discreet::learn
