#include "discreet/engine/json_array.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace discreet::engine {

using std::string;

int JsonArray::read() {
  if (at_ == block_.size()) {
    block_.resize(1 << 16);
    file_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
    block_.resize(static_cast<std::size_t>(file_.gcount()));
    at_ = 0;
    if (block_.empty()) return EOF;
  }
  return static_cast<unsigned char>(block_[at_++]);
}

bool JsonArray::next(string& element) {
  string open;       // the brackets around this place, from the element's own on
  int last = 0;      // the last character that isn't blank
  bool good = true;  // neither too long nor too deep
  bool quoted = false, escaped = false;
  const auto forget = [&] {
    open.clear();
    element.clear();
    good = true;
    quoted = false;
  };
  forget();
  for (int c = read(); c != EOF; c = read()) {
    bool complete = false;
    if (quoted) {
      if (c == '\n') {  // no JSON string has one
        forget();
        continue;
      }
      quoted = c != '"' || escaped;
      escaped = c == '\\' && !escaped;
    } else if (c == '"') {
      quoted = true;
      escaped = false;
    } else if (c == '{') {
      // Within an object there must be a colon before it. If there is none, the one before was
      // never closed.
      if (!open.empty() && open.back() == '{' && last != ':') forget();
      open += '{';
    } else if (c == '[' && !open.empty()) {
      open += '[';
    } else if ((c == '}' || c == ']') && !open.empty()) {
      if (open.back() != (c == '}' ? '{' : '[')) {
        forget();
        continue;
      }
      open.pop_back();
      complete = open.empty();
    }
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') last = c;
    if (open.size() > kLongest) forget();     // brackets only: not to remember gigabytes of them
    if (open.empty() && !complete) continue;  // outside of elements
    good = good && element.size() < kLongest && open.size() <= kDeepest;
    if (good) element += static_cast<char>(c);
    if (complete) {
      if (good) return true;
      forget();
    }
  }
  return false;
}

std::optional<std::vector<std::optional<string>>> fields_of(const string& element,
                                                            const std::vector<string>& names) {
  const auto object = nlohmann::json::parse(element, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;  // also if it could not be parsed
  std::vector<std::optional<string>> out;
  for (const string& name : names) {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) {
      out.emplace_back();
    } else {
      out.emplace_back(found->is_string() ? found->get<string>() : found->dump());
    }
  }
  return out;
}

}  // namespace discreet::engine
