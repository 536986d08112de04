#include "discreet/bound/adder.h"

#include "discreet/bound/choice.h"
#include "discreet/bound/held.h"
#include "discreet/bound/histograms.h"
#include "discreet/bound/sums.h"

namespace discreet::bound {
namespace {

// Of each unit as much as may count.
class Bounded final : public Adder {
 public:
  Bounded(const Shape& shape, const std::optional<HeldAs>& held, const Secret& secret,
          Groups& groups)
      : layout_(shape),
        records_(held ? held->shape : shape),
        sums_(shape, layout_),
        // Only what is drawn depends on what slots hold. Of other rows those that count are enough.
        draws_(!shape.weight_bits),
        choice_(shape, draws_ ? layout_ : records_, secret, groups) {
    if (held) reread_.emplace(held->shape, shape, held->places);
  }

  void add(Record first, std::size_t count) override {
    if (reread_ && draws_) first = reread_->rows(first, count);
    const Chosen unit = choice_.choose(first, count);
    if (reread_ && !draws_) reread_->replace(unit.rows);
    sums_.add(unit);
  }
  void merge(const Adder& other) override { sums_.merge(static_cast<const Bounded&>(other).sums_); }
  Added finish() override { return sums_.finish(); }

 private:
  const Layout layout_, records_;
  Sums sums_;
  const bool draws_;
  Choice choice_;
  std::optional<Reread> reread_;
};

}  // namespace

std::unique_ptr<Adder> make_adder(const Shape& shape, const std::optional<HeldAs>& held,
                                  const Secret& secret, Groups& groups) {
  if (shape.is_survey()) return std::make_unique<Histograms>(shape, held);
  return std::make_unique<Bounded>(shape, held, secret, groups);
}

}  // namespace discreet::bound
