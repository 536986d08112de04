#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/learn_declared.h"
#include "discreet/cli/learn_sources.h"
#include "discreet/learn/encode.h"
#include "discreet/learn/measure.h"
#include "discreet/policy/names.h"
#include "discreet/service/training.h"

namespace discreet::cli {
namespace {

using engine::duckdb::Matrix;
using engine::duckdb::MatrixColumn;
using policy::Type;
using std::string;

using Types = std::vector<std::pair<string, Type>>;

// How a file's text is read: as a number unless the values that are declared are none.
Type type_for(const std::vector<string>& values) {
  return values.empty() || are_numbers(values) ? Type::kDouble : Type::kText;
}

const policy::Column* find(const policy::Table& table, const string& name) {
  return table.column(name);
}

tl::unexpected<Error> no_column(const string& parameter, const string& name,
                                const policy::Table& table) {
  std::vector<string> names;
  for (const policy::Column& column : table.columns)
    if (!column.hidden) names.push_back(column.name);
  return bad_parameter(parameter,
                       fmt::format("found {}; accepted is a column of the rows", quote(name)),
                       did_you_mean(name, names));
}

// A column as it will be read and encoded; `measured` where its range is still to be found.
struct Wanted {
  learn::Column column;
  MatrixColumn read;
  bool measured = false;
};

Result<Wanted> wanted(const string& parameter, const policy::Column& column,
                      const std::map<string, learn::Column>& bounds) {
  Wanted out;
  out.column.name = out.read.name = column.name;
  const auto given = std::find_if(bounds.begin(), bounds.end(), [&](const auto& one) {
    return policy::same_name(one.first, column.name);
  });
  if (given != bounds.end()) {
    out.column = given->second;
    out.column.name = column.name;
    out.read.choices = TRY(choices_of("bounds", out.column.values, column.type));
    if (out.column.values.empty() && column.type == Type::kText)
      return bad_parameter("bounds",
                           fmt::format("found a range for {}, which holds texts; accepted "
                                       "are its values, A|B|C",
                                       quote(column.name)));
  } else if (column.domain && (column.type == Type::kText || column.type == Type::kBool)) {
    for (const policy::Value& value : *column.domain)
      if (!value.null) {
        out.column.values.push_back(value.show());
        out.read.choices.push_back(value);
      }
  } else if (column.range) {
    out.column.low = to_double(column.range->low);
    out.column.high = to_double(column.range->high);
  } else if (column.type == Type::kBool) {
    out.column.high = 1;
  } else if (column.type == Type::kText) {
    return bad_parameter(parameter,
                         fmt::format("found {}, which holds texts; accepted are numbers, and texts "
                                     "whose values are declared",
                                     quote(column.name)),
                         advise("bounds", column.name + "=A|B|C"));
  } else {
    out.measured = true;
  }
  return out;
}

// The number of the class that each number is; NaN: none.
void number_classes(const std::vector<double>& classes, std::vector<double>& labels) {
  for (double& label : labels) {
    const auto found = std::find(classes.begin(), classes.end(), label);
    label = found == classes.end() ? std::nan("") : double(found - classes.begin());
  }
}

class TableSource final : public TrainingSource {
 public:
  static Result<std::unique_ptr<TrainingSource>> open(const DataOptions& o) {
    const auto bounds = TRY(read_bounds(o.bounds));
    const Classes classes = TRY(read_classes(o.classes));
    if (o.label.empty())
      return bad_parameter("label",
                           "it is missing; accepted is the column that is to be predicted");
    if (!o.labels.empty())
      return bad_parameter("labels", "found with rows; accepted is --label, the column");
    std::unique_ptr<TableSource> out(new TableSource(TRY(open_rows(o, bounds, classes))));
    TRY(out->choose_features(o, bounds));
    TRY(out->choose_label(o, bounds, classes));
    out->declared_ = TRY(declared_count(o));
    if (out->rows_.has_policy()) {
      if (!out->declared_)
        return bad_parameter("examples",
                             "it is missing; accepted is about how many units the table "
                             "has: with a policy their number is private, and lots "
                             "must not depend on it");
      return out;
    }
    // Without a policy the number of rows is treated as public: they are read now and used when
    // the noise of everything is fixed.
    out->matrix_ = TRY(out->read_rows());
    out->rows_there_ = out->matrix_->rows;
    return out;
  }

