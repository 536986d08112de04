// A group's key as bytes, written and read in one place: for each value a tag, then its content.
//
//   KeyBytes key;
//   key.text("ward A");
//   key.real(-0.0);  // the same key as 0.0
//   auto values = *read_key(key.view());
//   bool same = values[0].text == "ward A" && values[1].real == 0;
//
// Equal keys have equal bytes, so reals are normalised: there is one zero and one NaN. Whatever has
// to know whether two keys are the same (the groups of a run, the list of public groups) compares
// these bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discreet::bound {

class KeyBytes {
 public:
  void clear() { bytes_.clear(); }
  void null() { bytes_.push_back('n'); }
  void whole(std::int64_t value) { raw('i', value); }
  void real(double value) {
    if (value == 0) value = 0;
    if (value != value) value = __builtin_nan("");
    raw('d', value);
  }
  void text(std::string_view value) {
    raw('s', static_cast<std::uint64_t>(value.size()));
    bytes_.append(value);
  }
  std::string_view view() const { return bytes_; }

 private:
  template <class T>
  void raw(char tag, T value) {
    char piece[1 + sizeof value];
    piece[0] = tag;
    std::memcpy(piece + 1, &value, sizeof value);
    bytes_.append(piece, sizeof piece);
  }
  std::string bytes_;
};

struct KeyValue {
  enum class Kind { kNull, kWhole, kReal, kText } kind = Kind::kNull;
  std::int64_t whole = 0;
  double real = 0;
  std::string_view text;  // of the bytes that were read
};

// The values of a key, or nothing where KeyBytes can't have written these bytes.
inline std::optional<std::vector<KeyValue>> read_key(std::string_view bytes) {
  std::vector<KeyValue> out;
  const auto take = [&](auto& value) {
    if (bytes.size() < sizeof value) return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return true;
  };
  while (!bytes.empty()) {
    const char tag = bytes.front();
    bytes.remove_prefix(1);
    KeyValue& value = out.emplace_back();
    std::uint64_t length = 0;
    if (tag == 'n') {
      value.kind = KeyValue::Kind::kNull;
    } else if (tag == 'i' && take(value.whole)) {
      value.kind = KeyValue::Kind::kWhole;
    } else if (tag == 'd' && take(value.real)) {
      value.kind = KeyValue::Kind::kReal;
    } else if (tag == 's' && take(length) && length <= bytes.size()) {
      value.kind = KeyValue::Kind::kText;
      value.text = bytes.substr(0, length);
      bytes.remove_prefix(length);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace discreet::bound
