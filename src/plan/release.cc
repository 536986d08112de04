#include "discreet/plan/release.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/plan/aggregates.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/noise.h"
#include "discreet/plan/release_choice.h"
#include "discreet/plan/selection.h"

namespace discreet::plan {
namespace {

using Range = std::pair<double, double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

Range clamp(Range range, double low, double high) {
  return {std::clamp(range.first, low, high), std::clamp(range.second, low, high)};
}

std::int64_t whole_number(bound::Wide value) {
  constexpr bound::Wide kMost = bound::Wide{1} << 62;
  return static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

class Releaser {
 public:
  Releaser(const PlanPart& part, const bound::Contributions& contributions,
           const Presenting& presenting, random::Source& source)
      : part_(part), contributions_(contributions), presenting_(presenting), source_(source) {}

  const LeftOut& left_out() const { return left_out_; }

  // The released columns (keys, then aggregates) of each shown group.
  Result<std::vector<std::vector<Cell>>> rows() {
    auto shown = TRY(shown_groups());
    const auto& [groups, keys] = shown;
    std::vector<std::vector<Cell>> statistics;  // [statistic][group]
    for (std::size_t s = 0; s < part_.statistics.size(); ++s) {
      auto cells = TRY(
          part_.selection && part_.selection->by == s ? decided()
          : chooses(part_.statistics[s].noise)
              ? release_choice(part_, s, groups, contributions_, presenting_.confidence, source_)
              : add_noise(s, groups));
      if (part_.statistics[s].kind == Statistic::Kind::kRows) add_kept(cells);
      statistics.push_back(std::move(cells));
    }
    left_out_ =
        TRY(measure_left_out(part_, contributions_, kept_, presenting_.confidence, source_));
    std::vector<std::vector<Cell>> out;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      out.emplace_back();
      for (const Value& key : keys[g]) out.back().push_back({key, {}});
      for (std::size_t a = 0; a < part_.parts.size(); ++a) {
        std::vector<Cell> numbers;
        for (const std::size_t s : part_.parts[a]) numbers.push_back(statistics[s][g]);
        Cell cell = derive(part_, a, numbers, left_out_.rows.share);
        if (presenting_.nonnegative &&
            part_.rows[a]->form.gives == sql::AggregateForm::Gives::kCount) {
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
    const GroupChooser chooser = TRY(GroupChooser::of(part_));
    const auto units = part_.selection->by ? TRY(deciding_units()) : contributions_.units();
    for (const auto& one : TRY(chooser.release(contributions_.keys(), units, source_))) {
      auto values = TRY(read_key(one.key, part_.select.keys));
      out.groups.push_back(one.place);
      out.keys.push_back(std::move(values));
      if (one.units) decided_.push_back(*one.units);
    }
    threshold_ = chooser.threshold();
    return out;
  }

  // The number of units of every group there is.
  Result<bound::Exact64> deciding_units() const {
    std::vector<std::size_t> all(contributions_.groups());
    std::iota(all.begin(), all.end(), 0);
    return contributions_.total(*part_.selection->by, all);
  }

  // The numbers by which groups were shown, as they are. What is shown by luck is too large, and
  // their intervals know it.
  Result<std::vector<Cell>> decided() const {
    const Statistic& one = part_.statistics[*part_.selection->by];
    const double beta = to_double(Rational(1 - presenting_.confidence));
    std::vector<Cell> out;
    for (const std::int64_t units : decided_)
      out.push_back({Value::integer(units),
                     shown_interval(units, threshold_.value_or(1), to_double(one.scale), beta)});
    return out;
  }

  // The noise of many numbers adds up to less than the sum of their margins.
  void add_kept(const std::vector<Cell>& cells) {
    if (!part_.all_public || part_.selection || kept_) return;
    double sum = 0, square = 0;
    for (const Cell& cell : cells) {
      sum += cell.value.as_number();
      const double margin = cell.interval->second - cell.value.as_number();
      square += margin * margin;
    }
    kept_ = {sum - std::sqrt(square), sum + std::sqrt(square)};
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
    auto noise = TRY(noise_of(statistic));
    mechanism::Additive::Parts parts;
    parts.noise = noise;
    parts.guarantee = statistic.noise == Noise::kLaplace ? privacy::Guarantee{statistic.epsilon, 0}
                                                         : *part_.gaussian;
    parts.cells = groups.size();
    parts.on_grid = true;
    const mechanism::Additive mechanism(std::move(parts));
    auto totals = TRY(contributions_.wide_total(s, groups));
    auto released = TRY(mechanism.release(totals, source_));
    const Rational beta = (1 - presenting_.confidence) / static_cast<long>(partners(s));
    const double step = step_of(statistic), margin = to_double(noise->quantile(beta)) * step;
    std::vector<Cell> out;
    for (const bound::Wide value : released.value()) {
      const double number = static_cast<double>(value) * step;
      out.push_back({step == 1 ? Value::integer(whole_number(value)) : Value::number(number),
                     Range{number - margin, number + margin}});
    }
    return out;
  }

  const PlanPart& part_;
  const bound::Contributions& contributions_;
  const Presenting& presenting_;
  random::Source& source_;
  std::vector<std::int64_t> decided_;      // of the groups that are shown, where that decided
  std::optional<std::int64_t> threshold_;  // … and what they reach
  std::optional<Range> kept_;              // rows, as the answer itself says, in all its groups
  LeftOut left_out_;
};

}  // namespace

Cell derive(const PlanPart& part, std::size_t index, const std::vector<Cell>& numbers,
            double left_out) {
  Finishing from{part, part.select.aggregates[index], part.statistics[part.parts[index].back()],
                 numbers, left_out};
  if (part.fitting && index < part.fitting->hidden.size()) {
    from.hidden = part.fitting->hidden[index];
    from.rows = part.fitting->rows / part.fitting->groups;
  }
  Cell out = part.rows[index]->finish(from);
  if (index < part.unseen.size() && part.unseen[index] && is_number(out.value.type))
    out.interval = Range{-kInf, kInf};
  return out;
}

// The exponential mechanism chooses, but with probability β, a candidate whose score is at most
// 2Δ/ε · ln(candidates/β) below the best (McSherry and Talwar, FOCS 2007). A rank is worth both
// weights of a quantile's score; MIN and MAX aim at the target rank in the first place.
std::optional<double> rank_error(const PlanPart& part, std::size_t aggregate,
                                 const Rational& confidence) {
  const Statistic& one = part.statistics[part.parts[aggregate].back()];
  if (one.kind != Statistic::Kind::kHistogram || one.scoring.kind == bound::Scoring::Kind::kMode)
    return std::nullopt;
  const double score =
      2 * one.total.get_d() / to_double(one.epsilon) *
      std::log(static_cast<double>(one.scoring.leaves) / to_double(Rational(1 - confidence)));
  if (one.scoring.kind == bound::Scoring::Kind::kQuantile)
    return score / static_cast<double>(one.scoring.below_weight + one.scoring.above_weight);
  return score + static_cast<double>(one.scoring.target);
}

// What is known of a column that is an aggregate as it is.
void describe_columns(const PlanPart& part, const Rational& confidence, Answer& answer) {
  answer.ranks.assign(answer.columns.size(), std::nullopt);
  answer.clamps.assign(answer.columns.size(), std::nullopt);
  answer.unseen.assign(answer.columns.size(), false);
  answer.ways.assign(answer.columns.size(), std::nullopt);
  for (std::size_t i = 0; i < part.select.outputs.size(); ++i) {
    const Expr& expr = part.select.outputs[i].expr;
    const std::size_t keys = part.select.keys.size();
    if (expr.op != Op::kColumn || expr.column < keys) continue;
    const std::size_t aggregate = expr.column - keys;
    answer.ranks[i] = rank_error(part, aggregate, confidence);
    if (aggregate < part.methods.size() && part.methods[aggregate]) {
      const Method& method = *part.methods[aggregate];
      Answer::Way way{.noise = method.way};
      for (const Prospect& one : method.prospects)
        if (one.way == method.way) way.ahead = one.error;
      answer.ways[i] = way;
    }
    answer.unseen[i] = aggregate < part.unseen.size() && part.unseen[aggregate];
    const Aggregate& one = part.select.aggregates[aggregate];
    const auto& bounds = one.per_group ? one.per_group : one.bounds;
    const bool stays_inside =
        one.form->gives == sql::AggregateForm::Gives::kPlace || one.form->name == "AVG";
    if (bounds && stays_inside)
      answer.clamps[i] = std::pair{to_double(bounds->low), to_double(bounds->high)};
  }
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
  describe_columns(plan.parts[0], presenting.confidence, answer);
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const PlanPart& part = plan.parts[p];
    Releaser releaser(part, contributions[p], presenting, source);
    auto rows = TRY(releaser.rows());
    const LeftOut& left_out = releaser.left_out();
    // Of several parts the one that leaves out most speaks for all.
    if (!answer.left_out || answer.left_out->rows.upper < left_out.rows.upper)
      answer.left_out = left_out;
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
