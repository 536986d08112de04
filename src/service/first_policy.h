// Begins a policy for sources that have none: their columns from headers and schemas, whose rows
// they are from the names of columns (policy/draft.h). No row is read, so the text tells nothing of
// anybody, whatever it costs.
//
//   Beginning beginning;
//   beginning.sources = {"patients.csv", "visits.parquet", "shop.duckdb"};
//   beginning.key = "patient_id";
//   auto begun = *begin_policy(beginning);  // begun.text is a policy that Service::open takes
#pragma once

#include <string>
#include <vector>

#include "discreet/policy/draft.h"
#include "discreet/service/service.h"

namespace discreet::service {

struct Beginning {
  // Files, globs, file.duckdb#table, or file.duckdb: all tables of it.
  std::vector<std::string> sources;
  std::string key;
  std::string name, unit;                     // empty: after the file, after the key
  std::string epsilon = "1", delta = "1e-6";  // of the budget, as they shall be written
  std::string folder;  // where the policy will stand: sources are written relative to it
};

struct Begun {
  policy::Draft draft;
  std::string text;
};

// The text has been read back as a policy, with its sources, before it is returned.
Result<Begun> begin_policy(const Beginning& beginning);

// Measures contributions and ranges of the draft's tables privately, with an ε that is shared by
// them and charged to the ledger of the policy, which has been written and opened: the rows of a
// unit that keep 99 % of all, and the ranges that values show themselves in.
Result<policy::Measures> measure(Service& service, const policy::Draft& draft,
                                 const Rational& epsilon, const Asking& asking,
                                 random::Source& source = random::thread_generator());

// Tables whose declared bounds, by a profile that was paid for, cut most of the rows. Spends
// nothing.
std::vector<std::string> bound_warnings(Service& service, const std::string& analyst);

}  // namespace discreet::service
