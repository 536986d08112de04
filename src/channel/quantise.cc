#include "discreet/channel/quantise.h"

#include <algorithm>
#include <queue>

#include "discreet/base/try.h"
#include "discreet/channel/epsilon.h"

namespace discreet::channel {
namespace {

Integer ceil_div(const Integer& a, const Integer& b) {
  Integer out;
  mpz_cdiv_q(out.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return out;
}

Integer floor_of(const Rational& value) {
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}

// Step 1 for one column.
class Raiser {
 public:
  Raiser(const Graph& graph, const Rational& ratio)
      : graph_(graph), p_(ratio.get_num()), q_(ratio.get_den()) {
    if (graph.kind() == Graph::Kind::kCycle || graph.kind() == Graph::Kind::kEdges)
      near_ = graph.neighbours();
  }

  void raise(std::vector<Integer>& column) {
    switch (graph_.kind()) {
      case Graph::Kind::kPath:  // up and down once: what the second way raises can't fall behind
        for (std::size_t y = 1; y < column.size(); ++y) pull(column[y], column[y - 1]);
        for (std::size_t y = column.size(); y-- > 1;) pull(column[y - 1], column[y]);
        return;
      case Graph::Kind::kComplete: {
        const Integer most = *std::max_element(column.begin(), column.end());
        for (Integer& value : column) pull(value, most);
        return;
      }
      case Graph::Kind::kCycle:
      case Graph::Kind::kEdges:
        break;
    }
    using Item = std::pair<Integer, Node>;
    std::priority_queue<Item> queue;
    for (std::size_t y = 0; y < column.size(); ++y) queue.emplace(column[y], static_cast<Node>(y));
    while (!queue.empty()) {
      const auto [value, at] = queue.top();
      queue.pop();
      if (value != column[at]) continue;  // raised since
      for (const Node next : near_[at])
        if (pull(column[next], value)) queue.emplace(column[next], next);
    }
  }

 private:
  // Raises `value` to at least q/p of its neighbour.
  bool pull(Integer& value, const Integer& neighbour) {
    if (p_ * value >= q_ * neighbour) return false;
    value = ceil_div(q_ * neighbour, p_);
    return true;
  }

  const Graph& graph_;
  Integer p_, q_;
  std::vector<std::vector<Node>> near_;
};

}  // namespace

Result<Channel> quantise(std::size_t rows, std::size_t columns, std::vector<Rational> entries,
                         const Graph& graph, const Rational& ratio, const Integer& units) {
  TRY(check_extent(rows, columns));
  if (ratio <= 1 || graph.size() != rows || entries.size() != rows * columns)
    return fail(Code::kUsage, "quantise: a ratio above 1 and a graph over the rows are needed");
  Rational largest;
  for (std::size_t y = 0; y < rows; ++y) {
    Rational sum;
    for (std::size_t z = 0; z < columns; ++z) {
      Rational& entry = entries[y * columns + z];
      if (sgn(entry) < 0) entry = 0;
      sum += entry;
    }
    if (sgn(sum) == 0) {
      for (std::size_t z = 0; z < columns; ++z) entries[y * columns + z] = Rational(1, columns);
      sum = 1;
    }
    if (sum > largest) largest = sum;
  }
  Raiser raiser(graph, ratio);
  const Integer n(columns);
  Rational scale = Rational(units) / largest;
  std::vector<Integer> values(rows * columns), column(rows);
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    std::vector<Integer> sums(rows);
    for (std::size_t z = 0; z < columns; ++z) {
      for (std::size_t y = 0; y < rows; ++y) column[y] = floor_of(scale * entries[y * columns + z]);
      raiser.raise(column);
      for (std::size_t y = 0; y < rows; ++y) {
        sums[y] += column[y];
        values[y * columns + z] = column[y];
      }
    }
    const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
    const Integer least_fill = (units - *high) / n, most_fill = ceil_div(units - *low, n);
    if (*high <= units && ratio.get_num() * least_fill >= ratio.get_den() * most_fill) {
      std::vector<Rational> out;
      out.reserve(values.size());
      for (std::size_t y = 0; y < rows; ++y) {
        const Integer lack = units - sums[y];
        const Integer share = lack / n, rest = lack % n;
        for (std::size_t z = 0; z < columns; ++z) {
          const Integer fill = share + (Integer(z) < rest ? 1 : 0);
          Rational entry(values[y * columns + z] + fill, units);
          entry.canonicalize();
          out.push_back(std::move(entry));
        }
      }
      auto made = Channel::create(rows, columns, std::move(out));
      if (made && !is_within(*made, graph, ratio))
        return fail(Code::kFailure, "a repaired channel was not within its ratio; this is a bug");
      return made;
    }
    // The fullest row must lack (spread + n)/(ratio − 1) and a little more; the spread shrinks with
    // the scale, the n that rounding takes doesn't.
    const Rational factor = (1 / (ratio - 1) + 1) * Rational(i + 2, 2);
    const Rational fixed = Rational(n) * (factor + 2), whole(*high), spread(*high - *low);
    if (fixed >= Rational(units)) break;
    scale *= (Rational(units) - fixed) / (whole + spread * factor);
    // A scale of a few digits keeps the products short.
    scale = Rational(floor_of(scale * (1L << 40))) / (1L << 40);
    if (sgn(scale) <= 0) break;
  }
  return fail(Code::kUsage,
              "a channel so close to no information can't be written with this precision",
              "take a larger epsilon");
}

}  // namespace discreet::channel
