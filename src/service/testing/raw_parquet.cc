#include "discreet/service/testing/raw_parquet.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <utility>

namespace discreet::service::testing {
namespace {

using std::string;

// Thrift's compact protocol: a struct is its fields, each after a byte of the distance from the one
// before it and its type.
class Struct {
 public:
  static string varint(std::uint64_t value) {
    string out;
    for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
    return out + static_cast<char>(value);
  }
  static string zigzag(std::int64_t value) {
    return varint((static_cast<std::uint64_t>(value) << 1) ^
                  static_cast<std::uint64_t>(value >> 63));
  }
  static string text(const string& value) { return varint(value.size()) + value; }

  Struct& truth(int id, bool value) { return field(id, value ? 1 : 2, ""); }
  Struct& number(int id, std::int64_t value, bool wide = false) {
    return field(id, wide ? 6 : 5, zigzag(value));
  }
  Struct& optional(int id, int value) { return value < 0 ? *this : number(id, value); }
  Struct& binary(int id, const string& value) { return field(id, 8, text(value)); }
  Struct& list(int id, int of, const std::vector<string>& items) {
    string all;
    for (const string& item : items) all += item;
    return field(id, 9,
                 (items.size() < 15 ? string(1, static_cast<char>(items.size() << 4 | of))
                                    : static_cast<char>(0xf0 | of) + varint(items.size())) +
                     all);
  }
  Struct& inner(int id, const string& value) { return field(id, 12, value); }
  string done() const { return bytes_ + '\0'; }

 private:
  Struct& field(int id, int type, const string& value) {
    bytes_ += static_cast<char>((id - last_) << 4 | type);
    bytes_ += value;
    last_ = id;
    return *this;
  }
  string bytes_;
  int last_ = 0;
};

constexpr int kInt32 = 5, kBinary = 8, kStruct = 12;

// A signed number of four or eight bytes.
std::int64_t signed_number(const string& bytes) {
  std::int32_t narrow = 0;
  std::int64_t wide = 0;
  if (bytes.size() == sizeof wide) std::memcpy(&wide, bytes.data(), sizeof wide);
  if (bytes.size() == sizeof narrow) std::memcpy(&narrow, bytes.data(), sizeof narrow);
  return bytes.size() == sizeof wide ? wide : narrow;
}

constexpr int kDouble = 5;

// Smallest and largest, NaN left out as writers do; empty where there is none.
std::vector<string> real_ends(const RawColumn& column) {
  std::vector<double> reals;
  for (const string& value : column.values) {
    double real = 0;
    std::memcpy(&real, value.data(), sizeof real);
    if (real == real) reals.push_back(real);
  }
  if (reals.empty()) return {};
  const auto [least, most] = std::minmax_element(reals.begin(), reals.end());
  return {string(reinterpret_cast<const char*>(&*least), sizeof(double)),
          string(reinterpret_cast<const char*>(&*most), sizeof(double))};
}

bool has_statistics(const RawType& type) {
  constexpr int kDecimal = 5, kFirstUnsigned = 11, kLastUnsigned = 14;
  return (type.physical == 1 || type.physical == 2) && type.converted != kDecimal &&
         (type.converted < kFirstUnsigned || type.converted > kLastUnsigned);
}

string statistics(const RawColumn& column) {
  const auto [least, most] = std::minmax_element(
      column.values.begin(), column.values.end(),
      [](const string& a, const string& b) { return signed_number(a) < signed_number(b); });
  return Struct().number(3, 0, true).binary(5, *most).binary(6, *least).done();
}

}  // namespace

string raw_logical(int which) { return Struct().inner(which, Struct().done()).done(); }

string raw_moment(int which, bool utc, int unit) {
  return Struct().inner(which, Struct().truth(1, utc).inner(2, raw_logical(unit)).done()).done();
}

RawColumn raw_reals(string name, const std::vector<double>& values) {
  RawColumn out;
  out.name = std::move(name);
  out.type.physical = kDouble;
  for (const double value : values)
    out.values.emplace_back(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

RawColumn raw_wholes(string name, const std::vector<std::int64_t>& values) {
  RawColumn out;
  out.name = std::move(name);
  for (const std::int64_t value : values)
    out.values.emplace_back(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

void write_parquet(const string& file, const std::vector<RawColumn>& columns) {
  const std::size_t rows = columns.front().values.size();
  string out = "PAR1";
  std::vector<string> schema, chunks;
  schema.push_back(
      Struct().binary(4, "schema").number(5, static_cast<std::int64_t>(columns.size())).done());
  for (const RawColumn& column : columns) {
    const RawType& type = column.type;
    Struct element;
    element.number(1, type.physical).optional(2, type.length).number(3, 0).binary(4, column.name);
    element.optional(6, type.converted).optional(7, type.scale).optional(8, type.precision);
    if (!type.logical.empty()) element.inner(10, type.logical);
    schema.push_back(element.done());
    string page;
    for (const string& value : column.values) {
      if (type.physical == 6)
        for (int shift = 0; shift < 32; shift += 8)
          page += static_cast<char>(value.size() >> shift);
      page += value;
    }
    const auto count = static_cast<std::int64_t>(rows);
    const auto size = static_cast<std::int64_t>(page.size());
    const auto begin = static_cast<std::int64_t>(out.size());
    out += Struct()
               .number(1, 0)
               .number(2, size)
               .number(3, size)
               .inner(5, Struct().number(1, count).number(2, 0).number(3, 3).number(4, 3).done())
               .done();
    out += page;
    const auto whole = static_cast<std::int64_t>(out.size()) - begin;
    Struct about;
    about.number(1, type.physical)
        .list(2, kInt32, {Struct::zigzag(0)})
        .list(3, kBinary, {Struct::text(column.name)})
        .number(4, 0)
        .number(5, count, true)
        .number(6, whole, true)
        .number(7, whole, true)
        .number(9, begin, true);
    if (has_statistics(type)) about.inner(12, statistics(column));
    if (type.physical == kDouble)
      if (const auto ends = real_ends(column); !ends.empty())
        about.inner(12, Struct().number(3, 0, true).binary(5, ends[1]).binary(6, ends[0]).done());
    chunks.push_back(Struct().number(2, begin, true).inner(3, about.done()).done());
  }
  const string group = Struct()
                           .list(1, kStruct, chunks)
                           .number(2, static_cast<std::int64_t>(out.size()), true)
                           .number(3, static_cast<std::int64_t>(rows), true)
                           .done();
  const string footer = Struct()
                            .number(1, 1)
                            .list(2, kStruct, schema)
                            .number(3, static_cast<std::int64_t>(rows), true)
                            .list(4, kStruct, {group})
                            .done();
  out += footer;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(footer.size() >> shift);
  out += "PAR1";
  std::ofstream(file, std::ios::binary) << out;
}

}  // namespace discreet::service::testing
