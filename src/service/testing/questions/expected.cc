#include "discreet/service/testing/questions/expected.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

#include "discreet/service/testing/questions/keys.h"

namespace discreet::service::testing::questions {

using std::string;

ExpectedCell near(double value, double tolerance) {
  return {[=](const policy::Value& got) {
            return !got.null && std::abs(got.as_number() - value) <= tolerance;
          },
          fmt::format("{} ± {}", value, tolerance)};
}

ExpectedCell within(double low, double high) {
  return {[=](const policy::Value& got) {
            return !got.null && got.as_number() >= low && got.as_number() <= high;
          },
          fmt::format("from {} to {}", low, high)};
}

std::vector<string> differences(const std::vector<Expected>& parts, bool limited,
                                const std::vector<std::vector<plan::Cell>>& rows) {
  std::vector<string> out;
  using Key = std::vector<string>;
  std::map<string, std::pair<const Expected*, std::map<Key, const ExpectedRow*>>> wanted;
  for (const Expected& part : parts) {
    auto& [about, known] = wanted[part.tag];
    about = &part;
    for (const ExpectedRow& row : part.rows) known[row.key] = &row;
  }
  std::map<string, std::map<Key, int>> seen;
  for (const std::vector<plan::Cell>& row : rows) {
    std::size_t at = 0;
    const string tag = parts[0].tag.empty() ? "" : row[at++].value.show();
    const auto part = wanted.find(tag);
    if (part == wanted.end()) {
      out.push_back(fmt::format("a row of no part: {}", tag));
      continue;
    }
    const auto& [about, known] = part->second;
    Key key;
    for (const policy::Type type : about->key_types)
      key.push_back(canonical(row[at++].value, type));
    if (seen[tag][key]++ > 0) out.push_back(fmt::format("{}{} is there twice", tag, key));
    const auto found = known.find(key);
    if (found == known.end()) {
      out.push_back(fmt::format("{}{} should not be there", tag, key));
      continue;
    }
    for (const ExpectedCell& cell : found->second->cells) {
      const policy::Value& got = row[at++].value;
      if (!cell.fits(got))
        out.push_back(fmt::format("{}{}: column {} is {}, expected is {}", tag, key, at, got.show(),
                                  cell.wanted));
    }
  }
  if (limited) return out;
  for (const Expected& part : parts)
    for (const ExpectedRow& row : part.rows)
      if (row.surely && seen[part.tag][row.key] == 0)
        out.push_back(fmt::format("{}{} is missing", part.tag, row.key));
  return out;
}

}  // namespace discreet::service::testing::questions
