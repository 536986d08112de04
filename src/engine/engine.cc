#include "discreet/engine/engine.h"

namespace discreet::engine {
namespace {

class ReadsAgain final : public PartReader {
 public:
  ReadsAgain(Engine& engine, const policy::Catalog& catalog, const bound::Secret& secret)
      : engine_(engine), catalog_(catalog), secret_(secret) {}
  Result<bound::Contributions> run(const plan::PlanPart& part, const Watch& watch) override {
    return engine_.run(part, catalog_, secret_, watch);
  }

 private:
  Engine& engine_;
  const policy::Catalog& catalog_;
  const bound::Secret secret_;
};

}  // namespace

std::unique_ptr<PartReader> Engine::reader(const plan::PlanPart& /*part*/,
                                           const policy::Catalog& catalog,
                                           const bound::Secret& secret) {
  return std::make_unique<ReadsAgain>(*this, catalog, secret);
}

}  // namespace discreet::engine
