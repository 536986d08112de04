#include "discreet/privacy/outlook.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"

namespace discreet::privacy {
namespace {

double deviation_of(const Cells& cells) {
  return std::sqrt(Composition({{rounded_up(cells), 1}}).cumulants(0).variance);
}

std::vector<Term> terms_of(const Sources& sources, const std::vector<Cells>& cells, bool adding) {
  std::vector<Term> out;
  for (std::size_t i = 0; i < cells.size(); ++i)
    out.push_back({rounded_up(adding ? reversed(cells[i]) : cells[i]), sources.list[i].count});
  return out;
}

}  // namespace

Result<std::vector<Cells>> Outlook::look(const Sources& sources, const Tails& tail) {
  const double most =
      std::clamp((1 << 19) / static_cast<double>(sources.list.size()), 512.0, 2048.0);
  std::vector<Cells> out;
  for (const Source& source : sources.list) {
    auto pair = TRY(source.pair(0, true));
    const double range = std::max(cell_count(*pair, 1, tail) / 2 - 2, 1e-300);
    Cells cells = cut(*pair, range / 256, tail);
    const double deviation = deviation_of(cells);
    if (cells.step > deviation / 12)
      cells = cut(*pair, std::max(range / most, deviation / 12), tail);
    out.push_back(std::move(cells));
  }
  return out;
}

Outlook::Outlook(const Sources& sources, const std::vector<Cells>& cells, bool adding)
    : Outlook(terms_of(sources, cells, adding)) {}

void Outlook::centre(const Question& question) {
  theta_ = 0;
  const Cumulants plain = composition_.cumulants(0);
  const double deviation = std::sqrt(plain.variance);
  const bool beyond = !question.epsilon && question.low >= composition_.highest();
  if (!(deviation > 0) || beyond) {  // one loss, or an ε above all that are finite
    epsilon_ = question.epsilon ? std::max(0.0, plain.mean) : question.low;
    log_delta_ = question.epsilon ? std::log(std::max(question.low, 1e-260)) : std::log(1e-15);
    margin_ = deviation;
    window_ = composition_.window(0, std::log(1e-16));
    return;
  }
  // ln δ falls as θ rises, about K − θK' − ln of the width of what counts; K' rises.
  const auto log_delta = [](const Cumulants& at, double theta) {
    return at.value - theta * at.mean -
           std::log(1 + theta * (1 + theta) * std::sqrt(2 * M_PI * at.variance));
  };
  const auto too_low = [&](double theta) {
    const Cumulants at = composition_.cumulants(theta);
    return question.epsilon ? log_delta(at, theta) > std::log(std::max(question.low, 1e-300))
                            : at.mean < question.low;
  };
  double low = std::log(1e-6 / deviation), high = std::log(1e3 / deviation);
  if (too_low(std::exp(low))) {
    for (int i = 0; i < 12; ++i) {
      const double middle = (low + high) / 2;
      (too_low(std::exp(middle)) ? low : high) = middle;
    }
    theta_ = std::exp(high);
  }
  const Cumulants there = composition_.cumulants(theta_);
  epsilon_ = question.epsilon ? std::max(there.mean, 1e-3 * deviation) : question.low;
  log_delta_ = std::max(-600.0, question.epsilon ? std::log(std::max(question.low, 1e-260))
                                                 : log_delta(there, theta_));
  margin_ = question.epsilon ? 0.3 * std::sqrt(there.variance) + 1e-3 * epsilon_ : 0;
  choose_window();
}

void Outlook::widen() {
  margin_ *= 5;
  choose_window();
}

void Outlook::look_at_all() {
  theta_ = 0;
  epsilon_ = std::max(1e-6, std::sqrt(composition_.cumulants(0).variance));
  log_delta_ = std::log(1e-14);
  window_ = composition_.window(0, std::log(1e-16));
}

Composition::Window Outlook::window_of(std::size_t source, double count, double times) const {
  return Composition({{terms_[source].law, count}})
      .window(theta_, std::min(log_delta_, 0.0) + std::log(1e-8 / times));
}

Composition::Window Outlook::plain_window_of(std::size_t source, double count) const {
  return Composition({{terms_[source].law, count}}).window(0, std::log(1e-22));
}

double Outlook::variance(std::size_t source) const {
  return Composition({{terms_[source].law, 1}}).cumulants(0).variance;
}

// The narrowest window for this ε. A weaker weight than the one that centres on ε may do with
// less where losses come in jumps; it costs digits, of which there are ten to spare.
void Outlook::choose_window() {
  constexpr double kSpare = 10;  // in e-folds
  const double small = log_delta_ + std::log(1e-6), most = theta_;
  double best = HUGE_VAL;
  for (const double share : {1.0, 0.6, 0.35}) {
    const double theta = most * share,
                 excess = composition_.cumulants(theta).value - theta * epsilon_;
    if (share < 1 && (theta == 0 || excess > log_delta_ + kSpare + std::log1p(most * most))) break;
    Composition::Window full = composition_.window(theta, std::min(-2.0, small - excess));
    full.to = std::max(full.to, epsilon_ + margin_);
    full.from = std::min(full.from, epsilon_ - margin_);
    Composition::Window cut = full;
    cut.from = epsilon_ - margin_;
    cut.to = std::max(full.to, cut.from + (theta > 0 ? -small / theta : HUGE_VAL));
    const Composition::Window& better = cut.width() < full.width() ? cut : full;
    if (better.width() < best) {
      best = better.width();
      window_ = better;
      theta_ = theta;
    }
  }
}

}  // namespace discreet::privacy
