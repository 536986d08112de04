// Graphs, and the graphs that queries induce.
#include "discreet/channel/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "discreet/channel/query.h"

namespace discreet::channel {
namespace {

TEST(Graph, NamesAndListsAgree) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 7U}) {
    for (const Graph& named : {*Graph::path(n), *Graph::cycle(n), *Graph::complete(n)}) {
      std::vector<Edge> edges;
      named.for_each_edge([&](Node a, Node b) { edges.emplace_back(b, a); });
      EXPECT_EQ(edges.size(), named.edge_count());
      const Graph listed = *Graph::edges(n, edges);
      EXPECT_EQ(listed.diameter(), named.diameter());
      EXPECT_EQ(listed.shortest_cycle().size(), named.shortest_cycle().size());
      for (Node a = 0; a < n; ++a)
        for (Node b = 0; b < n; ++b) {
          EXPECT_EQ(listed.distance(a, b), named.distance(a, b));
          EXPECT_EQ(listed.adjacent(a, b), named.adjacent(a, b));
        }
    }
  }
}

TEST(Graph, ShortestCycle) {
  EXPECT_EQ(Graph::cycle(9)->shortest_cycle().size(), 9u);
  EXPECT_TRUE(Graph::path(9)->shortest_cycle().empty());
  // a long cycle with a short one hanging off it
  const Graph mixed =
      *Graph::edges(8, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}});
  const auto cycle = mixed.shortest_cycle();
  ASSERT_EQ(cycle.size(), 4u);
  for (std::size_t i = 0; i < cycle.size(); ++i)
    EXPECT_TRUE(mixed.adjacent(cycle[i], cycle[(i + 1) % cycle.size()]));
  const Graph petersen = *Graph::edges(10, {{0, 1},
                                            {1, 2},
                                            {2, 3},
                                            {3, 4},
                                            {4, 0},
                                            {0, 5},
                                            {1, 6},
                                            {2, 7},
                                            {3, 8},
                                            {4, 9},
                                            {5, 7},
                                            {7, 9},
                                            {9, 6},
                                            {6, 8},
                                            {8, 5}});
  EXPECT_EQ(petersen.shortest_cycle().size(), 5u);
}

TEST(Graph, RefusesWhatIsNone) {
  EXPECT_FALSE(Graph::path(0));
  EXPECT_FALSE(Graph::edges(4, {{0, 1}, {2, 3}}));
  EXPECT_FALSE(Graph::edges(2, {{0, 0}}));
  EXPECT_FALSE(Graph::edges(2, {{0, 2}}));
  EXPECT_TRUE(Graph::edges(1, {}));
}

Induced of(Query::Kind kind, std::vector<Rational> values, std::size_t records,
           privacy::Relation relation = privacy::Relation::kSubstitute) {
  return *induced_graph({kind}, {std::move(values), records, relation});
}

TEST(Query, CountsArePaths) {
  const Induced count = of(Query::Kind::kCount, {0, 1}, 5);
  EXPECT_TRUE(count.graph.is_path());
  EXPECT_EQ(count.answers.size(), 6u);
  EXPECT_TRUE(of(Query::Kind::kCount, {0, 1, 7}, 5).graph.is_path());
  EXPECT_TRUE(of(Query::Kind::kCount, {0, 1}, 5, privacy::Relation::kAddRemove).graph.is_path());
}

// Deck 003, exercise 7.
TEST(Query, AveragesHaveCycles) {
  const Induced average = of(Query::Kind::kAverage, {0, 1, 2}, 3);
  EXPECT_EQ(average.answers.size(), 7u);
  EXPECT_EQ(average.graph.edge_count(), 11u);
  EXPECT_EQ(average.graph.shortest_cycle().size(), 3u);
  EXPECT_EQ(average.graph.diameter(), 3u);
  EXPECT_EQ(average.databases, 10u);
  // with two ages only it is a count in disguise
  EXPECT_TRUE(of(Query::Kind::kAverage, {20, 30}, 4).graph.is_path());
  EXPECT_FALSE(of(Query::Kind::kAverage, {0, 1}, 3, privacy::Relation::kAddRemove)
                   .graph.shortest_cycle()
                   .empty());
}

TEST(Query, Others) {
  EXPECT_EQ(of(Query::Kind::kSum, {0, 1, 2}, 3).graph.edge_count(), 11u);
  const Induced largest = of(Query::Kind::kMax, {0, 1, 2}, 3);  // 0,0,2 → 0,0,0: any two
  EXPECT_EQ(largest.graph.edge_count(), 3u);
  EXPECT_EQ(of(Query::Kind::kMin, {0, 1, 2}, 3).graph.edge_count(), 3u);
  const Induced mode = of(Query::Kind::kMode, {0, 1, 2}, 3);
  EXPECT_EQ(mode.answers.size(), 3u);
  EXPECT_EQ(mode.graph.edge_count(), 3u);
}

// Symmetric queries are enumerated up to order; a table of the same answers over lists agrees.
TEST(Query, TablesAgreeWithFormulas) {
  const Universe universe{{0, 1, 3}, 3};
  for (const auto kind : {Query::Kind::kSum, Query::Kind::kMax, Query::Kind::kMode,
                          Query::Kind::kCount, Query::Kind::kAverage}) {
    const Induced symmetric = *induced_graph({kind}, universe);
    const auto answers = *answers_of({kind}, universe, symmetric);
    Query table{Query::Kind::kTable};
    std::size_t x = 0;
    for (const int a : {0, 1, 3})
      for (const int b : {0, 1, 3})
        for (const int c : {0, 1, 3}) table.table[{a, b, c}] = symmetric.answers[answers[x++]];
    const Induced listed = *induced_graph(table, universe);
    EXPECT_EQ(listed.answers, symmetric.answers);
    std::vector<Edge> one, other;
    listed.graph.for_each_edge([&](Node a, Node b) { one.emplace_back(a, b); });
    symmetric.graph.for_each_edge([&](Node a, Node b) { other.emplace_back(a, b); });
    EXPECT_EQ(one, other);
    table.table.erase(table.table.begin());
    EXPECT_FALSE(induced_graph(table, universe));
  }
  EXPECT_EQ(hamming_graph(universe)->diameter(), 3u);
}

TEST(Query, RefusesWhatIsTooMuch) {
  EXPECT_FALSE(induced_graph({Query::Kind::kSum}, {{0, 0}, 3}));
  EXPECT_FALSE(induced_graph({Query::Kind::kSum}, {{}, 3}));
  EXPECT_FALSE(induced_graph({Query::Kind::kSum}, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1000}));
  EXPECT_FALSE(query_named("averge"));
}

}  // namespace
}  // namespace discreet::channel
