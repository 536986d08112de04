// A query over a small universe, taken apart: its answers Y, and which of them are neighbours
// because two neighbouring databases give them (deck 003, exercises 7 and 8).
//
//   const Universe small{.values = {0, 1, 2}, .records = 3};
//   Induced average = *induced_graph({Query::Kind::kAverage}, small);
//   bool cycles = !average.graph.shortest_cycle().empty();  // true: 0, 1/3 and 2/3 are neighbours
//
// Databases have exactly `records` records, and neighbours differ in one of them (substitute); or
// up to that many, and neighbours have one more or less (add-remove). Everything is enumerated.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "discreet/base/number.h"
#include "discreet/channel/graph.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::channel {

struct Universe {
  std::vector<Rational> values;  // what a record may be
  std::size_t records;
  privacy::Relation relation = privacy::Relation::kSubstitute;
};

struct Query {
  enum class Kind { kCount, kSum, kAverage, kMin, kMax, kMode, kTable };

  Kind kind;
  std::vector<Rational> counted = {};  // kCount: the values that count; if empty, all but 0
  // kTable: the answer to every database, a list of `records` values in order.
  std::map<std::vector<Rational>, Rational> table = {};
};

Result<Query::Kind> query_named(const std::string& name);
std::string name_of(Query::Kind kind);

struct Induced {
  std::vector<Rational> answers;  // in order; the nodes
  Graph graph;
  std::size_t databases;  // how many were looked at; for symmetric queries, up to order
};
Result<Induced> induced_graph(const Query& query, const Universe& universe);

// The answers, as nodes of the induced graph, to all values^records databases in order (the last
// record changes fastest): f in H∘f. Substitute only.
Result<std::vector<std::size_t>> answers_of(const Query& query, const Universe& universe,
                                            const Induced& induced);
// Which of those databases are neighbours: those that differ in one record (the Hamming graph).
Result<Graph> hamming_graph(const Universe& universe);

}  // namespace discreet::channel
