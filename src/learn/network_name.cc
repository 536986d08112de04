// A network by its name.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "discreet/base/try.h"
#include "discreet/learn/network.h"

namespace discreet::learn {
namespace {

// More is a mistake: 2^28 weights are a gigabyte, and several times that in training.
constexpr std::size_t kMostWeights = std::size_t{1} << 28;
constexpr std::size_t kMostLayers = 100;
constexpr std::size_t kMostPatches = std::size_t{1} << 24;
constexpr const char* kAccepted =
    "accepted are logistic, linear, mlp:256,64, cnn, scatter, or layers:A-B-… of linear:N, "
    "conv:N:SIZE:STRIDE:EDGE, maxpool:SIZE:STRIDE, avgpool:SIZE:STRIDE, groupnorm:GROUPS, "
    "layernorm, embed:ENTRIES:WIDTH, relu, tanh, tempered:S:T:O";

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = text.find(at);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> whole(const std::string& text) {
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out > (1U << 24)) return {};
  return out;
}

std::optional<float> number(const std::string& text) {
  float out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || !(out > -1e6F && out < 1e6F))
    return {};
  return out;
}

tl::unexpected<Error> unknown(const std::string& found) {
  return bad_parameter("model", fmt::format("found '{}'; {}", found, kAccepted));
}

tl::unexpected<Error> batch_norm() {
  return bad_parameter("model",
                       "batch normalisation makes each example's gradient depend on the others in "
                       "its batch, so that no clipping bounds what one person changes; accepted "
                       "are groupnorm:GROUPS and layernorm, which stay within an example");
}

class Builder {
 public:
  explicit Builder(Shape in) : shape_(in) {}

  Status add(const std::string& text) {
    if (layers_.size() >= kMostLayers)
      return bad_parameter("model", fmt::format("found more than {} layers", kMostLayers));
    const std::vector<std::string> words = split(text, ':');
    const std::string& kind = words[0];
    if (kind == "batchnorm" || kind == "batch-norm") return batch_norm();
    if (kind == "tempered" && words.size() == 4) {
      const auto s = number(words[1]), t = number(words[2]), o = number(words[3]);
      if (!s || !t || !o || *s == 0) return unknown(text);
      return push(make_tempered(shape_, {*s, *t, *o}));
    }
    std::vector<std::size_t> n;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto value = whole(words[i]);
      if (!value) return unknown(text);
      n.push_back(*value);
    }
    if (kind == "relu" && n.empty()) return push(make_relu(shape_));
    if (kind == "tanh" && n.empty()) return push(make_tempered(shape_, {}));
    if (kind == "linear" && n.size() == 1 && n[0] > 0) {
      TRY(affords(shape_.size(), n[0]));
      return push(make_linear(shape_, n[0]));
    }
    if (kind == "conv" && n.size() >= 2 && n.size() <= 4) {
      const Window window{n[1], n.size() > 2 ? n[2] : 1, n.size() > 3 ? n[3] : 0};
      if (n[1] > (1U << 12)) return unknown(text);
      TRY(affords(n[1] * n[1] * shape_.channels, n[0]));
      LayerPointer layer = TRY(make_convolution(shape_, n[0], window));
      // What is under each of the windows is kept, for every example of a tile.
      const Shape& out = layer->out();
      if (out.height * out.width * (n[1] * n[1] * shape_.channels + 1) > kMostPatches)
        return bad_parameter("model",
                             "found a convolution with more than 2^24 numbers under its "
                             "windows; accepted are fewer");
      return push(std::move(layer));
    }
    if ((kind == "maxpool" || kind == "avgpool") && !n.empty() && n.size() <= 2)
      return push(
          TRY(make_pooling(shape_, kind == "maxpool" ? Pooling::kGreatest : Pooling::kAverage,
                           {n[0], n.size() > 1 ? n[1] : n[0]})));
    if (kind == "groupnorm" && n.size() == 1) return push(TRY(make_group_norm(shape_, n[0])));
    if (kind == "layernorm" && n.empty()) return push(TRY(make_group_norm(shape_, 1)));
    if (kind == "embed" && n.size() == 2) {
      if (!layers_.empty())
        return bad_parameter("model", "an embedding can only be the first layer");
      TRY(affords(n[0], n[1]));
      return push(TRY(make_embedding(shape_, n[0], n[1])));
    }
    return unknown(text);
  }

  std::vector<LayerPointer> take() { return std::move(layers_); }

 private:
  Status affords(std::size_t a, std::size_t b) {
    weights_ += a * b;  // both below 2^36
    if (weights_ <= kMostWeights) return {};
    return bad_parameter("model",
                         fmt::format("found more than {} weights; accepted are networks that fit "
                                     "into memory",
                                     kMostWeights));
  }
  Status push(LayerPointer layer) {
    if (layer->out().size() > (std::size_t{1} << 26))
      return bad_parameter("model", "found a layer with more than 2^26 numbers an example");
    shape_ = layer->out();
    layers_.push_back(std::move(layer));
    return {};
  }

  Shape shape_;
  std::vector<LayerPointer> layers_;
  std::size_t weights_ = 0;
};

}  // namespace

Result<Network> make_network(const std::string& name, Shape in, std::size_t classes,
                             const NetworkOptions& options) {
  if (in.size() == 0) return bad_parameter("train", "found examples without any feature");
  const Loss loss = loss_for(classes);
  Builder builder(in);
  std::string full = "layers:";
  const auto add = [&](const std::string& text) -> Status {
    TRY(builder.add(text));
    if (full.back() != ':') full += '-';
    full += text;
    return {};
  };
  if (name.starts_with("mlp:")) {
    for (const std::string& width : split(std::string_view(name).substr(4), ',')) {
      TRY(add("linear:" + width));
      TRY(add(options.activation));
    }
  } else if (name == "cnn") {
    if (in.height < 16 || in.width < 16)
      return bad_parameter("model",
                           fmt::format("cnn needs images of at least 16 × 16, and found examples "
                                       "of {} × {}; accepted for others are logistic and mlp:256",
                                       in.height, in.width));
    for (const std::string& text :
         {std::string("conv:16:8:2:3"), options.activation, std::string("maxpool:2:1"),
          std::string("conv:32:4:2:0"), options.activation, std::string("maxpool:2:1"),
          std::string("linear:32"), options.activation})
      TRY(add(text));
  } else if (name.starts_with("layers:")) {
    if (const std::string list = name.substr(7); !list.empty())
      for (const std::string& text : split(list, '-')) TRY(add(text));
  } else if (name != "logistic" && name != "linear" && name != "scatter") {
    return name.find("batchnorm") != std::string::npos ? batch_norm() : unknown(name);
  }
  TRY(builder.add(fmt::format("linear:{}", outputs_of(loss, classes))));
  if (full == "layers:") full = name;  // no layer but the last, which every network has
  return Network(full, in, builder.take(), loss);
}

}  // namespace discreet::learn
