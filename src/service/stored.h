// Answers as JSON: for the command line, and for the ledger, which gives them again.
//
// read_answer(stored_json(answer), plan) is the answer again, to the last digit.
#pragma once

#include <string>

#include "discreet/plan/plan.h"
#include "discreet/plan/release.h"

namespace discreet::service {

// {"columns":[…],"rows":[[…]],"intervals":[[…]],"left_out":{…}}
std::string answer_json(const plan::Answer& answer);
// The same with each cell's type, which JSON's numbers don't tell, and the profile that was
// released with it.
std::string stored_json(const plan::Answer& answer, const plan::Profile& profile = {});
Result<plan::Profile> read_profile(const std::string& stored);
// The plan is that of the question it answered.
Result<plan::Answer> read_answer(const std::string& stored, const plan::Plan& plan);

}  // namespace discreet::service
