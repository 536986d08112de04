#include "discreet/plan/release.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/partition_selection.h"
#include "discreet/plan/group_keys.h"

namespace discreet::plan {
namespace {

using Kind = Aggregate::Kind;
using Range = std::pair<double, double>;
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

double step(int exponent) { return std::ldexp(1.0, exponent); }

class Releaser {
 public:
  Releaser(const PlanPart& part, const bound::Contributions& contributions,
           const Presenting& presenting, random::Source& source)
      : part_(part), contributions_(contributions), presenting_(presenting), source_(source) {}

  // The released columns (keys, then aggregates) of each shown group.
  Result<std::vector<std::vector<Cell>>> rows() {
    auto shown = TRY(shown_groups());
    const auto& [groups, keys] = shown;
    std::vector<std::vector<Cell>> statistics;  // [statistic][group]
    for (std::size_t s = 0; s < part_.statistics.size(); ++s) {
      auto cells = TRY(part_.statistics[s].noise == Noise::kExponential ? choose(s, groups)
                                                                        : add_noise(s, groups));
      statistics.push_back(std::move(cells));
    }
    std::vector<std::vector<Cell>> out;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      out.emplace_back();
      for (const Value& key : keys[g]) out.back().push_back({key, {}});
      for (std::size_t a = 0; a < part_.parts.size(); ++a) {
        std::vector<Cell> parts;
        for (const std::size_t s : part_.parts[a]) parts.push_back(statistics[s][g]);
        Cell cell = derive(part_, a, parts);
        const Kind kind = part_.select.aggregates[a].kind;
        const bool counts = kind == Kind::kCountRows || kind == Kind::kCount ||
                            kind == Kind::kCountDistinct || kind == Kind::kCountUnits;
        if (presenting_.nonnegative && counts) {
          cell.value.whole = std::max<std::int64_t>(0, cell.value.whole);
          if (cell.interval) cell.interval = clamp(*cell.interval, 0, kInf);
        }
        out.back().push_back(std::move(cell));
      }
    }
    if (!part_.all_public)
      std::sort(out.begin(), out.end(),
                [&](const auto& a, const auto& b) { return key_less(a, b); });
    return out;
  }

 private:
  struct Shown {
    std::vector<std::size_t> groups;  // their places among the contributions
    std::vector<std::vector<Value>> keys;
  };

  // Public groups as they are listed, all of them or those that are large enough; others as they
  // are chosen.
  Result<Shown> shown_groups() {
    Shown out;
    std::vector<std::vector<Value>> listed;
    if (part_.all_public) {
      listed = public_groups(part_.select);
      if (listed.size() != contributions_.groups())
        return fail(Code::kFailure, "the groups are not those that were planned; nothing is shown",
                    "please report this query");
    }
    if (!part_.selection) {
      out.groups.resize(listed.size());
      std::iota(out.groups.begin(), out.groups.end(), 0);
      out.keys = std::move(listed);
      return out;
    }
    auto selection = TRY(mechanism::PartitionSelection::create(
        {part_.selection->epsilon / part_.max_groups, part_.selection->delta / part_.max_groups,
         part_.selection->min_units}));
    auto chosen = TRY(selection.release(contributions_.keys(), contributions_.units(), source_));
    for (const auto& [place, key] : chosen.value()) {
      auto values = TRY(read_key(key, part_.select.keys));
      out.groups.push_back(place);
      out.keys.push_back(std::move(values));
    }
    return out;
  }

  bool key_less(const std::vector<Cell>& a, const std::vector<Cell>& b) const {
    for (std::size_t i = 0; i < part_.select.keys.size(); ++i) {
      const auto order = a[i].value <=> b[i].value;
      if (order != 0) return order < 0;
    }
    return false;
  }

  // Into how many parts an interval's error probability is split, where this statistic is used.
  std::size_t partners(std::size_t statistic) const {
    std::size_t most = 1;
    for (const auto& parts : part_.parts)
      if (std::find(parts.begin(), parts.end(), statistic) != parts.end())
        most = std::max(most, parts.size());
    return most;
  }

