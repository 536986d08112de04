// The data of `discreet learn`: files of rows (CSV, Parquet, JSON) and IDX images as examples, with
// bounds and classes that are declared, or measured privately.
//
// The order of things is that of privacy: what the header says decides what measuring will cost;
// the noise of everything is fixed, and the budget charged; only then rows are used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/cli/command.h"
#include "discreet/learn/checkpoint.h"
#include "discreet/learn/encoding.h"
#include "discreet/learn/examples.h"
#include "discreet/privacy/event.h"

namespace discreet::cli {

struct DataOptions {
  std::string file;      // --train
  std::string label;     // --label: the column to predict
  std::string labels;    // --labels: IDX labels, where they aren't found beside the images
  std::string features;  // --features a,b,c: all columns but the label where none are named
  std::string bounds;    // --bounds 'age=0:100,income=0:2e5'
  std::string classes;   // --classes 3 or a,b,c: of the label; 'none': it is a number
  std::string examples;  // --examples N: how many there are, declared; else the number of rows,
                         // which is then treated as public
  std::string policy;    // --policy: the file is one of its tables, and its ledger is charged
};
void add_data_options(CLI::App& verb, DataOptions& options);
// With a policy the rows are private: a process of its own (cli/apart.h).
Status run_training(const DataOptions& options, const Action& training);

struct TrainingData {
  learn::Examples examples;
  learn::Encoding encoding;
};

// What a policy's ledger is asked for.
struct Charge {
  std::string what;  // "sgd mlp:64", for the ledger's history
  std::string run;   // all that was asked for: only the same goes on with what was reserved
  privacy::Event event;
  Rational epsilon, delta;
};

// A file whose header was read, and no row used.
class TrainingSource {
 public:
  virtual ~TrainingSource() = default;
  // N: declared, or the number of rows.
  virtual std::uint64_t count() const = 0;
  virtual bool count_declared() const = 0;
  // What has to be measured ("the bounds of 3 columns, the classes of y"); empty: nothing.
  virtual std::string undeclared() const = 0;
  // What measuring costs with this noise multiplier: gaussian(sigma=…), all of it together. None
  // where nothing has to be measured.
  virtual std::optional<privacy::Event> cost(const Rational& sigma) const = 0;
  // Charges the policy's ledger for all that is going to be done, before a row is used; does
  // nothing without a policy.
  virtual Status charge(const Charge& charge) = 0;
  // What charge() reserved, as a text; empty: nothing. An interrupted run goes on with it, where
  // the ledger has it open still and all else is the same.
  virtual std::string reservation() const { return {}; }
  // Its checkpoint must be the latest that the ledger knows; what is returned are the steps that
  // are spent, nothing without a policy.
  virtual Result<std::optional<std::uint64_t>> resume(const Charge& charge,
                                                      const learn::Checkpoint& found) = 0;
  // Into the policy's ledger, before a checkpoint takes its place.
  virtual Status advance(const learn::Checkpoint::Mark& /*mark*/) { return {}; }
  // How rows will be read, as far as it is public: with ranges and classes that stand in for those
  // that are measured, of which there are as many columns all the same.
  virtual learn::Encoding declared() const = 0;
  // Measures with that noise what isn't declared, and reads the rows.
  virtual Result<TrainingData> read(const Rational& sigma) = 0;
  // The rows as an earlier run encoded them: nothing is measured.
  virtual Result<learn::Examples> read_as(const learn::Encoding& encoding) = 0;
  // What was learnt, as JSON, into the policy's ledger: only then may it be shown. The receipt's
  // name; empty without a policy.
  virtual Result<std::string> finish(const std::string& /*result*/) { return std::string(); }
};
Result<std::unique_ptr<TrainingSource>> open_training(const DataOptions& options);

// Rows for a model that is there: read as its encoding says. `labelled`: the label must be there.
Result<learn::Examples> read_examples(const std::string& parameter, const std::string& file,
                                      const std::string& labels, const learn::Encoding& encoding,
                                      bool labelled);

}  // namespace discreet::cli
