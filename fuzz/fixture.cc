#include "fixture.h"

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/privacy/gaussian.h"
#include "target.h"

namespace discreet::fuzz {

std::string fixture_folder() { return DISCREET_FUZZ_FIXTURE; }

Fixture& fixture() {
  static Fixture one = [] {
    Fixture made;
    auto policy = policy::Policy::read(fixture_folder() + "/policy.toml");
    require(policy.has_value(), "the fixture's policy can be read");
    made.policy = std::move(*policy);
    engine::Limits limits;
    limits.memory = 512 << 20;
    limits.threads = 1;
    auto engine = engine::duckdb::Duckdb::open(made.policy, limits);
    require(engine.has_value(), "the fixture's engine starts");
    made.engine = std::move(*engine);
    made.catalog = *policy::make_catalog(made.policy, *made.engine->schemas());
    return made;
  }();
  return one;
}

Result<plan::Plan> plan_of(const std::string& text, const policy::Catalog& catalog) {
  auto parsed = sql::parse(text);
  if (!parsed) return forward_error(parsed);
  auto question = sql::check(*parsed, catalog, plan::tools(engine::duckdb::calculator()));
  if (!question) return forward_error(question);
  sql::Options flags;
  if (!question->options.epsilon) flags.epsilon = Rational(1, 2);
  if (!question->options.delta) flags.delta = Rational(1, 1'000'000);
  auto options = sql::merge(flags, question->options);
  if (!options) return forward_error(options);
  const Rational epsilon = *options->epsilon, delta = *options->delta;
  auto plan = plan::make_plan(std::move(*question), catalog, *options);
  if (plan)
    require(plan->cost.epsilon <= epsilon && plan->cost.delta <= delta,
            "a plan costs at most what was asked for");
  return plan;
}

void require_paid(const plan::Plan& plan) {
  Rational epsilon = 0, delta = 0;
  for (const plan::PlanPart& part : plan.parts) {
    Rational mu_squared = 0;  // Σ (Δ/σ)² of the Gaussian numbers, which compose to one
    for (const plan::Statistic& one : part.statistics) {
      require(one.sensitivity >= 0, "a sensitivity isn't negative");
      if (plan::chooses(one.noise)) {
        epsilon += one.epsilon;
        delta += one.delta;
        continue;
      }
      require(one.scale > 0, "noise has a scale");
      if (one.noise == plan::Noise::kLaplace) epsilon += Rational(one.total) / one.scale;
      if (one.noise == plan::Noise::kGaussian)
        mu_squared += Rational(one.squares) / (one.scale * one.scale);
    }
    for (const plan::Count& one : part.left_out) epsilon += one.epsilon;
    if (part.survey)
      for (const plan::Count& one : part.survey->counts) epsilon += one.epsilon;
    if (part.selection) {
      epsilon += part.selection->epsilon;
      delta += part.selection->delta;
    }
    if (part.gaussian) {
      // Balle and Wang's δ(ε), and not the calibration that chose σ
      const double cost = privacy::gaussian_delta(part.gaussian->epsilon, mu_squared, 64).upper();
      require(Rational(cost) <= part.gaussian->delta * Rational(1'000'001, 1'000'000),
              "the Gaussian numbers of a plan cost no more than their δ");
      epsilon += part.gaussian->epsilon;
      delta += part.gaussian->delta;
    } else {
      require(mu_squared == 0, "Gaussian noise is paid for");
    }
  }
  require(epsilon <= plan.cost.epsilon && delta <= plan.cost.delta,
          "a plan costs no more than it charges");
}

}  // namespace discreet::fuzz
