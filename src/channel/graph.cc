#include "discreet/channel/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

constexpr auto kFar = std::numeric_limits<std::uint32_t>::max();

Status check_size(std::size_t size) {
  if (size >= 1 && size <= Graph::kLargest) return {};
  return fail(Code::kUsage,
              fmt::format("a graph of {} nodes; accepted are 1 to {}", size, Graph::kLargest));
}

std::vector<std::vector<Node>> lists(std::size_t size, const std::vector<Edge>& edges) {
  std::vector<std::vector<Node>> out(size);
  for (const auto& [a, b] : edges) out[a].push_back(b), out[b].push_back(a);
  return out;
}

std::vector<std::uint32_t> distances_from(Node start, const std::vector<std::vector<Node>>& near) {
  std::vector<std::uint32_t> out(near.size(), kFar);
  std::deque<Node> queue{start};
  out[start] = 0;
  while (!queue.empty()) {
    const Node at = queue.front();
    queue.pop_front();
    for (const Node next : near[at])
      if (out[next] == kFar) out[next] = out[at] + 1, queue.push_back(next);
  }
  return out;
}

}  // namespace

std::size_t unreachable(std::size_t size, const std::vector<Edge>& edges) {
  if (size == 0) return size;
  const auto from_first = distances_from(0, lists(size, edges));
  return static_cast<std::size_t>(std::find(from_first.begin(), from_first.end(), kFar) -
                                  from_first.begin());
}

Result<Graph> Graph::path(std::size_t size) {
  TRY(check_size(size));
  return Graph(Kind::kPath, size);
}

Result<Graph> Graph::cycle(std::size_t size) {
  TRY(check_size(size));
  return Graph(size < 3 ? Kind::kPath : Kind::kCycle, size);
}

Result<Graph> Graph::complete(std::size_t size) {
  TRY(check_size(size));
  return Graph(size < 3 ? Kind::kPath : Kind::kComplete, size);
}

Result<Graph> Graph::edges(std::size_t size, std::vector<Edge> edges) {
  TRY(check_size(size));
  if (edges.size() > kMostEdges) {
    return fail(Code::kUsage, fmt::format("a graph of {} edges; accepted are at most {}",
                                          edges.size(), kMostEdges));
  }
  for (auto& [a, b] : edges) {
    if (a >= size || b >= size) {
      return fail(Code::kUsage, fmt::format("an edge {}–{} in a graph of {} nodes; accepted are "
                                            "nodes 0 to {}",
                                            a, b, size, size - 1));
    }
    if (a == b) {
      return fail(Code::kUsage,
                  fmt::format("an edge from node {} to itself; accepted are two nodes", a));
    }
    if (a > b) std::swap(a, b);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (const std::size_t lost = unreachable(size, edges); lost < size) {
    return fail(Code::kUsage,
                fmt::format("a disconnected graph: node {} can't be reached from node 0; accepted "
                            "is a connected one",
                            lost));
  }
  const bool ordered =
      edges.size() + 1 == size &&
      std::all_of(edges.begin(), edges.end(), [](auto e) { return e.second == e.first + 1; });
  if (ordered) return Graph(Kind::kPath, size);
  Graph out(Kind::kEdges, size);
  out.edges_ = std::move(edges);
  return out;
}

std::size_t Graph::edge_count() const {
  switch (kind_) {
    case Kind::kPath:
      return size_ - 1;
    case Kind::kCycle:
      return size_;
    case Kind::kComplete:
      return size_ * (size_ - 1) / 2;
    case Kind::kEdges:
      return edges_.size();
  }
  return 0;
}

bool Graph::adjacent(Node a, Node b) const {
  if (a == b || a >= size_ || b >= size_) return false;
  const Node low = std::min(a, b), high = std::max(a, b);
  switch (kind_) {
    case Kind::kPath:
      return high - low == 1;
    case Kind::kCycle:
      return high - low == 1 || (low == 0 && high + 1 == size_);
    case Kind::kComplete:
      return true;
    case Kind::kEdges:
      return std::binary_search(edges_.begin(), edges_.end(), Edge(low, high));
  }
  return false;
}

std::vector<std::vector<Node>> Graph::neighbours() const {
  std::vector<std::vector<Node>> out(size_);
  for_each_edge([&](Node a, Node b) { out[a].push_back(b), out[b].push_back(a); });
  return out;
}

const std::vector<std::vector<std::uint32_t>>& Graph::table() const {
  std::call_once(distances_->found, [this] {
    const auto near = neighbours();
    for (Node a = 0; a < size_; ++a) distances_->table.push_back(distances_from(a, near));
  });
  return distances_->table;
}

std::size_t Graph::distance(Node a, Node b) const {
  const std::size_t apart = a < b ? b - a : a - b;
  switch (kind_) {
    case Kind::kPath:
      return apart;
    case Kind::kCycle:
      return std::min(apart, size_ - apart);
    case Kind::kComplete:
      return apart == 0 ? 0 : 1;
    case Kind::kEdges:
      return table()[a][b];
  }
  return 0;
}

std::size_t Graph::diameter() const {
  switch (kind_) {
    case Kind::kPath:
      return size_ - 1;
    case Kind::kCycle:
      return size_ / 2;
    case Kind::kComplete:
      return 1;
    case Kind::kEdges:
      break;
  }
  std::size_t most = 0;
  for (const auto& row : table())
    for (const std::uint32_t d : row) most = std::max<std::size_t>(most, d);
  return most;
}

// Breadth first from every node: the first edge that closes a circle through the start closes one
// of least length (Itai and Rodeh 1978).
std::vector<Node> Graph::shortest_cycle() const {
  std::vector<Node> best;
  if (edge_count() + 1 == size_) return best;  // connected: a tree
  const auto near = neighbours();
  for (Node start = 0; start < size_; ++start) {
    std::vector<Node> parent(size_, kFar);
    std::vector<std::uint32_t> depth(size_, kFar);
    std::deque<Node> queue{start};
    depth[start] = 0;
    const auto chain = [&](Node at) {
      std::vector<Node> out;
      for (; at != start; at = parent[at]) out.push_back(at);
      return out;
    };
    for (bool found = false; !queue.empty() && !found;) {
      const Node at = queue.front();
      queue.pop_front();
      for (const Node next : near[at]) {
        if (depth[next] == kFar) {
          depth[next] = depth[at] + 1, parent[next] = at, queue.push_back(next);
        } else if (parent[at] != next && depth[next] >= depth[at]) {
          auto left = chain(at), right = chain(next);
          if (!left.empty() && !right.empty() && left.back() == right.back()) continue;
          if (best.empty() || left.size() + right.size() + 1 < best.size()) {
            best.assign(1, start);
            best.insert(best.end(), left.rbegin(), left.rend());
            best.insert(best.end(), right.begin(), right.end());
          }
          found = true;
          break;
        }
      }
    }
    if (best.size() == 3) break;
  }
  return best;
}

bool Graph::is_some_path() const {
  if (kind_ != Kind::kEdges) return kind_ == Kind::kPath;
  if (edge_count() + 1 != size_) return false;
  std::vector<int> degree(size_, 0);
  for (const auto& [a, b] : edges_)
    if (++degree[a] > 2 || ++degree[b] > 2) return false;
  return true;
}

}  // namespace discreet::channel
