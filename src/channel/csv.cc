#include "discreet/channel/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

const Rational kDust(1, 100'000'000'000'000);

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    const std::size_t comma = line.find(',', at);
    out.push_back(trimmed(line.substr(at, comma == std::string_view::npos ? comma : comma - at)));
    if (comma == std::string_view::npos) return out;
    at = comma + 1;
  }
}

std::string place(const std::string& name, std::size_t line, std::size_t column) {
  return fmt::format("{}, line {}, column {}", name, line, column);
}

// Exactly, or not at all: ln(3) has no place in a matrix whose rows must sum to 1.
Result<Rational> exact_number(const std::string& where, std::string_view cell) {
  constexpr std::size_t kLongest = 2000;  // a sum of many long fractions has the digits of them all
  if (cell.size() > kLongest) {
    return fail(Code::kUsage,
                fmt::format("{}: found a number of {} characters; accepted are at most {}", where,
                            cell.size(), kLongest));
  }
  auto down = parse_number(cell, Rounding::kDown);
  if (!down) {
    const bool semicolon = cell.find(';') != std::string_view::npos ||
                           cell.find('\t') != std::string_view::npos ||
                           cell.find(' ') != std::string_view::npos;
    return fail(Code::kUsage,
                fmt::format("{}: found {}; accepted is a number, such as 0.25 or 3/4", where,
                            cell.empty() ? "nothing" : quote(cell)),
                semicolon      ? "separate numbers by commas"
                : cell.empty() ? "write 0 where nothing is meant"
                               : "");
  }
  auto up = parse_number(cell, Rounding::kUp);
  if (*down != *up) {
    return fail(Code::kUsage,
                fmt::format("{}: found {}; accepted is an exact number, such as 0.25 or 3/4", where,
                            quote(cell)));
  }
  return down;
}

bool is_number(std::string_view cell) { return parse_number(cell, Rounding::kDown).has_value(); }

std::string shown(const Rational& value) {
  std::string exact = to_decimal(value);
  if (exact.size() <= 20) return exact;
  if (abs(value) > Rational(1e300)) return "a number of more than 300 digits";
  return fmt::format("about {}", to_text(to_double(value)));
}

}  // namespace

Result<Table> read_table(const std::string& name, std::string_view text) {
  Table out{.name = name, .rows = {}};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // what spreadsheets put in front
  std::size_t entries = 0, header = 0;  // the line of the header, if there is one
  std::string_view first;               // and its first cell
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    out.end = line + 1;
    if (content.find('\0') != std::string_view::npos) {
      return fail(Code::kUsage, fmt::format("{}: found a byte 0; accepted is a text of numbers",
                                            place(name, line, 1)));
    }
    const std::string_view bare = trimmed(content);
    if (bare.empty() || bare.front() == '#') continue;
    const auto cells = split(content);
    if (out.rows.empty() && header == 0 && std::none_of(cells.begin(), cells.end(), is_number) &&
        std::none_of(cells.begin(), cells.end(), [](auto cell) { return cell.empty(); })) {
      header = line, first = cells.front();
      continue;
    }
    entries += cells.size();
    if (entries > Channel::kMostEntries) {
      return fail(Code::kUsage,
                  fmt::format("{}: more than {} numbers; accepted are at most that many",
                              place(name, line, 1), Channel::kMostEntries));
    }
    Table::Row row{.line = line, .numbers = {}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      auto number = TRY(exact_number(place(name, line, i + 1), cells[i]));
      row.numbers.push_back(std::move(number));
      row.fractions |= cells[i].find('/') != std::string_view::npos;
    }
    if (!out.rows.empty() && row.numbers.size() != out.columns()) {
      const std::size_t at = std::min(row.numbers.size(), out.columns()) + 1;
      return fail(Code::kUsage, fmt::format("{}: found {} number{}; accepted are {}, as in line {}",
                                            place(name, line, at), row.numbers.size(),
                                            row.numbers.size() == 1 ? "" : "s", out.columns(),
                                            out.rows.front().line));
    }
    out.rows.push_back(std::move(row));
  }
  if (out.rows.empty() && header != 0) {  // no names of columns, then
    auto number = TRY(exact_number(place(name, header, 1), first));
  }
  if (out.rows.empty()) {
    return fail(
        Code::kUsage,
        fmt::format("{}: found no numbers; accepted are lines such as 3/4,1/4", place(name, 1, 1)));
  }
  return out;
}

Status settle(std::vector<Rational>& probabilities, bool fractions, const std::string& where,
              std::size_t* rounded) {
  Rational sum;
  for (const Rational& p : probabilities) sum += p;
  if (sum == 1) return {};
  if (fractions || abs(sum - 1) > kDust) {
    return fail(Code::kUsage,
                fmt::format("{}: the row sums to {}; accepted is exactly 1", where, shown(sum)));
  }
  for (Rational& p : probabilities) p /= sum;
  if (rounded != nullptr) ++*rounded;
  return {};
}