  Result<std::vector<Cell>> add_noise(std::size_t s, const std::vector<std::size_t>& groups) {
    const Statistic& statistic = part_.statistics[s];
    if (groups.empty()) return std::vector<Cell>{};
    auto noise =
        TRY(statistic.noise == Noise::kLaplace ? mechanism::discrete_laplace(statistic.scale)
                                               : mechanism::rounded_gaussian(statistic.scale));
    mechanism::Additive::Parts parts;
    parts.noise = noise;
    parts.guarantee = statistic.noise == Noise::kLaplace ? privacy::Guarantee{statistic.epsilon, 0}
                                                         : *part_.gaussian;
    parts.cells = groups.size();
    parts.on_grid = true;
    const mechanism::Additive mechanism(std::move(parts));
    auto totals = TRY(contributions_.total(s, groups));
    auto released = TRY(mechanism.release(totals, source_));
    const Rational beta = (1 - presenting_.confidence) / static_cast<long>(partners(s));
    const double margin = to_double(noise->quantile(beta)) * step(statistic.exponent);
    std::vector<Cell> out;
    for (const std::int64_t value : released.value()) {
      const double number = static_cast<double>(value) * step(statistic.exponent);
      out.push_back({statistic.exponent == 0 ? Value::integer(value) : Value::number(number),
                     Range{number - margin, number + margin}});
    }
    return out;
  }

  Result<std::vector<Cell>> choose(std::size_t s, const std::vector<std::size_t>& groups) {
    const Statistic& statistic = part_.statistics[s];
    const auto leaves = static_cast<std::size_t>(part_.slots[*statistic.slot].leaves);
    mechanism::SelectionParameters parameters{
        .epsilon = statistic.epsilon / part_.max_groups,
        .sensitivity = Rational(statistic.sensitivity),
        .candidates = mechanism::Candidates::numbered(leaves),
        .monotone = statistic.scoring.kind == bound::Scoring::Kind::kMode};
    auto mechanism = TRY(mechanism::Exponential::create(parameters));
    std::vector<Cell> out;
    for (const std::size_t group : groups) {
      auto scores = TRY(contributions_.scores(s, group));
      auto chosen = TRY(mechanism.release(scores, source_));
      out.push_back({Value::integer(static_cast<std::int64_t>(chosen.value())), {}});
    }
    return out;
  }

  const PlanPart& part_;
  const bound::Contributions& contributions_;
  const Presenting& presenting_;
  random::Source& source_;
};

}  // namespace

Cell derive(const PlanPart& part, std::size_t index, const std::vector<Cell>& parts) {
  const Aggregate& aggregate = part.select.aggregates[index];
  const auto number = [&](std::size_t i) { return parts[i].value.as_number(); };
  const auto range = [&](std::size_t i) { return parts[i].interval.value_or(Range{-kInf, kInf}); };
  const Statistic& last = part.statistics[part.parts[index].back()];
  switch (aggregate.kind) {
    case Kind::kCountRows:
    case Kind::kCount:
    case Kind::kCountDistinct:
    case Kind::kCountUnits:
      return parts[0];
    case Kind::kSum: {
      Cell out = parts[0];
      if (out.value.type == Type::kInt && aggregate.arg->type != Type::kInt)
        out.value = Value::number(number(0));
      return out;
    }
    case Kind::kAvg: {
      const Interval& bounds = aggregate.per_group ? *aggregate.per_group : *aggregate.bounds;
      const double low = to_double(bounds.low), high = to_double(bounds.high);
      const double center = static_cast<double>(last.center) * step(last.exponent);
      const double n = std::max(1.0, number(0));
      Cell out{Value::number(std::clamp(center + number(1) / n, low, high)), Range{low, high}};
      const Range count = range(0);
      if (count.first >= 1) {
        const Range mean = divide(range(1), count);
        out.interval = clamp({center + mean.first, center + mean.second}, low, high);
      }
      return out;
    }
    case Kind::kVarPop:
    case Kind::kVarSamp:
    case Kind::kStddevPop:
    case Kind::kStddevSamp: {
      const double width = to_double(Rational(aggregate.bounds->high - aggregate.bounds->low));
      const bool sample = aggregate.kind == Kind::kVarSamp || aggregate.kind == Kind::kStddevSamp;
      const double cap = sample ? width * width / 2 : width * width / 4;
      const double n = std::max(1.0, number(0)), mean = number(1) / n;
      const double correction = sample ? n / std::max(1.0, n - 1) : 1;
      double value = std::clamp((number(2) / n - mean * mean) * correction, 0.0, cap);
      Range interval{0, cap};
      const Range count = range(0);
      if (count.first >= 2) {
        const Range squares = divide(range(2), count), means = square(divide(range(1), count));
        const double most = sample ? count.first / (count.first - 1) : 1;
        interval =
            clamp({squares.first - means.second, (squares.second - means.first) * most}, 0, cap);
      }
      if (aggregate.kind == Kind::kStddevPop || aggregate.kind == Kind::kStddevSamp) {
        value = std::sqrt(value);
        interval = {std::sqrt(interval.first), std::sqrt(interval.second)};
      }
      return {Value::number(value), interval};
    }
    case Kind::kMode:
      return {part.slots[*last.slot].choices[static_cast<std::size_t>(parts[0].value.whole)], {}};
    case Kind::kQuantile:
    case Kind::kMin:
    case Kind::kMax: {
      const Slot& slot = part.slots[*last.slot];
      const double low = to_double(slot.bounds.low),
                   width = to_double(Rational(slot.bounds.high - slot.bounds.low));
      const double value =
          slot.leaves > 1 ? low + width * number(0) / static_cast<double>(slot.leaves - 1) : low;
      if (aggregate.arg->type == Type::kDate)
        return {Value::date(static_cast<std::int64_t>(std::llround(value))), {}};
      if (aggregate.arg->type == Type::kTimestamp)
        return {Value::timestamp(static_cast<std::int64_t>(std::llround(value)) * 1'000'000), {}};
      return {Value::number(value), {}};
    }
  }
  return {};
}

