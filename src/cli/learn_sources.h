// Where examples come from, by kind of file (learn_data.h chooses).
#pragma once

#include "discreet/cli/learn_data.h"

namespace discreet::cli {

// Files of rows, and tables of a policy.
Result<std::unique_ptr<TrainingSource>> open_table(const DataOptions& options);
Result<learn::Examples> read_table(const std::string& parameter, const std::string& file,
                                   const learn::Encoding& encoding, bool labelled);

// IDX images.
bool is_images(const std::string& file);
Result<std::unique_ptr<TrainingSource>> open_images(const DataOptions& options);
Result<learn::Examples> read_images(const std::string& parameter, const std::string& file,
                                    const std::string& labels, const learn::Encoding& encoding,
                                    bool labelled);

// --examples, where it is given.
Result<std::optional<std::uint64_t>> declared_count(const DataOptions& options);
// Classes that were measured; refused where there are fewer than two. (They are released values: a
// refusal tells nothing more.)
Result<std::vector<std::string>> classes_found(const std::vector<std::int64_t>& classes);

}  // namespace discreet::cli
