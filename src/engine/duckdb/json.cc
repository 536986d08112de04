#include "discreet/engine/duckdb/json.h"

#include <algorithm>
#include <bitset>
#include <cstdint>

#include "discreet/base/utf8.h"
#include "discreet/engine/duckdb/scan.h"

namespace discreet::engine::duckdb {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

const char* skip_blanks(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) ++p;
  return p;
}

// Four hexadecimal digits, or -1.
int hex4(const char* p, const char* end) {
  if (end - p < 4) return -1;
  int out = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = p[i];
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      return -1;
    }
    out = 16 * out + digit;
  }
  return out;
}

constexpr bool is_high(int c) { return c >= 0xD800 && c <= 0xDBFF; }
constexpr bool is_low(int c) { return c >= 0xDC00 && c <= 0xDFFF; }

// Each of these goes from the first character of something to behind it; null: it is malformed.

const char* skip_string(const char* p, const char* end, bool& escaped) {
  escaped = false;
  for (++p;;) {
    p = find_string_end(p, end);
    if (p == end) return nullptr;
    if (*p == '"') return p + 1;
    if (*p != '\\' || end - p < 2) return nullptr;  // a control character
    escaped = true;
    const char c = p[1];
    p += 2;
    if (c == 'u') {
      const int first = hex4(p, end);
      if (first < 0 || is_low(first)) return nullptr;
      p += 4;
      if (is_high(first)) {
        if (end - p < 6 || p[0] != '\\' || p[1] != 'u' || !is_low(hex4(p + 2, end))) return nullptr;
        p += 6;
      }
    } else if (c != '"' && c != '\\' && c != '/' && c != 'b' && c != 'f' && c != 'n' && c != 'r' &&
               c != 't') {
      return nullptr;
    }
  }
}

const char* skip_word(const char* p, const char* end, std::string_view word) {
  return std::string_view(p, static_cast<std::size_t>(end - p)).starts_with(word) ? p + word.size()
                                                                                  : nullptr;
}

const char* skip_digits(const char* p, const char* end) {
  while (p < end && *p >= '0' && *p <= '9') ++p;
  return p;
}

const char* skip_number(const char* p, const char* end) {
  if (*p == '-') ++p;
  if (p < end && *p == 'I') return skip_word(p, end, "Infinity");
  const char* whole = p;
  p = skip_digits(p, end);
  if (p == whole || (*whole == '0' && p - whole > 1)) return nullptr;
  if (p < end && *p == '.') {
    const char* part = ++p;
    p = skip_digits(p, end);
    if (p == part) return nullptr;
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p < end && (*p == '+' || *p == '-')) ++p;
    const char* exponent = p;
    p = skip_digits(p, end);
    if (p == exponent) return nullptr;
  }
  return p;
}

const char* skip_scalar(const char* p, const char* end) {
  bool escaped = false;
  switch (p < end ? *p : '\0') {
    case '"':
      return skip_string(p, end, escaped);
    case 't':
      return skip_word(p, end, "true");
    case 'f':
      return skip_word(p, end, "false");
    case 'n':
      return skip_word(p, end, "null");
    case 'N':
      return skip_word(p, end, "NaN");
    case '\0':
      return nullptr;
    default:
      return skip_number(p, end);
  }
}

// A name and its colon.
const char* skip_name(const char* p, const char* end) {
  bool escaped = false;
  if (p == end || *p != '"') return nullptr;
  p = skip_string(p, end, escaped);
  if (!p) return nullptr;
  p = skip_blanks(p, end);
  return p < end && *p == ':' ? skip_blanks(p + 1, end) : nullptr;
}

// A list or an object with all that is in it.
const char* skip_nested(const char* p, const char* end) {
  std::bitset<JsonRecords::kDeepest> is_object;  // the brackets around this place
  std::size_t depth = 0;
  for (;;) {
    // At a value.
    if (p < end && (*p == '{' || *p == '[')) {
      if (depth + 1 == JsonRecords::kDeepest) return nullptr;
      is_object[depth++] = *p == '{';
      p = skip_blanks(p + 1, end);
      const bool empty = p < end && *p == (is_object[depth - 1] ? '}' : ']');
      if (!empty) {
        if (is_object[depth - 1]) p = skip_name(p, end);
        if (!p) return nullptr;
        continue;
      }
    } else {
      p = skip_scalar(p, end);
      if (!p) return nullptr;
      p = skip_blanks(p, end);
    }
    // Behind one: what closes, then what goes on.
    while (p < end && *p == (is_object[depth - 1] ? '}' : ']')) {
      ++p;
      if (--depth == 0) return p;
      p = skip_blanks(p, end);
    }
    if (p == end || *p != ',') return nullptr;
    p = skip_blanks(p + 1, end);
    if (is_object[depth - 1]) p = skip_name(p, end);
    if (!p) return nullptr;
  }
}

