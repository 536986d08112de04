// A function of a block's rows, as subsample-and-aggregate asks it
// (mechanism/gap/sample_aggregate.h): a program (program.h) or a SQL query
// (engine/duckdb/block_query.h). Rows come from engine/duckdb/unit_blocks.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace discreet::engine::sample {

class Function {
 public:
  virtual ~Function() = default;
  // The answer to one block. Its rows come as CSV without a header.
  // Nothing: it failed, and nobody will hear why. Called from several threads at once; no call may
  // see anything of another one's rows.
  virtual std::optional<std::string> answer(std::string_view rows) const = 0;
};

// The answer in what a function printed or gave: the first line without blanks around it. Nothing
// where that is empty, longer than kLongestAnswer bytes, or isn't UTF-8.
inline constexpr std::size_t kLongestAnswer = 1000;
std::optional<std::string> answer_in(std::string_view output);

}  // namespace discreet::engine::sample
