// One JSON object taken apart, its fields as text. A line of a JSON-lines file stands alone:
// whatever it holds can cost nobody else's row, and it is a row if it is one object, strictly read.
//
//   #include "discreet/engine/duckdb/blocks.h"
//   LineBlocks blocks({"visits.jsonl"}, {});
//   JsonRecords records({{"who", "x"}});
//   for (Block block; blocks.next(block);) {
//     records.begin(block.text());
//     while (const Fields* fields = records.next()) (*fields)[1].text();
//   }
//
// Texts of values: strings without their escapes; numbers, true and false exactly as written (so
// that no digit of a key is lost); lists and objects as written without blanks; null and what is
// missing is NULL. Of several fields of one name the first counts. Python's NaN, Infinity and
// -Infinity are numbers. Behind the object a comma may stand. No rows: empty lines, anything else
// than an object, what breaks JSON's grammar anywhere (control characters in strings and lone
// surrogates too), text that is not UTF-8, and what is nested deeper than kDeepest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discreet/engine/duckdb/fields.h"

namespace discreet::engine::duckdb {

struct JsonForm {
  std::vector<std::string> wanted;  // names, each once
};

class JsonRecords {
 public:
  static constexpr std::size_t kDeepest = 1000;

  explicit JsonRecords(JsonForm form) : form_(std::move(form)), fields_(form_.wanted.size()) {}
  // Whole lines; kPadding bytes stand behind them.
  void begin(std::string_view block);
  // The next row's wanted fields, which stay until the next call; null: there are no more.
  const Fields* next();

 private:
  bool object(const char* p, const char* end);
  std::size_t place_of(const char* from, const char* to, bool escaped, std::size_t hint);

  const JsonForm form_;
  Fields fields_;
  std::vector<bool> found_;
  std::string texts_, name_;
  const char *at_ = nullptr, *end_ = nullptr;
  bool is_text_ = true;  // the whole block is UTF-8
};

}  // namespace discreet::engine::duckdb
