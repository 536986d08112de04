#include "discreet/channel/linear.h"

#include <Clp_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

namespace discreet::channel {
namespace {

constexpr double kTolerance = 1e-10;
constexpr double kLongest = 600;  // seconds
constexpr double kSmallestUnit = 1e-9;

struct Constraint {  // x(from) ≤ e^ε·x(to), or with a pool's least entry on one side
  int from, to;      // columns of the program
  double to_factor;
};

class Program {
 public:
  Program(const Problem& problem, bool scaled)
      : problem_(problem),
        size_(problem.size()),
        guesses_(problem.guesses),
        ratio_(to_double(problem.ratio.lower)),
        pooled_(problem.graph.kind() == Graph::Kind::kComplete) {
    units_.assign(size_ * guesses_ + (pooled_ ? guesses_ : 0), 1);
    if (scaled) scale();
  }

  Result<LinearSolution> solve(bool primal) {
    build();
    const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> model(Clp_newModel(),
                                                                     Clp_deleteModel);
    Clp_setLogLevel(model.get(), 0);
    const auto columns = static_cast<int>(units_.size()), rows = static_cast<int>(upper_.size());
    Clp_loadProblem(model.get(), columns, rows, starts_.data(), indices_.data(), values_.data(),
                    nullptr, nullptr, costs_.data(), lower_.data(), upper_.data());
    Clp_setPrimalTolerance(model.get(), kTolerance);
    Clp_setDualTolerance(model.get(), kTolerance);
    Clp_setMaximumSeconds(model.get(), kLongest);
    if (primal) {
      Clp_initialPrimalSolve(model.get());
    } else {
      Clp_initialDualSolve(model.get());
    }
    if (Clp_status(model.get()) != 0) {
      return fail(Code::kFailure, "the linear program could not be solved in ten minutes",
                  "take a smaller size");
    }
    return taken(Clp_getColSolution(model.get()), Clp_getRowPrice(model.get()));
  }

 private:
  int column(std::size_t y, std::size_t w) const { return static_cast<int>(y * guesses_ + w); }
  int least(std::size_t w) const { return static_cast<int>(size_ * guesses_ + w); }

  // In an optimal mechanism the chance of a guess falls by up to e^ε a step away from where it
  // pays: in units of that, all numbers are of a size and the solver's tolerance is a relative one.
  void scale() {
    for (std::size_t w = 0; w < guesses_; ++w) {
      std::size_t peak = 0;
      for (std::size_t y = 1; y < size_; ++y)
        if (problem_.payoff(w, y) > problem_.payoff(w, peak)) peak = y;
      for (std::size_t y = 0; y < size_; ++y) {
        const auto steps = static_cast<double>(
            problem_.graph.distance(static_cast<Node>(y), static_cast<Node>(peak)));
        units_[static_cast<std::size_t>(column(y, w))] =
            std::max(std::pow(ratio_, -steps), kSmallestUnit);
      }
    }
  }

  void constrain(int from, int to, double factor) { constraints_.push_back({from, to, factor}); }

  void build() {
    for (std::size_t w = 0; w < guesses_; ++w) {
      if (pooled_) {
        for (std::size_t y = 0; y < size_; ++y) {
          constrain(column(y, w), least(w), ratio_);
          constrain(least(w), column(y, w), 1);
        }
      } else {
        problem_.graph.for_each_edge([&](Node a, Node b) {
          constrain(column(a, w), column(b, w), ratio_);
          constrain(column(b, w), column(a, w), ratio_);
        });
      }
    }
    struct Entry {
      int row;
      double value;
    };
    std::vector<std::vector<Entry>> columns(units_.size());
    const auto unit = [&](int c) { return units_[static_cast<std::size_t>(c)]; };
    for (std::size_t y = 0; y < size_; ++y)
      for (std::size_t w = 0; w < guesses_; ++w)
        columns[static_cast<std::size_t>(column(y, w))].push_back(
            {static_cast<int>(y), unit(column(y, w))});
    lower_.assign(size_, 1);
    upper_.assign(size_, 1);
    for (const auto& [from, to, factor] : constraints_) {
      const auto row = static_cast<int>(upper_.size());
      columns[static_cast<std::size_t>(from)].push_back({row, 1});
      columns[static_cast<std::size_t>(to)].push_back({row, -factor * unit(to) / unit(from)});
      lower_.push_back(-std::numeric_limits<double>::max());
      upper_.push_back(0);
    }
    costs_.assign(units_.size(), 0);
    for (std::size_t y = 0; y < size_; ++y)
      for (std::size_t w = 0; w < guesses_; ++w)
        costs_[static_cast<std::size_t>(column(y, w))] =
            -to_double(problem_.payoff(w, y)) * unit(column(y, w));
    starts_.assign(1, 0);
    for (const auto& entries : columns) {
      for (const Entry& entry : entries)
        indices_.push_back(entry.row), values_.push_back(entry.value);
      starts_.push_back(static_cast<CoinBigIndex>(indices_.size()));
    }
  }

  Result<LinearSolution> taken(const double* solution, const double* prices) const {
    LinearSolution out{.entries = {}, .multipliers = Multipliers::none(problem_)};
    out.entries.reserve(size_ * guesses_);
    for (std::size_t c = 0; c < size_ * guesses_; ++c) {
      const double entry = solution[c] * units_[c];
      if (!std::isfinite(entry)) return fail(Code::kFailure, "the solver returned no numbers");
      out.entries.push_back(std::max(0.0, entry));
    }
    if (pooled_) out.multipliers.pools.resize(guesses_);
    std::size_t row = size_;
    const auto next = [&] {  // minimising, a constraint "at most 0" has a price of at most 0
      const auto& constraint = constraints_[row - size_];
      const double amount = -prices[row++] / units_[static_cast<std::size_t>(constraint.from)];
      return std::isfinite(amount) && amount > 0 ? Rational(amount) : Rational(0);
    };
    for (std::size_t w = 0; w < guesses_; ++w) {
      if (pooled_) {
        auto& pool = out.multipliers.pools[w];
        Rational owed;
        for (std::size_t y = 0; y < size_; ++y) {
          pool.over.push_back(next());
          pool.under.push_back(next());
          owed += problem_.ratio.upper * pool.over.back() - pool.under.back();
        }
        if (sgn(owed) > 0) pool.under[0] += owed;
      } else {
        problem_.graph.for_each_edge([&](Node a, Node b) {
          for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
            if (Rational amount = next(); sgn(amount) > 0)
              out.multipliers.edges[w].push_back({from, to, std::move(amount)});
        });
      }
    }
    return out;
  }

  const Problem& problem_;
  std::size_t size_, guesses_;
  double ratio_;
  bool pooled_;
  std::vector<double> units_;
  std::vector<Constraint> constraints_;
  std::vector<double> lower_, upper_, costs_, values_;
  std::vector<CoinBigIndex> starts_;
  std::vector<int> indices_;
};

}  // namespace

Result<LinearSolution> solve_linear(const Problem& problem, const Road& road) {
  try {
    return Program(problem, road.scaled).solve(road.primal);
  } catch (const std::exception& error) {  // CLP may throw; the library doesn't
    return fail(Code::kFailure, "the linear program could not be solved", error.what());
  } catch (...) {
    return fail(Code::kFailure, "the linear program could not be solved");
  }
}

}  // namespace discreet::channel
