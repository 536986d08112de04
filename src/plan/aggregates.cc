#include "discreet/plan/aggregates.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace discreet::plan {
namespace {

using Range = std::pair<double, double>;
using Gives = sql::AggregateForm::Gives;
using Of = sql::AggregateForm::Of;
using sql::Fold;
using Scoring = bound::Scoring::Kind;
constexpr double kInf = std::numeric_limits<double>::infinity();

Range clamp(Range range, double low, double high) {
  return {std::clamp(range.first, low, high), std::clamp(range.second, low, high)};
}

// [a, b] / [c, d] with c > 0.
Range divide(const Range& a, const Range& b) {
  const double q[] = {a.first / b.first, a.first / b.second, a.second / b.first,
                      a.second / b.second};
  return {*std::min_element(q, q + 4), *std::max_element(q, q + 4)};
}

Range square(const Range& a) {
  const double low = a.first * a.first, high = a.second * a.second;
  if (a.first <= 0 && a.second >= 0) return {0, std::max(low, high)};
  return {std::min(low, high), std::max(low, high)};
}

// --- how each is finished from its released numbers

Cell as_released(const Finishing& from) { return from.numbers[0]; }

// The nearest whole number: rows with weights don't add up to one.
Value to_whole(const Value& value) {
  constexpr double kMost = 0x1p62;
  return Value::integer(std::llround(std::clamp(value.as_number(), -kMost, kMost)));
}

Cell counted(const Finishing& from) {
  Cell out = from.numbers[0];
  if (out.value.type != Type::kInt) out.value = to_whole(out.value);
  return out;
}

// Values beyond bounds that were measured are counted as the nearest: the interval has room for
// what the profile can't rule out.
Cell sum(const Finishing& from) {
  Cell out = from.numbers[0];
  if (out.interval) {
    out.interval->first -= from.rows * from.hidden.first;
    out.interval->second += from.rows * from.hidden.second;
  }
  const bool whole = from.aggregate.arg->type == Type::kInt && from.last.exponent == 0;
  if (whole && out.value.type != Type::kInt) out.value = to_whole(out.value);
  if (!whole) out.value = Value::number(from.number(0));
  return out;
}

// The middle of the bounds, and the mean of what the values are beside it: Σ(x − c)/n + c. Rows
// that were left out, a share s, may have any mean m within the bounds: the mean of all is (1 −
// s)·kept + s·m, and the interval has room for it.
Cell mean(const Finishing& from) {
  const Aggregate& aggregate = from.aggregate;
  const Interval& bounds = aggregate.per_group ? *aggregate.per_group : *aggregate.bounds;
  const double low = to_double(bounds.low), high = to_double(bounds.high);
  const double center = static_cast<double>(from.last.center) * std::ldexp(1.0, from.last.exponent);
  const double n = std::max(1.0, from.number(0));
  Cell out{Value::number(std::clamp(center + from.number(1) / n, low, high)), Range{low, high}};
  const Range count = from.range(0);
  if (count.first >= 1) {
    const Range beside = divide(from.range(1), count);
    const double s = aggregate.per_group ? 0 : from.left_out;
    out.interval = clamp({(1 - s) * (center + beside.first) + s * low - from.hidden.first,
                          (1 - s) * (center + beside.second) + s * high + from.hidden.second},
                         low, high);
  }
  return out;
}

// Σ(x − c)²/n − (Σ(x − c)/n)², times n/(n − 1) of a sample; at most a quarter of the squared width
// of the bounds, of a sample half.
Cell variance(const Finishing& from, bool sample) {
  const Interval& bounds = *from.aggregate.bounds;
  const double width = to_double(Rational(bounds.high - bounds.low));
  const double cap = sample ? width * width / 2 : width * width / 4;
  const double n = std::max(1.0, from.number(0)), mean = from.number(1) / n;
  const double correction = sample ? n / std::max(1.0, n - 1) : 1;
  const double value = std::clamp((from.number(2) / n - mean * mean) * correction, 0.0, cap);
  Range interval{0, cap};
  const Range count = from.range(0);
  if (count.first >= 2) {
    const Range squares = divide(from.range(2), count),
                means = square(divide(from.range(1), count));
    const double most = sample ? count.first / (count.first - 1) : 1;
    interval = clamp({squares.first - means.second, (squares.second - means.first) * most}, 0, cap);
  }
  return {Value::number(value), interval};
}

Cell root(const Cell& cell) {
  return {Value::number(std::sqrt(cell.value.real)),
          Range{std::sqrt(cell.interval->first), std::sqrt(cell.interval->second)}};
}

Cell var_pop(const Finishing& from) { return variance(from, false); }
Cell var_samp(const Finishing& from) { return variance(from, true); }
Cell stddev_pop(const Finishing& from) { return root(variance(from, false)); }
Cell stddev_samp(const Finishing& from) { return root(variance(from, true)); }

Cell chosen_value(const Finishing& from) {
  // Of values that nobody listed, the value itself; nothing where it was withheld.
  if (from.last.kind == Statistic::Kind::kEach || from.numbers[0].value.null) {
    Cell out = from.numbers[0];
    if (out.value.null) out.value = Value::none(from.aggregate.arg->type);
    return out;
  }
  const Slot& slot = from.part.slots[*from.last.slot];
  return {slot.choices[static_cast<std::size_t>(from.numbers[0].value.whole)], {}};
}

// Where the chosen leaf stands between the bounds.
Cell chosen_place(const Finishing& from) {
  const Slot& slot = from.part.slots[*from.last.slot];
  const Type type = is_time(from.aggregate.arg->type) ? from.aggregate.arg->type : Type::kDouble;
  if (from.numbers[0].value.null) return {Value::none(type), {}};
  const double low = to_double(slot.bounds.low),
               width = to_double(Rational(slot.bounds.high - slot.bounds.low));
  const double leaf =
      slot.leaves > 1 ? low + width * from.number(0) / static_cast<double>(slot.leaves - 1) : low;
  // On the grid as it is, or the place of a leaf.
  const double value = from.last.kind == Statistic::Kind::kEach
                           ? std::clamp(from.number(0), low, low + width)
                           : leaf;
  if (from.aggregate.arg->type == Type::kDate)
    return {Value::date(static_cast<std::int64_t>(std::llround(value))), {}};
  if (from.aggregate.arg->type == Type::kTimestamp)
    return {Value::timestamp(static_cast<std::int64_t>(std::llround(value)) * 1'000'000), {}};
  std::optional<Range> interval = from.numbers[0].interval;
  if (interval) interval = clamp(*interval, low, low + width);
  return {Value::number(value), interval};
}

// --- the table

std::vector<AggregateRow> all_rows() {
  const std::vector<Made> moments = {Made::kValues, Made::kCentered, Made::kSquares};
  return {
      {{.name = "COUNT(*)",
        .called = {"COUNT"},
        .spellings = {{"count_star"}, {"count", true}},
        .of = Of::kRows,
        .gives = Gives::kCount,
        .per_group = true,
        .fold = Fold::kCountRows},
       {Made::kRows},
       counted},
      // COUNT(*) FILTER (WHERE …) counts too.
      {{.name = "COUNT",
        .called = {"COUNT"},
        .spellings = {{"count"}, {"count_star"}},
        .of = Of::kAnything,
        .gives = Gives::kCount,
        .per_group = true,
        .fold = Fold::kCount},
       {Made::kCount},
       counted},
      {{.name = "COUNT(DISTINCT)",
        .called = {"COUNT"},
        .spellings = {{"count"}},
        .of = Of::kAnything,
        .gives = Gives::kCount,
        .distinct = true,
        .fold = Fold::kCountDistinct},
       {Made::kDifferent},
       as_released},
      {{.name = "COUNT(DISTINCT unit)",
        .called = {"COUNT"},
        .spellings = {{"count"}},
        .of = Of::kUnits,
        .gives = Gives::kCount,
        .distinct = true},
       {Made::kUnits},
       as_released},
      {{.name = "SUM",
        .called = {"SUM"},
        .spellings = {{"sum", true}},
        .per_group = true,
        .of_truth = true,
        .fold = Fold::kSum},
       {Made::kSum},
       sum},
      {{.name = "AVG",
        .called = {"AVG"},
        .spellings = {{"avg", true}, {"mean"}},
        .per_group = true,
        .of_truth = true,
        .fold = Fold::kMean},
       {Made::kValues, Made::kCentered},
       mean},
      {{.name = "VAR_POP",
        .called = {"VAR"},
        .spellings = {{"var_pop", true}},
        .fold = Fold::kVarPop},
       moments,
       var_pop},
      {{.name = "VAR_SAMP",
        .called = {"VAR"},
        .spellings = {{"var_samp", true}, {"variance"}},
        .fold = Fold::kVarSamp},
       moments,
       var_samp},
      {{.name = "STDDEV_POP",
        .called = {"STDDEV"},
        .spellings = {{"stddev_pop", true}},
        .fold = Fold::kStddevPop},
       moments,
       stddev_pop},
      {{.name = "STDDEV_SAMP",
        .called = {"STDDEV"},
        .spellings = {{"stddev_samp", true}, {"stddev"}},
        .fold = Fold::kStddevSamp},
       moments,
       stddev_samp},
      {{.name = "QUANTILE",
        .called = {"MEDIAN", "QUANTILE"},
        .spellings = {{.text = "median", .offered = true, .median = true},
                      {"quantile", true},
                      {"quantile_cont"},
                      {"percentile_cont", true},
                      {.text = "quantile_disc", .folds = false},
                      {.text = "percentile_disc", .folds = false}},
        .of = Of::kOrdered,
        .gives = Gives::kPlace,
        .share = true,
        .methods = {{"exponential"}, {"smooth"}, {.name = "propose-test-release", .bounded = true}},
        .fold = Fold::kQuantile},
       {Made::kChoice},
       chosen_place,
       Scoring::kQuantile},
      {{.name = "MIN",
        .called = {"MIN"},
        .spellings = {{"min", true}},
        .of = Of::kOrdered,
        .gives = Gives::kPlace,
        .fold = Fold::kMin},
       {Made::kChoice},
       chosen_place,
       Scoring::kMin},
      {{.name = "MAX",
        .called = {"MAX"},
        .spellings = {{"max", true}},
        .of = Of::kOrdered,
        .gives = Gives::kPlace,
        .fold = Fold::kMax},
       {Made::kChoice},
       chosen_place,
       Scoring::kMax},
      {{.name = "MODE",
        .called = {"MODE"},
        .spellings = {{"mode", true}},
        .of = Of::kListed,
        .gives = Gives::kValue,
        .methods = {{"exponential"}, {.name = "stable", .open = true}}},
       {Made::kChoice},
       chosen_value,
       Scoring::kMode},
  };
}

}  // namespace

double Finishing::number(std::size_t i) const { return numbers[i].value.as_number(); }

Range Finishing::range(std::size_t i) const {
  return numbers[i].interval.value_or(Range{-kInf, kInf});
}

Aggregates::Aggregates(std::vector<AggregateRow> rows) : rows_(std::move(rows)) {
  for (const AggregateRow& row : rows_) forms_.push_back(&row.form);
}

const AggregateRow* Aggregates::row_of(const Aggregate& aggregate) const {
  for (const AggregateRow& row : rows_)
    if (&row.form == aggregate.form) return &row;
  return nullptr;
}

const Aggregates& aggregates() {
  static const Aggregates table(all_rows());
  return table;
}

std::vector<std::string> aggregate_names() {
  std::vector<std::string> out;
  for (const AggregateRow& row : aggregates().rows())
    for (const sql::AggregateForm::Spelling& spelling : row.form.spellings) {
      if (!spelling.offered) continue;
      std::string& name = out.emplace_back(spelling.text);
      for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  return out;
}

}  // namespace discreet::plan