namespace {

Status settle_row(const std::string& name, Table::Row& row, std::size_t* rounded) {
  for (std::size_t i = 0; i < row.numbers.size(); ++i) {
    if (sgn(row.numbers[i]) < 0 || row.numbers[i] > 1) {
      return fail(Code::kUsage, fmt::format("{}: found {}; accepted is a probability from 0 to 1",
                                            place(name, row.line, i + 1), shown(row.numbers[i])));
    }
  }
  return settle(row.numbers, row.fractions, place(name, row.line, row.numbers.size()), rounded);
}

}  // namespace

Result<Channel> read_channel(const std::string& name, std::string_view text, std::size_t* rounded) {
  auto table = TRY(read_table(name, text));
  std::vector<Rational> entries;
  entries.reserve(table.rows.size() * table.columns());
  const std::size_t columns = table.columns();
  for (Table::Row& row : table.rows) {
    TRY(settle_row(name, row, rounded));
    std::move(row.numbers.begin(), row.numbers.end(), std::back_inserter(entries));
  }
  return Channel::create(table.rows.size(), columns, std::move(entries));
}

Result<std::vector<Rational>> read_distribution(const std::string& name, std::string_view text,
                                                std::size_t size, std::size_t* rounded) {
  auto table = TRY(read_table(name, text));
  Table::Row all{.line = table.rows.back().line, .numbers = {}};
  const bool one_line = table.rows.size() == 1;
  if (!one_line && table.columns() != 1) {
    return fail(
        Code::kUsage,
        fmt::format("{}: found {} numbers in each of {} lines; accepted is one line, or one "
                    "number a line",
                    place(name, table.rows[1].line, 1), table.columns(), table.rows.size()));
  }
  for (Table::Row& row : table.rows) {
    all.fractions |= row.fractions;
    for (std::size_t i = 0; i < row.numbers.size(); ++i) {
      if (sgn(row.numbers[i]) < 0 || row.numbers[i] > 1) {
        return fail(Code::kUsage, fmt::format("{}: found {}; accepted is a probability from 0 to 1",
                                              place(name, row.line, i + 1), shown(row.numbers[i])));
      }
      all.numbers.push_back(std::move(row.numbers[i]));
    }
  }
  const std::string where = place(name, all.line, one_line ? all.numbers.size() : 1);
  if (all.numbers.size() != size) {
    return fail(Code::kUsage, fmt::format("{}: found {} probabilities; accepted are {}, one for "
                                          "each input",
                                          where, all.numbers.size(), size));
  }
  TRY(settle(all.numbers, all.fractions, where, rounded));
  return std::move(all.numbers);
}

Result<Graph> read_graph(const std::string& name, std::string_view text, std::size_t size) {
  auto table = TRY(read_table(name, text));
  if (table.columns() != 2) {
    return fail(Code::kUsage,
                fmt::format("{}: found {} number{}; accepted is an edge, two nodes such as 0,1",
                            place(name, table.rows.front().line,
                                  std::min<std::size_t>(3, table.columns() + 1)),
                            table.columns(), table.columns() == 1 ? "" : "s"));
  }
  std::vector<Edge> edges;
  for (const Table::Row& row : table.rows) {
    Node ends[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const Rational& node = row.numbers[i];
      if (node.get_den() != 1 || sgn(node) < 0 || node >= Rational(size)) {
        return fail(Code::kUsage, fmt::format("{}: found {}; accepted is a node from 0 to {}",
                                              place(name, row.line, i + 1), shown(node), size - 1));
      }
      ends[i] = static_cast<Node>(node.get_num().get_ui());
    }
    if (ends[0] == ends[1]) {
      return fail(Code::kUsage,
                  fmt::format("{}: found an edge from node {} to itself; accepted are "
                              "two nodes",
                              place(name, row.line, 2), ends[0]));
    }
    edges.emplace_back(ends[0], ends[1]);
  }
  // Where a graph falls apart: the first edge that node 0 doesn't reach, or the end if the lost
  // node is on none.
  if (const std::size_t lost = unreachable(size, edges); lost < size) {
    std::string where = place(name, table.end, 1);
    for (const Table::Row& row : table.rows) {
      const auto column = std::find(row.numbers.begin(), row.numbers.end(), Rational(lost));
      if (column == row.numbers.end()) continue;
      where = place(name, row.line, static_cast<std::size_t>(column - row.numbers.begin()) + 1);
      break;
    }
    return fail(Code::kUsage,
                fmt::format("{}: the graph is disconnected: node {} can't be reached from node 0; "
                            "accepted is a connected graph of the nodes 0 to {}",
                            where, lost, size - 1));
  }
  return Graph::edges(size, std::move(edges));
}

Result<Table> read_matrix(const std::string& name, std::string_view text, std::size_t columns) {
  auto table = TRY(read_table(name, text));
  const std::size_t wanted = columns == 0 ? table.rows.size() : columns;
  if (table.columns() != wanted) {
    return fail(Code::kUsage, fmt::format("{}: found {} columns; accepted are {}",
                                          place(name, table.rows.front().line,
                                                std::min(table.columns(), wanted) + 1),
                                          table.columns(), wanted));
  }
  return table;
}

}  // namespace discreet::channel
