// How a part's budget is shared out, and which noise each number gets for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/left_out.h"
#include "discreet/plan/methods.h"
#include "discreet/plan/part_planner.h"
#include "discreet/privacy/gaussian.h"

namespace discreet::plan {

using std::string;

tl::unexpected<Error> PartPlanner::without_delta() const {
  const bool none = options_.default_delta && *options_.default_delta == 0;
  const Phrase set =
      none ? Phrase("the policy's budget has none")
           : advise("delta", options_.default_delta ? to_decimal(*options_.default_delta) : "1e-6");
  if (part_.all_public)
    return fail(Code::kUsage,
                "leaving out groups of fewer units has to be done privately, and that needs a δ",
                set + (none ? ": leave " : ", or leave ") + named("min-units") +
                    " out: the groups are public");
  return fail(Code::kUsage, "the groups have to be chosen privately, and that needs a δ",
              set + (none ? ": declare the keys' values in the policy"
                          : ", or declare the keys' values in the policy"));
}

// How many numbers a group are released: they share the budget equally.
Status PartPlanner::count_numbers() {
  Rational fixed = 0;
  std::vector<string> seen;
  const auto count = [&](const Aggregate& aggregate, const string& what, bool choice) {
    const string name =
        aggregate.epsilon ? fmt::format("{}@{}", what, to_decimal(*aggregate.epsilon)) : what;
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return;
    seen.push_back(name);
    if (!aggregate.epsilon) ++(choice ? choices_ : additive_);
  };
  for (std::size_t i = 0; i < part_.rows.size(); ++i) {
    const Aggregate& aggregate = part_.select.aggregates[i];
    if (aggregate.epsilon) fixed += *aggregate.epsilon;
    for (const auto& [what, choice] : statistics_.names(aggregate, *part_.rows[i]))
      count(aggregate, what, choice);
  }
  if (options_.min_units && !grouped())
    note(
        "there are no groups of which min_privacy_units_per_group could leave out the small "
        "ones");
  const bool selecting = selects();
  if (selecting && delta_ == 0) return without_delta();
  const std::int64_t shares = additive_ + choices_ + (selecting ? 1 : 0);
  const Rational left = epsilon_ - survey_ - fixed;
  if (left < 0 || (left == 0 && shares > 0))
    return fail(Code::kUsage,
                fmt::format("the aggregates' own epsilon => … add up to {}, the query has {}{}",
                            to_decimal(fixed), to_decimal(epsilon_),
                            survey_ > 0 ? ", of which a tenth is for choosing bounds" : ""),
                "leave some for the rest");
  // What the answer left out is measured with a share that the numbers can spare.
  if (leaves_out()) left_out_ = std::min<Rational>(catalog_.left_out * epsilon_, left);
  // Everything is fixed: the query costs what they cost.
  if (shares == 0 && !seen.empty()) epsilon_ = fixed + survey_ + left_out_;
  shares_.share = shares > 0 ? Rational((left - left_out_) / shares) : Rational(0);
  TRY(choose_methods(selecting));
  if (selecting)
    part_.selection = Selection{
        .epsilon = shares_.share, .delta = delta_, .min_units = options_.min_units.value_or(1)};
  numbers_ = shares;
  if (!selecting && seen.empty())
    return fail(Code::kRefused, "nothing is asked that would need an answer from the data",
                "the groups are public; add an aggregate");
  return {};
}

// Of each choice, and what of δ is theirs: as much each as the selection of groups, or all
// Gaussian numbers together. By what is declared alone: it must not change with what is measured.
Status PartPlanner::choose_methods(bool selecting) {
  part_.methods.assign(part_.rows.size(), std::nullopt);
  const long others = (selecting ? 1 : 0) + (additive_ > 0 ? 1 : 0);
  const auto choices = [&](auto&& each) -> Status {
    for (std::size_t i = 0; i < part_.rows.size(); ++i)
      if (part_.rows[i]->made_of == std::vector{Made::kChoice} &&
          !part_.rows[i]->form.methods.empty())
        TRY(each(i));
    return {};
  };
  // What was measured tells how many units there are. The price was fixed before: where anything
  // is measured, every choice has its δ.
  if (part_.bounding == Bounding::kMeasured) {
    const Known known = known_of(part_, unknown_, known_);
    const auto groups = static_cast<double>(public_groups_.value_or(1));
    if (known.rows && (part_.all_public || !grouped()))
      shares_.units = std::clamp<std::int64_t>(
          std::llround(std::min(1e9, known.rows->units() / groups)), 1, kLargestGroup);
  }
  const std::int64_t in_all = total_.value_or(kUnbounded);
  const std::int64_t most_rows = std::min(rows_.value_or(total_.value_or(1)), in_all),
                     most_groups = grouped() ? std::min(groups_.value_or(1), in_all) : 1;
  long needing = 0;
  TRY(choices([&](std::size_t i) -> Status {
    const Aggregate& one = part_.select.aggregates[i];
    const Means means{one.epsilon ? *one.epsilon : shares_.share,
                      delta_ / (others + std::max<long>(1, choices_)), most_rows, most_groups,
                      shares_.units};
    part_.methods[i] = TRY(choose_method(one, *part_.rows[i], means));
    const Method& method = *part_.methods[i];
    if ((needs_delta(method.way) && !method.pure) || unknown_.any()) ++needing;
    return {};
  }));
  if (needing == 0 || delta_ == 0) return {};
  shares_.delta = delta_ / (others + needing);
  gap_delta_ = shares_.delta * needing;
  delta_ -= gap_delta_;
  return {};
}

// σ on each of the numbers that have noise, were they Gaussian and of ℓ2 sensitivity 1 each.
Result<Rational> PartPlanner::joint_sigma() const {
  const Rational delta = part_.selection ? Rational(delta_ / 2) : delta_;
  auto sigma = TRY(privacy::gaussian_sigma(shares_.share * additive_, delta, 1));
  return Rational(sigma * sqrt_up(Rational(additive_)));
}

// Laplace or Gaussian, whichever is narrower at 95 %.
Status PartPlanner::split() {
  if (additive_ == 0) return {};
  shares_.laplace = 1 / shares_.share;  // b = laplace · ℓ1
  if (delta_ > 0) {
    const Rational joint = TRY(joint_sigma());
    const bool by_row = counts_rows(part_);
    const Integer l1 = by_row ? part_.bounds.most_rows() : part_.bounds.most_groups();
    const Integer squares = by_row ? part_.bounds.rows_squared() : part_.bounds.most_groups();
    const auto is_narrower = [&](double root_of_squares, double sum) {
      constexpr double kLaplace95 = 2.995732, kGaussian95 = 1.959964;
      return to_double(joint) * root_of_squares * kGaussian95 <
             to_double(shares_.laplace) * sum * kLaplace95;
    };
    // Bounds that are measured must not change the price: δ is kept wherever any bounds would
    // make the noise Gaussian. It gains most where a unit has one row in each of all groups.
    if (unknown_.any()) {
      const auto all = static_cast<double>(
          std::min(groups_.value_or(kUnbounded),
                   public_groups_ ? static_cast<std::int64_t>(*public_groups_) : kUnbounded));
      keeps_delta_ = is_narrower(std::sqrt(all), all);
    }
    if (is_narrower(std::sqrt(squares.get_d()), l1.get_d())) {
      shares_.gaussian = joint;  // σ = gaussian · ℓ2
      const Rational delta = part_.selection ? Rational(delta_ / 2) : delta_;
      part_.gaussian = privacy::Guarantee{shares_.share * additive_, delta};
      if (part_.selection) part_.selection->delta = delta_ - delta;
    }
  }
  return {};
}

}  // namespace discreet::plan