  std::uint64_t count() const override { return declared_.value_or(rows_there_); }
  bool count_declared() const override { return declared_.has_value(); }
  string undeclared() const override {
    const std::size_t ranges = measuring().ranges;
    string out;
    if (ranges > 0)
      out =
          ranges == 1 ? "the bounds of a column" : fmt::format("the bounds of {} columns", ranges);
    if (find_classes_)
      out += fmt::format("{}the classes of {}", out.empty() ? "" : ", ", label_.column.name);
    return out;
  }
  std::optional<privacy::Event> cost(const Rational& sigma) const override {
    if (measuring().empty()) return std::nullopt;
    return measuring().event(sigma);
  }
  Status charge(const Charge& charge) override { return rows_.reserve(cost_of(charge)); }
  string reservation() const override { return rows_.reservation(); }
  Result<std::optional<std::uint64_t>> resume(const Charge& charge,
                                              const learn::Checkpoint& found) override {
    return rows_.resume(cost_of(charge), found.reservation, found.digest);
  }
  Status advance(const learn::Checkpoint::Mark& mark) override {
    using Going = ledger::Ledger::Going;
    return rows_.advance(mark.begun, mark.digest, mark.stopped ? Going::kStopped : Going::kOn);
  }
  learn::Encoding declared() const override {
    learn::Encoding out;
    for (const Wanted& one : features_) out.features.push_back(one.column);
    out.label = label_.column;
    if (find_classes_) out.label.values = {"0", "1"};
    out.shape = {1, 1, learn::width_of(out.features)};
    return out;
  }
  Result<string> finish(const string& result) override {
    const auto receipt = TRY(rows_.commit(result));
    return receipt ? receipt->id : string();
  }
  Result<TrainingData> read(const Rational& sigma) override {
    if (!matrix_) matrix_ = TRY(read_rows());
    std::vector<double>& labels = matrix_->columns.back();
    std::vector<const std::vector<double>*> all, unknown;
    for (std::size_t i = 0; i < features_.size(); ++i) {
      all.push_back(&matrix_->columns[i]);
      if (features_[i].measured) unknown.push_back(&matrix_->columns[i]);
    }
    if (label_.measured) unknown.push_back(&labels);
    const learn::Measures found =
        TRY(learn::measure(measuring(), sigma, unknown, find_classes_ ? &labels : nullptr,
                           random::thread_generator()));
    TrainingData out;
    auto next = found.ranges.begin();
    const auto settled = [&next](Wanted one) {
      if (one.measured) {
        one.column.low = next->low;
        one.column.high = (next++)->high;
      }
      return one.column;
    };
    for (const Wanted& one : features_) out.encoding.features.push_back(settled(one));
    out.encoding.label = settled(label_);
    if (find_classes_) {
      out.encoding.label.values = TRY(classes_found(found.classes));
      number_classes({found.classes.begin(), found.classes.end()}, labels);
    }
    out.encoding.shape = {1, 1, learn::width_of(out.encoding.features)};
    out.examples = learn::encode(out.encoding, all, &labels);
    matrix_.reset();
    return out;
  }
  Result<learn::Examples> read_as(const learn::Encoding& encoding) override {
    if (encoding.features.size() != features_.size())
      return fail(Code::kFailure, "the checkpoint is of other columns");
    if (!matrix_) matrix_ = TRY(read_rows());
    std::vector<double>& labels = matrix_->columns.back();
    std::vector<const std::vector<double>*> all;
    for (std::size_t i = 0; i < features_.size(); ++i) all.push_back(&matrix_->columns[i]);
    if (find_classes_) {
      std::vector<double> classes;
      for (const string& value : encoding.label.values)
        classes.push_back(std::strtod(value.c_str(), nullptr));
      number_classes(classes, labels);
    }
    auto out = learn::encode(encoding, all, &labels);
    matrix_.reset();
    return out;
  }

 private:
  explicit TableSource(service::TrainingTable rows) : rows_(std::move(rows)) {}

  service::TrainingCost cost_of(const Charge& charge) const {
    return {.analyst = who(""),
            .what = fmt::format("learn {} {}", charge.what, label_.column.name),
            .run = charge.run,
            .event = charge.event,
            .epsilon = charge.epsilon,
            .delta = charge.delta};
  }

  static Result<service::TrainingTable> open_rows(const DataOptions& o,
                                                  const std::map<string, learn::Column>& bounds,
                                                  const Classes& classes) {
    if (!o.policy.empty()) {
      auto rows = service::TrainingTable::of_policy(o.policy, o.file);
      if (!rows && rows.error().code == Code::kUsage && rows.error().parameter.empty() &&
          rows.error().message.text().starts_with("found"))
        rows.error().parameter = "train";
      return rows;
    }
    Types types = {{o.label, type_for(classes.values)}};
    for (const auto& [name, column] : bounds) types.emplace_back(name, type_for(column.values));
    if (!o.features.empty())
      for (const string& name : words_of(o.features))
        if (!bounds.contains(name)) types.emplace_back(name, Type::kDouble);
    return service::TrainingTable::of_file(o.file, types);
  }

