#include "discreet/engine/duckdb/parquet_footer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

namespace discreet::engine::duckdb {
namespace {

// Thrift's compact protocol. A struct is a list of fields, each after a byte that holds the
// distance of its number from the last one and its type; numbers are zigzag varints.
class Reader {
 public:
  enum Type {
    kStop = 0,
    kTrue,
    kFalse,
    kByte,
    kI16,
    kI32,
    kI64,
    kDouble,
    kBinary,
    kList,
    kSet,
    kMap,
    kStruct
  };

  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }

  // each(number, type) for every field; one that it returns false for is passed over.
  template <class Each>
  void fields(Each each) {
    const int before = depth_++;
    std::int64_t number = 0;
    while (ok_ && depth_ <= kDeepest) {
      const unsigned head = byte();
      const auto type = static_cast<Type>(head & 15);
      if (type == kStop) break;
      number = head >> 4 ? number + (head >> 4) : zigzag();
      if (ok_ && !each(number, type)) skip(type);
    }
    if (depth_ > kDeepest) ok_ = false;
    depth_ = before;
  }

  // each() for every item of a list of this type; false (and nothing read) where it is of another.
  template <class Each>
  void items(Type expected, Each each) {
    const unsigned head = byte();
    std::uint64_t count = head >> 4;
    if (count == 15) count = varint();
    if ((head & 15) != static_cast<unsigned>(expected) || count > bytes_.size()) ok_ = false;
    for (; ok_ && count > 0; --count) each();
  }

  std::int64_t zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

  std::string_view binary() {
    const std::uint64_t size = varint();
    if (size > bytes_.size()) return fail(), std::string_view();
    const std::string_view out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }

 private:
  static constexpr int kDeepest = 32;

  void fail() { ok_ = false; }
  unsigned byte() {
    if (bytes_.empty()) return fail(), 0U;
    const auto out = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return out;
  }
  std::uint64_t varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned part = byte();
      out |= static_cast<std::uint64_t>(part & 127) << shift;
      if (part < 128) return out;
    }
    return fail(), 0;
  }
  void skip(Type type) {
    constexpr std::size_t kDoubleBytes = 8;
    switch (type) {
      case kTrue:
      case kFalse:
        return;
      case kByte:
        byte();
        return;
      case kI16:
      case kI32:
      case kI64:
        varint();
        return;
      case kDouble:
        if (bytes_.size() < kDoubleBytes) return fail();
        bytes_.remove_prefix(kDoubleBytes);
        return;
      case kBinary:
        binary();
        return;
      case kStruct:
        fields([](std::int64_t, Type) { return false; });
        return;
      case kList:
      case kSet: {
        const unsigned head = byte();
        std::uint64_t count = head >> 4;
        if (count == 15) count = varint();
        const auto of = static_cast<Type>(head & 15);
        if (count > bytes_.size() || ++depth_ > kDeepest) fail();
        // a truth value in a list has a byte of its own
        for (; ok_ && count > 0; --count) skip(of == kTrue || of == kFalse ? kByte : of);
        --depth_;
        return;
      }
      case kMap:
      case kStop:
        return fail();  // Parquet has no maps
    }
    fail();
  }

  std::string_view bytes_;
  bool ok_ = true;
  int depth_ = 0;
};

// ColumnMetaData: 3 is its path, 12 are its statistics, of which 3 is the number of NULLs.
bool chunk_never_null(Reader& reader, std::string_view column, bool& named) {
  std::vector<std::string_view> path;
  std::optional<std::int64_t> nulls;
  reader.fields([&](std::int64_t number, Reader::Type type) {
    if (number == 3 && type == Reader::kList) {
      reader.items(Reader::kBinary, [&] { path.push_back(reader.binary()); });
      return true;
    }
    if (number != 12 || type != Reader::kStruct) return false;
    reader.fields([&](std::int64_t inner, Reader::Type inner_type) {
      if (inner != 3 || inner_type != Reader::kI64) return false;
      nulls = reader.zigzag();
      return true;
    });
    return true;
  });
  named = path.size() == 1 && path.front() == column;
  return nulls == 0;
}

std::optional<std::string> footer_of(const std::string& path) {
  constexpr std::streamoff kTail = 8, kLongest = std::streamoff{1} << 28;
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(0, std::ios::end)) return std::nullopt;
  const std::streamoff size = file.tellg();
  char tail[kTail];
  std::uint32_t length = 0;
  if (size < kTail || !file.seekg(size - kTail) || !file.read(tail, kTail) ||
      std::string_view(tail + 4, 4) != "PAR1")
    return std::nullopt;
  std::memcpy(&length, tail, sizeof length);
  if (length > kLongest || length > size - kTail || !file.seekg(size - kTail - length))
    return std::nullopt;
  std::string out(length, '\0');
  if (!file.read(out.data(), length)) return std::nullopt;
  return out;
}

}  // namespace

// FileMetaData: 4 are its row groups, whose 1 are their column chunks, whose 3 is the chunk's
// ColumnMetaData.
bool footer_never_null(std::string_view footer, std::string_view column) {
  Reader reader(footer);
  bool all = true, told = false;
  const auto chunk = [&](bool& found) {
    reader.fields([&](std::int64_t number, Reader::Type type) {
      if (number != 3 || type != Reader::kStruct) return false;
      bool named = false;
      const bool complete = chunk_never_null(reader, column, named);
      found |= named && complete;
      return true;
    });
  };
  reader.fields([&](std::int64_t number, Reader::Type type) {
    if (number != 4 || type != Reader::kList) return false;
    told = true;
    reader.items(Reader::kStruct, [&] {
      bool found = false;
      reader.fields([&](std::int64_t inner, Reader::Type inner_type) {
        if (inner != 1 || inner_type != Reader::kList) return false;
        reader.items(Reader::kStruct, [&] { chunk(found); });
        return true;
      });
      all = all && found;
    });
    return true;
  });
  return reader.ok() && told && all;
}

bool never_null(const std::vector<std::string>& files, std::string_view column) {
  return !files.empty() && std::all_of(files.begin(), files.end(), [&](const std::string& file) {
    const auto footer = footer_of(file);
    return footer && footer_never_null(*footer, column);
  });
}

}  // namespace discreet::engine::duckdb
