#include <fmt/format.h>

#include <fstream>

#include "discreet/base/durable_file.h"
#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/learn_declared.h"
#include "discreet/cli/learn_sources.h"
#include "discreet/learn/idx.h"
#include "discreet/learn/measure.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

using std::string;

Result<string> content(const string& parameter, const string& file) {
  auto read = TRY(read_file(file));
  if (!read) return bad_parameter(parameter, fmt::format("there is no file {}", quote(file)));
  return std::move(*read);
}

Result<string> labels_of(const string& parameter, const string& file, const string& given) {
  if (!given.empty()) return content(parameter, given);
  const string beside = learn::labels_beside(file);
  if (!beside.empty())
    if (auto read = TRY(read_file(beside))) return std::move(*read);
  return bad_parameter(parameter, fmt::format("it is missing, and there is no file {} beside the "
                                              "images",
                                              beside.empty() ? "of a like name" : quote(beside)));
}

// Labels 3, 4 and 5 as classes 0, 1 and 2: the number of each, or one that is no class.
string numbered(const learn::Idx& labels, const std::vector<string>& values) {
  string out(labels.bytes);
  for (char& byte : out) {
    const string name = std::to_string(static_cast<unsigned char>(byte));
    std::size_t place = 0;
    while (place < values.size() && values[place] != name) ++place;
    byte = static_cast<char>(std::min<std::size_t>(place, 255));
  }
  return out;
}

Result<learn::Examples> examples_of(const string& name, const learn::Idx& images,
                                    const learn::Idx& labels, const std::vector<string>& values) {
  const string bytes = numbered(labels, values);
  const learn::Idx numbers{labels.sizes, bytes};
  return learn::pictures(name, images, &numbers, values.size());
}

class ImageSource final : public TrainingSource {
 public:
  static Result<std::unique_ptr<TrainingSource>> open(const DataOptions& o) {
    std::unique_ptr<ImageSource> out(new ImageSource());
    out->name_ = o.file;
    out->image_bytes_ = TRY(content("train", o.file));
    out->label_bytes_ = TRY(labels_of("labels", o.file, o.labels));
    out->images_ = TRY(learn::parse_idx(o.file, out->image_bytes_));
    out->labels_ = TRY(learn::parse_idx(o.labels.empty() ? learn::labels_beside(o.file) : o.labels,
                                        out->label_bytes_));
    if (!o.features.empty() || !o.bounds.empty())
      return bad_parameter(o.features.empty() ? "bounds" : "features",
                           "found with images; accepted is nothing: points are bytes");
    const Classes classes = TRY(read_classes(o.classes));
    if (classes.number)
      return bad_parameter("classes", "found none; accepted are classes: labels of images are");
    if (classes.values.size() > 255)
      return bad_parameter("classes", fmt::format("found {}; accepted are at most 255 for images",
                                                  classes.values.size()));
    out->values_ = classes.values;
    // What the pictures and labels are as a whole: seen before anything is spent.
    TRY(examples_of(o.file, {{0, 1, 1}, ""}, {{0}, ""}, out->values_));
    if (out->labels_.sizes != std::vector<std::uint64_t>{out->images_.sizes[0]} ||
        out->images_.sizes.size() < 3)
      TRY(learn::pictures(o.file, out->images_, &out->labels_, 1));
    out->declared_ = TRY(declared_count(o));
    return out;
  }

  std::uint64_t count() const override { return declared_.value_or(images_.sizes[0]); }
  bool count_declared() const override { return declared_.has_value(); }
  string undeclared() const override { return values_.empty() ? "the classes of the labels" : ""; }
  std::optional<privacy::Event> cost(const Rational& sigma) const override {
    if (!values_.empty()) return std::nullopt;
    return kMeasuring.event(sigma);
  }
  Status charge(const Charge&) override { return {}; }
  Result<std::optional<std::uint64_t>> resume(const Charge&, const learn::Checkpoint&) override {
    return std::nullopt;
  }
  learn::Encoding declared() const override {
    learn::Encoding out;
    out.images = true;
    const std::size_t rank = images_.sizes.size();
    out.shape = {rank == 4 ? images_.sizes[1] : 1, images_.sizes[rank - 2],
                 images_.sizes[rank - 1]};
    out.label.values = values_.empty() ? std::vector<string>{"0", "1"} : values_;
    return out;
  }
  Result<learn::Examples> read_as(const learn::Encoding& encoding) override {
    return examples_of(name_, images_, labels_, encoding.label.values);
  }
  Result<TrainingData> read(const Rational& sigma) override {
    std::vector<string> values = values_;
    if (values.empty()) {
      std::vector<double> labels;
      for (const char byte : labels_.bytes) labels.push_back(static_cast<unsigned char>(byte));
      const auto found =
          TRY(learn::measure(kMeasuring, sigma, {}, &labels, random::thread_generator()));
      values = TRY(classes_found(found.classes));
    }
    TrainingData out;
    out.examples = TRY(examples_of(name_, images_, labels_, values));
    out.encoding.images = true;
    out.encoding.shape = out.examples.shape;
    out.encoding.label.values = std::move(values);
    return out;
  }

 private:
  ImageSource() = default;
  static constexpr learn::Measuring kMeasuring{.ranges = 0, .classes = true};

  string name_, image_bytes_, label_bytes_;
  learn::Idx images_, labels_;
  std::vector<string> values_;
  std::optional<std::uint64_t> declared_;
};

}  // namespace

bool is_images(const string& file) {
  std::ifstream stream(file, std::ios::binary);
  string start(4, ' ');
  return stream.read(start.data(), 4) && learn::looks_like_idx(start);
}

Result<std::unique_ptr<TrainingSource>> open_images(const DataOptions& o) {
  return ImageSource::open(o);
}

Result<learn::Examples> read_images(const string& parameter, const string& file,
                                    const string& labels, const learn::Encoding& encoding,
                                    bool labelled) {
  const string bytes = TRY(content(parameter, file));
  const learn::Idx images = TRY(learn::parse_idx(file, bytes));
  learn::Examples out;
  if (labelled) {
    const string label_bytes =
        TRY(labels_of(parameter == "validate" ? "validate-labels" : "labels", file, labels));
    out = TRY(
        examples_of(file, images, TRY(learn::parse_idx(file, label_bytes)), encoding.label.values));
  } else {
    out = TRY(learn::pictures(file, images, nullptr, encoding.label.values.size()));
  }
  if (out.shape != encoding.shape)
    return bad_parameter(
        parameter,
        fmt::format("found pictures of {} × {} × {}; accepted are {} × {} × {}, as the "
                    "model was trained on",
                    out.shape.channels, out.shape.height, out.shape.width, encoding.shape.channels,
                    encoding.shape.height, encoding.shape.width));
  return out;
}

}  // namespace discreet::cli
