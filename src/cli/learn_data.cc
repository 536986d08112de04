#include "discreet/cli/learn_data.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/cli/apart.h"
#include "discreet/cli/learn_sources.h"

namespace discreet::cli {

void add_data_options(CLI::App& verb, DataOptions& o) {
  verb.add_option("--train", o.file,
                  "the rows: CSV, TSV, Parquet or JSON, or IDX images; with --policy one of its "
                  "tables")
      ->required();
  verb.add_option("--label", o.label, "the column that is to be predicted");
  verb.add_option("--labels", o.labels, "IDX labels, where they aren't found beside the images");
  verb.add_option("--features", o.features,
                  "the columns to predict from, a,b,c (default: all but the label)");
  verb.add_option("--bounds", o.bounds,
                  "what is public of columns: age=0:100,ward=A|B; what isn't declared is measured "
                  "privately");
  verb.add_option("--classes", o.classes,
                  "the label's classes: 3 (0, 1 and 2), a,b,c, or none where it is a number; "
                  "undeclared whole numbers are found privately");
  verb.add_option("--examples", o.examples,
                  "how many examples there are, declared (default: as many as the file has, which "
                  "is then treated as public)");
  verb.add_option("--policy", o.policy, "the policy whose table it is; its ledger is charged");
}

Result<std::optional<std::uint64_t>> declared_count(const DataOptions& o) {
  if (o.examples.empty()) return std::nullopt;
  return static_cast<std::uint64_t>(
      TRY(read_integer("examples", o.examples, 1, std::int64_t{1} << 40)));
}

Result<std::vector<std::string>> classes_found(const std::vector<std::int64_t>& classes) {
  if (classes.size() < 2)
    return fail(Code::kFailure,
                fmt::format("the label: {} whole numbers stand out of the noise as classes, and a "
                            "model needs two; what was spent to find out stays spent",
                            classes.size()),
                advise("classes", "a,b,c"));
  std::vector<std::string> out;
  for (const std::int64_t one : classes) out.push_back(std::to_string(one));
  return out;
}

Status run_training(const DataOptions& options, const Action& training) {
  return options.policy.empty() ? training() : apart(training);
}

Result<std::unique_ptr<TrainingSource>> open_training(const DataOptions& o) {
  if (o.policy.empty() && is_images(o.file)) return open_images(o);
  return open_table(o);
}

Result<learn::Examples> read_examples(const std::string& parameter, const std::string& file,
                                      const std::string& labels, const learn::Encoding& encoding,
                                      bool labelled) {
  if (encoding.images) return read_images(parameter, file, labels, encoding, labelled);
  return read_table(parameter, file, encoding, labelled);
}

}  // namespace discreet::cli
