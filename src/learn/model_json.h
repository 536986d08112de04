// Parts of models and checkpoints as JSON, and reading them where the text may be anybody's.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "discreet/learn/encoding.h"

namespace discreet::learn {

// Reads members by name; whatever isn't what it should be makes it not good(), and reads as
// nothing.
class JsonReader {
 public:
  explicit JsonReader(nlohmann::ordered_json object) : object_(std::move(object)) {}

  std::string text(const char* name) {
    const auto* found = find(name);
    if (found == nullptr || !found->is_string()) return bad(std::string());
    return found->get<std::string>();
  }
  bool flag(const char* name) {
    const auto* found = find(name);
    if (found == nullptr || !found->is_boolean()) return bad(false);
    return found->get<bool>();
  }
  double number(const char* name) {
    const auto* found = find(name);
    if (found == nullptr || !found->is_number()) return bad(0.0);
    const double value = found->get<double>();
    return std::isfinite(value) ? value : bad(0.0);
  }
  std::size_t count(const char* name, std::size_t most) {
    const auto* found = find(name);
    if (found == nullptr || !found->is_number_unsigned()) return bad(std::size_t{0});
    const auto value = found->get<std::uint64_t>();
    return value <= most ? static_cast<std::size_t>(value) : bad(std::size_t{0});
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> out;
    const auto* found = find(name);
    if (found == nullptr || !found->is_array()) return bad(out);
    for (const auto& item : *found) {
      if (!item.is_string()) return bad(std::vector<std::string>());
      out.push_back(item.get<std::string>());
    }
    return out;
  }
  JsonReader object(const char* name) {
    const auto* found = find(name);
    if (found == nullptr || !found->is_object()) {
      good_ = false;
      return JsonReader(nlohmann::ordered_json::object());
    }
    return JsonReader(*found);
  }
  std::vector<JsonReader> objects(const char* name) {
    std::vector<JsonReader> out;
    const auto* found = find(name);
    if (found == nullptr || !found->is_array()) {
      good_ = false;
      return out;
    }
    for (const auto& item : *found) {
      if (!item.is_object()) good_ = false;
      out.emplace_back(item.is_object() ? item : nlohmann::ordered_json::object());
    }
    return out;
  }
  bool good() const { return good_; }
  void fail() { good_ = false; }

 private:
  const nlohmann::ordered_json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  template <class T>
  T bad(T nothing) {
    good_ = false;
    return nothing;
  }

  nlohmann::ordered_json object_;
  bool good_ = true;
};

nlohmann::ordered_json shape_json(const Shape& shape);
Shape read_shape(JsonReader& from, const char* name);
nlohmann::ordered_json encoding_json(const Encoding& encoding);
Encoding read_encoding(JsonReader& from, const char* name);

}  // namespace discreet::learn
