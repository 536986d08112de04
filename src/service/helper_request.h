// What a helper process is told: never a row, a secret or a seed. Its bits are its own.
#pragma once

#include <optional>
#include <string>

#include "discreet/engine/engine.h"
#include "discreet/plan/plan.h"
#include "discreet/plan/profile.h"
#include "discreet/plan/release.h"
#include "discreet/policy/policy.h"

namespace discreet::service {

// The policy as it was read, which may have changed on the disk since.
struct Opening {
  std::string text, path, directory;
  std::string folder;  // the helper's own, for what doesn't fit into memory
  engine::Limits limits;
};

struct Preparing {
  std::string text;  // of the question
  plan::Options options;
  plan::Profile known;
  bool only_surveys = false;
  plan::Presenting presenting;
  std::string fingerprint;  // of the plan
};

// Everything of a plan that decides what is released and what that costs.
std::string fingerprint(const policy::Policy& policy, const plan::Plan& plan,
                        const plan::Presenting& presenting);

std::string message_of(const Opening& opening);
std::string message_of(const Preparing& preparing);
std::string message_of(const Error& error);
// Nothing where it can't be read, or comes from another version of the library.
std::optional<Opening> read_opening(const std::string& message);
std::optional<Preparing> read_preparing(const std::string& message);
std::optional<Error> read_error(const std::string& message);

}  // namespace discreet::service