  Status choose_features(const DataOptions& o, const std::map<string, learn::Column>& bounds) {
    const policy::Table& table = rows_.table();
    for (const auto& [name, column] : bounds)
      if (find(table, name) == nullptr) return no_column("bounds", name, table);
    if (!o.features.empty()) {
      for (const string& name : words_of(o.features)) {
        const policy::Column* column = find(table, name);
        if (column == nullptr) return no_column("features", name, table);
        if (column->hidden || column->is_key || policy::same_name(name, o.label))
          return bad_parameter("features", fmt::format("found {}, which {}", quote(name),
                                                       column->hidden   ? "the policy hides"
                                                       : column->is_key ? "says who the unit is"
                                                                        : "is the label"));
        features_.push_back(TRY(wanted("features", *column, bounds)));
      }
    } else {
      for (const policy::Column& column : table.columns) {
        if (column.hidden || column.is_key || policy::same_name(column.name, o.label)) continue;
        // A policy's texts whose values aren't declared are passed over, by their type alone.
        auto one = wanted("features", column, bounds);
        if (one)
          features_.push_back(std::move(*one));
        else if (!rows_.has_policy() || one.error().parameter == "bounds")
          return forward_error(one);
      }
    }
    if (features_.empty())
      return bad_parameter("features",
                           "found no column beside the label that numbers can be read "
                           "from; accepted is at least one");
    return {};
  }

  Status choose_label(const DataOptions& o, const std::map<string, learn::Column>& bounds,
                      const Classes& classes) {
    const policy::Column* column = find(rows_.table(), o.label);
    if (column == nullptr) return no_column("label", o.label, rows_.table());
    if (column->hidden)
      return bad_parameter("label",
                           fmt::format("found {}, which the policy hides", quote(o.label)));
    label_.column.name = label_.read.name = column->name;
    if (classes.number) {
      label_ = TRY(wanted("label", *column, bounds));
      if (!label_.column.values.empty())
        return bad_parameter("label", fmt::format("found {}, which is no number", quote(o.label)));
      return {};
    }
    if (!classes.values.empty()) {
      label_.column.values = classes.values;
      label_.read.choices = TRY(choices_of("classes", classes.values, column->type));
      return {};
    }
    if (column->domain) {
      for (const policy::Value& value : *column->domain)
        if (!value.null) {
          label_.column.values.push_back(value.show());
          label_.read.choices.push_back(value);
        }
      return {};
    }
    if (column->type == Type::kText)
      return bad_parameter("label",
                           fmt::format("found {}, which holds texts; accepted are numbers, "
                                       "and texts whose classes are declared",
                                       quote(o.label)),
                           advise("classes", "a,b,c"));
    find_classes_ = true;
    return {};
  }

  learn::Measuring measuring() const {
    learn::Measuring out{.ranges = label_.measured ? 1U : 0U, .classes = find_classes_};
    for (const Wanted& one : features_) out.ranges += one.measured ? 1 : 0;
    return out;
  }

  Result<Matrix> read_rows() {
    std::vector<MatrixColumn> columns;
    for (const Wanted& one : features_) columns.push_back(one.read);
    columns.push_back(label_.read);
    return rows_.read(columns, {.progress = {}, .pass = {}, .stop = &Interrupt::flag()});
  }

  service::TrainingTable rows_;
  std::vector<Wanted> features_;
  Wanted label_;
  bool find_classes_ = false;
  std::optional<std::uint64_t> declared_;
  std::uint64_t rows_there_ = 0;  // without a policy
  std::optional<Matrix> matrix_;
};

}  // namespace

Result<std::unique_ptr<TrainingSource>> open_table(const DataOptions& o) {
  return TableSource::open(o);
}

Result<learn::Examples> read_table(const string& parameter, const string& file,
                                   const learn::Encoding& encoding, bool labelled) {
  Types types;
  for (const learn::Column& column : encoding.features)
    types.emplace_back(column.name, type_for(column.values));
  if (labelled) types.emplace_back(encoding.label.name, type_for(encoding.label.values));
  // One thread: predictions come in the order of the file.
  auto rows = TRY(service::TrainingTable::of_file(file, types, {.threads = 1}));
  std::vector<MatrixColumn> columns;
  const auto add = [&](const learn::Column& column) -> Status {
    const policy::Column* found = find(rows.table(), column.name);
    if (found == nullptr)
      return bad_parameter(
          parameter, fmt::format("found no column {} in {}; accepted are rows with the columns "
                                 "that the model was trained on",
                                 quote(column.name), quote(file)));
    columns.push_back({column.name, TRY(choices_of(parameter, column.values, found->type))});
    return {};
  };
  for (const learn::Column& column : encoding.features) TRY(add(column));
  if (labelled) TRY(add(encoding.label));
  const Matrix matrix =
      TRY(rows.read(columns, {.progress = {}, .pass = {}, .stop = &Interrupt::flag()}));
  std::vector<const std::vector<double>*> features;
  for (std::size_t i = 0; i < encoding.features.size(); ++i) features.push_back(&matrix.columns[i]);
  return learn::encode(encoding, features, labelled ? &matrix.columns.back() : nullptr);
}

}  // namespace discreet::cli
