// Matrices, priors, gains and graphs as people hand them over: CSV files of exact numbers.
//
//   Channel coin = *read_channel("coin.csv", "3/4,1/4\n1/4,3/4\n");
//   auto wrong = read_channel("coin.csv", "3/4,1/4\n1/4,2/4\n");
//   // coin.csv, line 2, column 2: the row sums to 3/4; accepted is exactly 1
//
// Numbers are read exactly: 0.1 is a tenth, 1/3 a third. Lines that are empty or start with # are
// skipped, and so is a first line without any number (names of columns). "Column" counts the
// numbers of a line, from 1.
//
// Floating-point dust: a row of decimals whose sum is off by at most 1e-14 (programs write 2/3 as
// 0.6666666666666666) is divided by its sum, and `rounded` says how many rows were. Rows with a
// fraction in them are meant exactly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discreet/channel/channel.h"
#include "discreet/channel/graph.h"

namespace discreet::channel {

struct Table {
  struct Row {
    std::size_t line;
    std::vector<Rational> numbers;
    bool fractions = false;  // a / stands in it
  };
  std::string name;
  std::vector<Row> rows;
  std::size_t end = 1;  // the line after the last

  std::size_t columns() const { return rows.empty() ? 0 : rows.front().numbers.size(); }
};

// Every row as long as the first; "file, line 3, column 2: …" otherwise.
Result<Table> read_table(const std::string& name, std::string_view text);

Result<Channel> read_channel(const std::string& name, std::string_view text,
                             std::size_t* rounded = nullptr);
// `size` probabilities, in a line or one a line.
Result<std::vector<Rational>> read_distribution(const std::string& name, std::string_view text,
                                                std::size_t size, std::size_t* rounded = nullptr);
// One edge a line: two nodes from 0 on.
Result<Graph> read_graph(const std::string& name, std::string_view text, std::size_t size);
// Any numbers, with so many columns (0: as many as rows).
Result<Table> read_matrix(const std::string& name, std::string_view text, std::size_t columns);

// Checks that these are probabilities which sum to 1, dust aside; `where` names the place.
Status settle(std::vector<Rational>& probabilities, bool fractions, const std::string& where,
              std::size_t* rounded);

}  // namespace discreet::channel
