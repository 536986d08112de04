// A reply, and an explanation, as JSON and in words.
#pragma once

#include <string>

#include "discreet/service/reply.h"

namespace discreet::render {

// {"columns","rows","intervals","guarantee","spent","remaining","receipt","plan", …}
std::string json(const service::Reply& reply);
// The answer as a picture that says its ε, its confidence and what was left out.
Result<std::string> plot(const service::Reply& reply, const std::string& unit,
                         const Rational& confidence);
// "this answer: ε 0.5, δ 0   spent: …   left: …   receipt …"
std::string spending_line(const service::Reply& reply);

// A profile: the bounds it leads to, what they leave out, the total error to expect.
std::string json(const service::Profiled& profiled);
std::string words(const service::Profiled& profiled, const std::string& unit);
// Bias, noise and total against the bound; an error where no bound on rows was chosen by a profile.
Result<std::string> plot(const plan::Plan& plan, const std::string& unit);

std::string json(const service::Explanation& explanation);
std::string words(const service::Explanation& explanation, const std::string& unit);

}  // namespace discreet::render
