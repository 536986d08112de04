#include "discreet/engine/duckdb/json_array.h"

#include <algorithm>

namespace discreet::engine::duckdb {
namespace {

// The elements found so far as lines, and the one at hand.
class Elements {
 public:
  Elements(Block& block, std::size_t longest) : block_(block), longest_(longest) {
    block_.resize(0);
  }
  // True: an element ends here.
  bool add(char c) {
    bool complete = false;
    if (quoted_) {
      if (c == '\n') {  // no JSON string has one
        forget();
        return false;
      }
      quoted_ = c != '"' || escaped_;
      escaped_ = c == '\\' && !escaped_;
    } else if (c == '"') {
      quoted_ = true;
      escaped_ = false;
    } else if (c == '{') {
      // Within an object there must be a colon before it. If there is none, the one before was
      // never closed.
      if (!open_.empty() && open_.back() && last_ != ':') forget();
      open_.push_back(true);
    } else if (c == '[' && !open_.empty()) {
      open_.push_back(false);
    } else if ((c == '}' || c == ']') && !open_.empty()) {
      if (open_.back() != (c == '}')) {
        forget();
        return false;
      }
      open_.pop_back();
      complete = open_.empty();
    }
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') last_ = c;
    if (open_.size() > kMostOpen) forget();
    if (open_.empty() && !complete) return false;  // outside of elements
    put(c == '\n' ? ' ' : c);
    if (complete) finish();
    return complete;
  }
  // Leaves only what is complete. Whether there is any.
  bool close() {
    block_.resize(start_);
    return start_ > 0;
  }
  bool any() const { return start_ > 0; }

 private:
  // A file of nothing but opening brackets must end somewhere too: here at 128 MB of memory.
  static constexpr std::size_t kMostOpen = std::size_t{1} << 30;

  void put(char c) {
    if (size_ - start_ >= longest_) good_ = false;
    if (!good_) return;
    if (size_ + 1 >= capacity_) {
      block_.resize(size_);
      capacity_ = std::max<std::size_t>(2 * capacity_, 4096);
      data_ = block_.grow(capacity_);
    }
    data_[size_++] = c;
  }
  void forget() {
    open_.clear();
    size_ = start_;
    good_ = true;
    quoted_ = false;
  }
  void finish() {
    if (good_) {
      data_[size_++] = '\n';  // put() leaves room for it
      start_ = size_;
    }
    forget();
  }

  Block& block_;
  const std::size_t longest_;
  char* data_ = nullptr;
  std::size_t capacity_ = 0, size_ = 0;
  std::size_t start_ = 0;  // of the element at hand
  std::vector<bool>
      open_;          // the brackets around this place, from the element's own on; braces are true
  char last_ = 0;     // the last character that isn't blank
  bool good_ = true;  // not too long
  bool quoted_ = false, escaped_ = false;
};

}  // namespace

bool ArrayBlocks::take(Block& block) {
  Elements elements(block, cut_.longest);
  std::uint64_t place = at_;
  while (const std::size_t got = load(place, scratch_, cut_.block)) {
    for (std::size_t i = 0; i < got; ++i)
      if (elements.add(scratch_.begin()[i])) at_ = place + i + 1;
    place += got;
    if (elements.any()) break;
  }
  return elements.close();
}

}  // namespace discreet::engine::duckdb
