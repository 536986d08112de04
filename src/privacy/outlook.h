// A first look at a composition, good to a few per cent: where to centre the weight, how wide the
// window, how fine the grid.
#pragma once

#include "discreet/privacy/composition.h"
#include "discreet/privacy/source.h"

namespace discreet::privacy {

// What is asked: ε at δ or δ at ε. The number is known between two doubles.
struct Question {
  bool epsilon;  // ε is asked for, δ is given
  double low, high;
};

class Outlook {
 public:
  // Cells about a twelfth of a deviation wide, or as many as are affordable.
  static Result<std::vector<Cells>> look(const Sources& sources, const Tails& tail);

  Outlook(const Sources& sources, const std::vector<Cells>& cells, bool adding);

  // The weight under which ε is the mean; ε itself where that is asked.
  void centre(const Question& question);
  // ε turned out to lie below the window.
  void widen();
  // No weight: for the whole curve at once.
  void look_at_all();

  // The window of some losses of one source alone. What leaves it will be charged whole, however
  // small δ is.
  Composition::Window window_of(std::size_t source, double count, double times) const;
  // … and without the weight.
  Composition::Window plain_window_of(std::size_t source, double count) const;
  // Of a single loss.
  double variance(std::size_t source) const;

  double theta() const { return theta_; }
  double epsilon() const { return epsilon_; }
  double log_delta() const { return log_delta_; }
  const Composition::Window& window() const { return window_; }

 private:
  explicit Outlook(std::vector<Term> terms) : terms_(terms), composition_(std::move(terms)) {}
  void choose_window();

  std::vector<Term> terms_;
  Composition composition_;
  double theta_ = 0, epsilon_ = 0, log_delta_ = 0, margin_ = 0;
  Composition::Window window_;
};

}  // namespace discreet::privacy
