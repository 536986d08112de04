// Who is whose neighbour: the graph (Y, ~) over the inputs 0 … size−1 of a channel.
//
//   Graph counts = *Graph::path(6);     // a counting query over 5 people: 0 – 1 – … – 5
//   Graph answers = *Graph::complete(4);  // local privacy: any value may be swapped for any other
//   std::size_t far = counts.distance(0, 5);  // 5
//
// Paths, cycles and complete graphs are known by name and take no memory; any other is a list of
// edges. Every graph here is connected: between parts that no chain of neighbours joins,
// differential privacy promises nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::channel {

using Node = std::uint32_t;
using Edge = std::pair<Node, Node>;

class Graph {
 public:
  enum class Kind { kPath, kCycle, kComplete, kEdges };

  static constexpr std::size_t kLargest = 100'000'000;
  static constexpr std::size_t kMostEdges = 10'000'000;

  static Result<Graph> path(std::size_t size);
  static Result<Graph> cycle(std::size_t size);  // from 3 nodes on; below, a path
  static Result<Graph> complete(std::size_t size);
  // Both directions of an edge are one; what is listed twice counts once. Refuses loops, nodes
  // from `size` on, and graphs in several parts. A list that is a path in order becomes one.
  static Result<Graph> edges(std::size_t size, std::vector<Edge> edges);

  Kind kind() const { return kind_; }
  std::size_t size() const { return size_; }
  std::size_t edge_count() const;
  bool adjacent(Node a, Node b) const;
  // The fewest steps between two nodes. For a list of edges the first call takes size² steps.
  std::size_t distance(Node a, Node b) const;
  std::size_t diameter() const;
  // Any cycle of least length, as its nodes in order; empty for a tree.
  std::vector<Node> shortest_cycle() const;
  // 0 – 1 – 2 – …, the nodes in their order.
  bool is_path() const { return kind_ == Kind::kPath; }
  // A path in any order of its nodes.
  bool is_some_path() const;

  // visit(a, b) with a < b, once for each edge.
  template <class Visit>
  void for_each_edge(Visit&& visit) const {
    const auto n = static_cast<Node>(size_);
    switch (kind_) {
      case Kind::kPath:
      case Kind::kCycle:
        for (Node a = 0; a + 1 < n; ++a) visit(a, a + 1);
        if (kind_ == Kind::kCycle) visit(Node{0}, n - 1);
        return;
      case Kind::kComplete:
        for (Node a = 0; a < n; ++a)
          for (Node b = a + 1; b < n; ++b) visit(a, b);
        return;
      case Kind::kEdges:
        for (const auto& [a, b] : edges_) visit(a, b);
        return;
    }
  }
  std::vector<std::vector<Node>> neighbours() const;

 private:
  Graph(Kind kind, std::size_t size) : kind_(kind), size_(size) {}
  const std::vector<std::vector<std::uint32_t>>& table() const;

  Kind kind_;
  std::size_t size_;
  std::vector<Edge> edges_;  // kEdges only, sorted, first < second
  // Found when first asked for, once for all copies.
  struct Distances {
    std::once_flag found;
    std::vector<std::vector<std::uint32_t>> table;
  };
  std::shared_ptr<Distances> distances_ = std::make_shared<Distances>();
};

// A node that can't be reached from node 0, or `size` if there is none.
std::size_t unreachable(std::size_t size, const std::vector<Edge>& edges);

}  // namespace discreet::channel
