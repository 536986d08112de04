// What the statement of a part (bounding.h) gives back, as contributions.
#pragma once

#include <cstdint>
#include <string_view>

#include "discreet/bound/contributions.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/secret.h"
#include "discreet/bound/wide.h"
#include "discreet/engine/pushdown/bounding.h"

namespace discreet::engine::pushdown {

// One row of the engine's answer. Types are compared with what was planned before any is read.
class Row {
 public:
  virtual ~Row() = default;
  virtual bool is_null(std::size_t column) const = 0;
  virtual std::int64_t whole(std::size_t column) const = 0;
  virtual double real(std::size_t column) const = 0;
  virtual std::string_view text(std::size_t column) const = 0;
  // Of any width; what is wider than 2^100 may be given as that.
  virtual bound::Wide wide(std::size_t column) const = 0;
};

// What a column holds.
enum class Held { kWhole, kReal, kText, kWide };
// … as a value of this type travels, and the value.
Held held_as(policy::Type type);
policy::Value value_of(const Row& row, std::size_t column, policy::Type type);
std::vector<Held> columns_of(const Statement& statement, const plan::PlanPart& part);

class Collector {
 public:
  // `hashing` as the statement's (Secret::hashing): a text's hash stands for it here too.
  Collector(const plan::PlanPart& part, const Statement& statement, const bound::Secret& secret);
  // False: this is not what was planned.
  bool good() const { return good_; }
  void add(const Row& row);
  bound::Contributions finish();

 private:
  // A number that every such row has.
  bound::Wide number(const Row& row, std::size_t column);
  // How many there are of something; beyond what there can be it isn't good.
  bound::Wide how_many(const Row& row, std::size_t column);
  // … with weights of so many bits
  bound::Wide how_many_weighted(const Row& row, std::size_t column, unsigned bits);
  void add_to(bound::Wide& total, bound::Wide by);
  std::uint32_t group_of(const Row& row);
  void add_group(const Row& row);
  void add_pairs(std::size_t total, const Row& row);
  void add_bins(const Row& row);
  void count(std::size_t tally, std::int64_t bin, bound::Wide by);
  bound::Wide total(std::size_t which, const Row& row);

  const plan::PlanPart& part_;
  const Statement& statement_;
  const bound::Secret secret_;
  const bound::Shape shape_;
  bound::Groups groups_;
  bound::Added added_;
  std::vector<bound::Wide> listed_;  // rows in all lists of a total
  bool good_ = true;
};

}  // namespace discreet::engine::pushdown
