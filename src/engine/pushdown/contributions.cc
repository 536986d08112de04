#include "discreet/engine/pushdown/contributions.h"

#include <algorithm>

#include "discreet/engine/pushdown/rows.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/shape.h"

namespace discreet::engine::pushdown {

using bound::Total;

Held held_as(policy::Type type) {
  const policy::Type travels = travels_as(type);
  return travels == policy::Type::kText     ? Held::kText
         : travels == policy::Type::kDouble ? Held::kReal
                                            : Held::kWhole;
}

policy::Value value_of(const Row& row, std::size_t column, policy::Type type) {
  policy::Value out = policy::Value::none(type);
  if (row.is_null(column)) return out;
  out.null = false;
  switch (held_as(type)) {
    case Held::kText:
      out.string = row.text(column);
      break;
    case Held::kReal:
      out.real = row.real(column);
      break;
    case Held::kWhole:
    case Held::kWide:
      out.whole = row.whole(column);
      break;
  }
  return out;
}

std::vector<Held> columns_of(const Statement& statement, const plan::PlanPart& part) {
  std::vector<Held> out = {Held::kWhole};
  for (const sql::Expr& key : part.select.keys) out.push_back(held_as(key.type));
  out.resize(statement.text_at(), Held::kWhole);
  out.push_back(Held::kText);
  out.resize(statement.columns(), Held::kWide);
  return out;
}

Collector::Collector(const plan::PlanPart& part, const Statement& statement,
                     const bound::Secret& secret)
    : part_(part),
      statement_(statement),
      secret_(secret),
      shape_(plan::shape_of(part)),
      groups_(secret) {
  if (part.all_public) good_ = plan::close_groups(part, groups_);
  added_.totals.resize(shape_.totals.size());
  added_.counted.resize(shape_.totals.size());
  listed_.resize(shape_.totals.size());
  added_.words.resize(shape_.slots.size());
  for (const bound::Tally& tally : shape_.tallies) added_.tallies.emplace_back(tally.bins);
}

namespace {

// No server has more rows; sums of products of it stay within a Wide.
constexpr bound::Wide kMostRows = bound::Wide{1} << 50;
// … and of shares of so many bits, in 64 bits.
bound::Wide most_of(unsigned bits) { return kMostRows << std::min(bits, 10U); }
// Sums leave saturated here: beyond it makes no difference.
constexpr bound::Wide kMostSum = bound::Wide{1} << 120;

}  // namespace

bound::Wide Collector::number(const Row& row, std::size_t column) {
  if (row.is_null(column)) good_ = false;
  return row.wide(column);
}

bound::Wide Collector::how_many(const Row& row, std::size_t column) {
  const bound::Wide out = number(row, column);
  if (out >= 0 && out <= kMostRows) return out;
  good_ = false;
  return 0;
}

bound::Wide Collector::how_many_weighted(const Row& row, std::size_t column, unsigned bits) {
  const bound::Wide out = number(row, column);
  if (out >= 0 && out <= most_of(bits)) return out;
  good_ = false;
  return 0;
}

void Collector::add_to(bound::Wide& total, bound::Wide by) {
  total = std::clamp(total + by, -kMostSum, kMostSum);
}

std::uint32_t Collector::group_of(const Row& row) {
  bound::KeyBytes key;
  for (std::size_t i = 0; i < statement_.keys; ++i)
    plan::write_key(key, value_of(row, 1 + i, part_.select.keys[i].type));
  const std::uint32_t group = groups_.number(key.view());
  // Rows of other groups were left out by the statement.
  if (group == bound::kNoGroup) good_ = false;
  return group;
}

// As bound/sums.cc puts a total together.
bound::Wide Collector::total(std::size_t which, const Row& row) {
  const Total& total = shape_.totals[which];
  const unsigned bits = shape_.weight_bits.value_or(0);
  const auto place = [](const std::vector<std::size_t>& list, std::size_t wanted) {
    return static_cast<std::size_t>(std::find(list.begin(), list.end(), wanted) - list.begin());
  };
  const auto cell = [&](std::size_t half) {
    return statement_.cells_at() + 2 * place(statement_.cells, *total.slot) + half;
  };
  const auto special = [&] { return statement_.specials_at() + place(statement_.specials, which); };
  switch (total.kind) {
    case Total::Kind::kRows:
      return how_many_weighted(row, statement_.rows_at(), bits);
    case Total::Kind::kCount:
      return how_many_weighted(row, cell(0), bits);
    case Total::Kind::kSum:
      return number(row, cell(1)) - how_many_weighted(row, cell(0), bits) * total.center;
    case Total::Kind::kUnits:
      return how_many(row, total.slot ? special() : statement_.units_at());
    case Total::Kind::kSquares:
    case Total::Kind::kGroupCount:
    case Total::Kind::kGroupSum:
    case Total::Kind::kGroupMeans:
    case Total::Kind::kGroupMean:
      return number(row, special());
    case Total::Kind::kDistinct:
    case Total::Kind::kHistogram:
    case Total::Kind::kEach:
      break;  // rows of their own
  }
  return 0;
}

void Collector::add_group(const Row& row) {
  const bound::Wide units = how_many(row, statement_.units_at());
  // Without keys there is a row although there may be no unit; a unit that keeps no row is in no
  // group.
  if (units == 0) return;
  const std::uint32_t group = group_of(row);
  if (!good_) return;
  added_.units.resize(std::max<std::size_t>(added_.units.size(), group + 1));
  // Each number is checked; so is how often one comes (kMostRows).
  bound::Wide all = added_.units[group];
  add_to(all, units);
  if (all > kMostRows) good_ = false;
  if (!good_) return;
  added_.units[group] = static_cast<std::int64_t>(all);
  for (std::size_t t = 0; t < shape_.totals.size(); ++t) {
    auto& totals = added_.totals[t];
    totals.resize(std::max<std::size_t>(totals.size(), group + 1));
    add_to(totals[group], total(t, row));
  }
}

void Collector::add_pairs(std::size_t which, const Row& row) {
  if (which >= shape_.totals.size()) {
    good_ = false;
    return;
  }
  const bound::Wide count = how_many(row, statement_.units_at());
  if (count == 0) return;
  const std::uint32_t group = group_of(row);
  if (!good_) return;
  const Total& total = shape_.totals[which];
  if (total.kind == Total::Kind::kDistinct) {
    auto& totals = added_.totals[which];
    totals.resize(std::max<std::size_t>(totals.size(), group + 1));
    add_to(totals[group], count);
    return;
  }
  std::int64_t value = 0;
  if (row.is_null(statement_.text_at())) {
    value = row.whole(statement_.whole_at());
  } else {
    const std::string_view text = row.text(statement_.text_at());
    value = static_cast<std::int64_t>(
        bound::Priority::text(secret_, bound::SipHash(secret_.words[0], secret_.words[1]), text));
    if (value == bound::kNothing) value = 0;
    added_.words[*total.slot].try_emplace(value, text);
  }
  add_to(listed_[which], count);
  if (listed_[which] > kMostRows) good_ = false;
  if (good_) added_.counted[which].push_back({group, value, static_cast<std::int64_t>(count)});
}

void Collector::count(std::size_t tally, std::int64_t bin, bound::Wide by) {
  std::vector<std::int64_t>& bins = added_.tallies[tally];
  if (bin < 0 || static_cast<std::size_t>(bin) >= bins.size()) {
    // Where groups are folded whole a unit may have more clamped rows than it is bounded to, and
    // there are bins for (plan/left_out.cc): it is in none then, as in bound/sums.cc. Any other
    // scale's last bin takes whatever is larger.
    if (bin < 0 || shape_.tallies[tally].kind != bound::Tally::Kind::kClamped) good_ = false;
    return;
  }
  bound::Wide all = bins[static_cast<std::size_t>(bin)];
  add_to(all, by);
  if (all > most_of(shape_.tallies[tally].weight_bits)) good_ = false;
  if (good_) bins[static_cast<std::size_t>(bin)] = static_cast<std::int64_t>(all);
}

// The bins of counts, from the digits of one number.
void Collector::add_bins(const Row& row) {
  if (row.is_null(statement_.whole_at())) return;
  std::int64_t code = row.whole(statement_.whole_at());
  for (std::size_t t = 0; t < shape_.tallies.size(); ++t) {
    if (shape_.tallies[t].kind == bound::Tally::Kind::kValue) continue;
    const bool rows = shape_.tallies[t].kind == bound::Tally::Kind::kKept;
    count(t, code % Statement::kDigit,
          how_many(row, rows ? statement_.firsts_rows_at() : statement_.firsts_at()));
    code /= Statement::kDigit;
  }
  // More digits than tallies. A code below 0 has a digit below 0, or is left here.
  if (code != 0) good_ = false;
}

void Collector::add(const Row& row) {
  const std::int64_t which = row.is_null(0) ? -1 : row.whole(0);
  const auto tally = static_cast<std::size_t>(which - Statement::kTally);
  if (which == Statement::kGroups) {
    add_group(row);
    add_bins(row);
  } else if (which >= Statement::kPairs) {
    add_pairs(static_cast<std::size_t>(which - Statement::kPairs), row);
  } else if (which >= Statement::kTally && tally < shape_.tallies.size() &&
             shape_.tallies[tally].kind == bound::Tally::Kind::kValue) {
    count(tally, row.whole(statement_.whole_at()),
          how_many_weighted(row, statement_.units_at(), shape_.tallies[tally].weight_bits));
  } else {
    good_ = false;
  }
}

bound::Contributions Collector::finish() {
  return bound::sorted_contributions(groups_, shape_, std::move(added_));
}

}  // namespace discreet::engine::pushdown
