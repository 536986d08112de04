// Everything between a reservation and its receipt, in this process or in a helper.
#pragma once

#include <optional>

#include "discreet/random/source.h"
#include "discreet/service/helper.h"
#include "discreet/service/reply.h"

namespace discreet::service {

struct Ran {
  plan::Answer answer;
  plan::Profile measured;  // by the plan's surveys
  plan::Plan plan;         // as it was run
};

class Runner {
 public:
  virtual ~Runner() = default;
  // Before anything is reserved: whatever can fail by the question alone, or for want of a process.
  virtual Status prepare(const plan::Plan& plan, const plan::Profile& known, bool only_surveys) = 0;
  // Surveys first, where there are any.
  virtual Result<Ran> run(const plan::Plan& plan) = 0;
  virtual Result<plan::Profile> survey(const plan::Plan& plan) = 0;
};

Result<Ran> run_here(engine::Engine& engine, const policy::Catalog& catalog, const plan::Plan& plan,
                     const Asking& asking, random::Source& source);

// In this process, by somebody's own bits.
class RunsHere final : public Runner {
 public:
  RunsHere(engine::Engine& engine, const policy::Catalog& catalog, const Asking& asking,
           random::Source& source)
      : engine_(engine), catalog_(catalog), asking_(asking), source_(source) {}
  Status prepare(const plan::Plan&, const plan::Profile&, bool) override { return {}; }
  Result<Ran> run(const plan::Plan& plan) override {
    return run_here(engine_, catalog_, plan, asking_, source_);
  }
  Result<plan::Profile> survey(const plan::Plan& plan) override;

 private:
  engine::Engine& engine_;
  const policy::Catalog& catalog_;
  const Asking& asking_;
  random::Source& source_;
};

// In a helper: only released numbers come back, and are read as strictly as a ledger's.
class RunsInHelper final : public Runner {
 public:
  RunsInHelper(Helpers& helpers, const policy::Policy& policy, const policy::Catalog& catalog,
               const Asking& asking)
      : policy_(policy), catalog_(catalog), asking_(asking), conversation_(helpers, asking.watch) {}
  Status prepare(const plan::Plan& plan, const plan::Profile& known, bool only_surveys) override;
  Result<Ran> run(const plan::Plan& plan) override;
  Result<plan::Profile> survey(const plan::Plan& plan) override;

 private:
  const policy::Policy& policy_;
  const policy::Catalog& catalog_;
  const Asking& asking_;
  Conversation conversation_;
};

}  // namespace discreet::service