char* put_utf8(char* out, std::uint32_t c) {
  if (c < 0x80) {
    *out++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *out++ = static_cast<char>(0xC0 | c >> 6);
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    *out++ = static_cast<char>(0xE0 | c >> 12);
    *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | c >> 18);
    *out++ = static_cast<char>(0x80 | (c >> 12 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  }
  return out;
}

// The inside of a string that was skipped, without its escapes: never longer than it.
char* unescape(const char* p, const char* end, char* out) {
  while (p < end) {
    if (*p != '\\') {
      *out++ = *p++;
      continue;
    }
    const char c = p[1];
    p += 2;
    if (c == 'u') {
      auto code = static_cast<std::uint32_t>(hex4(p, end));
      p += 4;
      if (is_high(static_cast<int>(code))) {
        code = 0x10000 + ((code - 0xD800) << 10) +
               (static_cast<std::uint32_t>(hex4(p + 2, end)) - 0xDC00);
        p += 6;
      }
      out = put_utf8(out, code);
      continue;
    }
    constexpr std::string_view kLetters = "bfnrt", kMeant = "\b\f\n\r\t";
    const std::size_t at = kLetters.find(c);
    *out++ = at == kLetters.npos ? c : kMeant[at];
  }
  return out;
}

// A value without the blanks between its tokens.
char* without_blanks(const char* p, const char* end, char* out) {
  bool escaped = false;
  while (p < end) {
    if (*p == '"') {
      const char* behind = skip_string(p, end, escaped);
      out = std::copy(p, behind, out);
      p = behind;
    } else {
      if (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n') *out++ = *p;
      ++p;
    }
  }
  return out;
}

}  // namespace

void JsonRecords::begin(std::string_view block) {
  at_ = block.data();
  end_ = at_ + block.size();
  is_text_ = is_utf8(block);
}

const Fields* JsonRecords::next() {
  while (at_ < end_) {
    const char* const line = at_;
    const char* end = find(line, end_, '\n');
    at_ = end ? end + 1 : end_;
    if (!end) end = end_;
    if (!is_text_ && !is_utf8({line, static_cast<std::size_t>(end - line)})) continue;
    if (object(line, end)) return &fields_;
  }
  return nullptr;
}

// Where the field of a name goes. Rows mostly have their fields in one order: `hint` is where the
// last one went.
std::size_t JsonRecords::place_of(const char* from, const char* to, bool escaped,
                                  std::size_t hint) {
  std::string_view name(from, static_cast<std::size_t>(to - from));
  if (escaped) {
    name_.resize(name.size());
    name_.resize(static_cast<std::size_t>(unescape(from, to, name_.data()) - name_.data()));
    name = name_;
  }
  const std::size_t count = form_.wanted.size();
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t place = hint + i < count ? hint + i : hint + i - count;
    if (form_.wanted[place] == name) return place;
  }
  return kNowhere;
}

bool JsonRecords::object(const char* p, const char* end) {
  p = skip_blanks(p, end);
  if (p == end || *p != '{') return false;
  fields_.assign(fields_.size(), Field{});
  found_.assign(fields_.size(), false);
  // Texts that differ from what stands there; all together they are no longer than the line.
  if (texts_.size() < static_cast<std::size_t>(end - p) + kPadding)
    texts_.resize(static_cast<std::size_t>(end - p) + kPadding);
  char* out = texts_.data();
  std::size_t hint = fields_.empty() ? 0 : fields_.size() - 1;
  p = skip_blanks(p + 1, end);
  const bool empty = p < end && *p == '}';
  while (!empty) {
    if (p == end || *p != '"') return false;
    const char* const name = p + 1;
    bool escaped = false;
    p = skip_string(p, end, escaped);
    if (!p) return false;
    const std::size_t place = place_of(name, p - 1, escaped, hint);
    p = skip_blanks(p, end);
    if (p == end || *p != ':') return false;
    p = skip_blanks(p + 1, end);
    if (p == end) return false;
    const char* const value = p;
    const bool nested = *p == '{' || *p == '[';
    escaped = false;
    p = nested      ? skip_nested(p, end)
        : *p == '"' ? skip_string(p, end, escaped)
                    : skip_scalar(p, end);
    if (!p) return false;
    if (place != kNowhere) {
      hint = place;
      if (!found_[place]) {
        found_[place] = true;
        const char *from = value, *to = p;
        if (*value == '"') ++from, --to;
        if (nested || escaped) {
          char* const text = out;
          out = nested ? without_blanks(from, to, out) : unescape(from, to, out);
          from = text, to = out;
        }
        if (*value != 'n') fields_[place] = {from, static_cast<std::size_t>(to - from)};
      }
    }
    p = skip_blanks(p, end);
    if (p == end || (*p != ',' && *p != '}')) return false;
    if (*p == '}') break;
    p = skip_blanks(p + 1, end);
  }
  p = skip_blanks(p + 1, end);
  if (p < end && *p == ',') p = skip_blanks(p + 1, end);
  return p == end;
}

}  // namespace discreet::engine::duckdb
