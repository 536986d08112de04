// CSV files: today their header, by the reader that queries use. A reader of whole rows is another
// function called on the same file here.
#include "discreet/engine/dialect.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

// Every name in quotes, as RFC 4180 has it.
std::string as_csv(const std::vector<std::string>& names, char delimiter) {
  std::string out;
  for (const std::string& name : names) {
    out += out.empty() ? "\"" : std::string(1, delimiter) + "\"";
    for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += '"';
  }
  return out + "\n";
}

Result<std::vector<std::string>> header(std::string_view bytes, const char* name) {
  const InFile file(bytes, name);
  sql::TableRule rule;
  rule.files = {file.path()};
  return engine::csv_header(rule);
}

}  // namespace

void target(std::string_view bytes) {
  for (const auto& [name, delimiter] : {std::pair{"t.csv", ','}, {"t.tsv", '\t'}}) {
    const auto names = header(bytes, name);
    if (!names) {
      require_refusal(names.error(), {Code::kFailure});
      continue;
    }
    require(!names->empty(), "a header has a name");
    for (const std::string& one : *names) require(!one.empty(), "a column has a name");
    if (names->front().starts_with("\xef\xbb\xbf")) continue;  // a second mark is part of the name
    const auto again = header(as_csv(*names, delimiter) + std::string(bytes), name);
    require(again && *again == *names, "a written header reads back, whatever follows it");
  }
}

}  // namespace discreet::fuzz