Status arrange(const Question& question, std::vector<std::vector<Cell>>& rows,
               const std::vector<std::vector<Cell>>& order_columns,
               const sql::Calculator& calculator) {
  if (!question.order.empty()) {
    std::vector<std::vector<Value>> keys(rows.size());
    for (const Order& order : question.order) {
      auto cells = TRY(evaluate_all(order.expr, order_columns, calculator));
      for (std::size_t i = 0; i < rows.size(); ++i) keys[i].push_back(cells[i].value);
    }
    std::vector<std::size_t> places(rows.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      for (std::size_t i = 0; i < question.order.size(); ++i) {
        const Value &x = keys[a][i], &y = keys[b][i];
        if (x.null != y.null) return question.order[i].nulls_first ? x.null : y.null;
        const auto order = x <=> y;
        if (order != 0) return question.order[i].descending ? order > 0 : order < 0;
      }
      return false;
    });
    std::vector<std::vector<Cell>> sorted;
    for (const std::size_t place : places) sorted.push_back(std::move(rows[place]));
    rows = std::move(sorted);
  }
  const auto offset = static_cast<std::size_t>(question.offset.value_or(0));
  rows.erase(rows.begin(),
             rows.begin() + static_cast<std::ptrdiff_t>(std::min(offset, rows.size())));
  if (question.limit && rows.size() > static_cast<std::size_t>(*question.limit))
    rows.resize(static_cast<std::size_t>(*question.limit));
  return {};
}

Result<Answer> release(const Plan& plan, const std::vector<bound::Contributions>& contributions,
                       const Presenting& presenting, const sql::Calculator& calculator,
                       random::Source& source) {
  Answer answer;
  for (const Output& output : plan.parts[0].select.outputs) {
    answer.columns.push_back(output.name);
    answer.types.push_back(output.expr.type);
  }
  std::vector<std::vector<Cell>> released;  // of the single part, beside answer.rows
  if (contributions.size() != plan.parts.size())
    return fail(Code::kFailure, "a part of the plan was not run; nothing is shown",
                "please report this query");
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const PlanPart& part = plan.parts[p];
    auto rows = TRY(Releaser(part, contributions[p], presenting, source).rows());
    if (part.select.having) {
      auto keep = TRY(evaluate_all(*part.select.having, rows, calculator));
      std::vector<std::vector<Cell>> kept;
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (!keep[i].value.null && keep[i].value.whole != 0) kept.push_back(std::move(rows[i]));
      rows = std::move(kept);
    }
    const std::size_t first = answer.rows.size();
    answer.rows.resize(first + rows.size());
    for (const Output& output : part.select.outputs) {
      auto cells = TRY(evaluate_all(output.expr, rows, calculator));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (cells[i].value.null) cells[i].interval.reset();
        answer.rows[first + i].push_back(std::move(cells[i]));
      }
    }
    for (std::vector<Cell>& row : rows) released.push_back(std::move(row));
  }
  auto rows = answer.rows;
  if (auto ok = arrange(plan.question, rows,
                        plan.question.order_on_outputs ? answer.rows : released, calculator);
      !ok)
    return forward_error(ok);
  answer.rows = std::move(rows);
  return answer;
}

}  // namespace discreet::plan
