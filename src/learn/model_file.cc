#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "discreet/base/digest.h"
#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/learn/encode.h"
#include "discreet/learn/model.h"
#include "discreet/learn/model_json.h"

namespace discreet::learn {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little,
              "numbers are stored as they stand in memory");

constexpr std::string_view kMagic = "discreet model 1\n";
constexpr std::size_t kMostHeader = std::size_t{1} << 24;

tl::unexpected<Error> damaged(const std::string& name, const char* what) {
  return fail(Code::kFailure, fmt::format("{} is no model that can be read: {}", quote(name), what),
              "give a file that `learn` wrote");
}

Result<Model> read(const std::string& name, std::string_view bytes, bool outline);

}  // namespace

std::string write_model(const Model& model) {
  Json header{{"network", model.network},
              {"classes", model.classes},
              {"shape", shape_json(model.shape)},
              {"encoding", encoding_json(model.encoding)},
              {"scattering", model.front.scattering},
              {"weights", model.weights.size()}};
  std::vector<float> numbers;
  if (model.front.projection) {
    header["projection"] = Json{{"width", model.front.projection->width},
                                {"numbers", model.front.projection->components.size()}};
    numbers = model.front.projection->components;
  }
  const Promise& promise = model.promise;
  header["promise"] = Json{{"epsilon", promise.epsilon},   {"delta", to_decimal(promise.delta)},
                           {"relation", promise.relation}, {"events", promise.events},
                           {"examples", promise.examples}, {"steps", promise.steps}};
  numbers.insert(numbers.end(), model.weights.begin(), model.weights.end());
  std::string out(kMagic);
  out += header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return out + hex(sha256(out));
}

Result<Model> read_model(const std::string& name, std::string_view bytes) {
  return read(name, bytes, false);
}
Result<Model> read_outline(const std::string& name, std::string_view bytes) {
  return read(name, bytes, true);
}

namespace {

Result<Model> read(const std::string& name, std::string_view bytes, bool outline) {
  constexpr std::size_t kTail = 2 * sizeof(Digest);
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kTail)
    return damaged(name, "it doesn't begin like one");
  const std::string_view body = bytes.substr(0, bytes.size() - kTail);
  if (hex(sha256(body)) != bytes.substr(body.size()))
    return damaged(name, "its digest is of other content");
  const std::size_t end = body.find('\n', kMagic.size());
  if (end == std::string_view::npos || end > kMostHeader) return damaged(name, "it has no header");
  const Json header = Json::parse(body.substr(kMagic.size(), end - kMagic.size()), nullptr, false);
  if (!header.is_object()) return damaged(name, "its header is no object");

  JsonReader fields(header);
  Model model;
  model.network = fields.text("network");
  model.classes = fields.count("classes", 1 << 20);
  model.shape = read_shape(fields, "shape");
  model.encoding = read_encoding(fields, "encoding");
  model.front.scattering = fields.flag("scattering");
  std::size_t width = 0, components = 0;
  if (header.contains("projection")) {
    JsonReader projection = fields.object("projection");
    width = projection.count("width", 1 << 20);
    components = projection.count("numbers", std::size_t{1} << 28);
    if (!projection.good() || width == 0 || components % width != 0)
      return damaged(name, "its projection has no shape");
  }
  const std::size_t weights = fields.count("weights", std::size_t{1} << 28);
  JsonReader promise = fields.object("promise");
  model.promise.epsilon = promise.number("epsilon");
  auto delta = parse_number(promise.text("delta"), Rounding::kUp);
  model.promise.relation = promise.text("relation");
  model.promise.events = promise.texts("events");
  model.promise.examples = promise.count("examples", std::size_t{1} << 40);
  model.promise.steps = promise.count("steps", std::size_t{1} << 40);
  if (!fields.good() || !promise.good() || !delta)
    return damaged(name, "its header lacks something, or has too much");
  model.promise.delta = *delta;

  const std::string_view numbers = body.substr(end + 1);
  if (numbers.size() != (components + weights) * sizeof(float))
    return damaged(name, "it has another number of weights than it says");
  std::vector<float> all(components + weights);
  if (!all.empty()) std::memcpy(all.data(), numbers.data(), numbers.size());
  for (const float w : all)
    if (!std::isfinite(w)) return damaged(name, "a weight isn't finite");
  if (components > 0) {
    Projection projection;
    projection.width = width;
    projection.components.assign(all.begin(),
                                 all.begin() + static_cast<std::ptrdiff_t>(components));
    model.front.projection = std::move(projection);
  }
  model.weights.assign(all.begin() + static_cast<std::ptrdiff_t>(components), all.end());

  if (model.classes == 1 || model.classes != model.encoding.label.values.size() ||
      model.shape.size() == 0 || model.encoding.shape.size() == 0)
    return damaged(name, "its label or its shape makes no sense");
  if (!model.encoding.images && width_of(model.encoding.features) != model.encoding.shape.size())
    return damaged(name, "its columns don't fit its shape");
  const auto network = make_network(model.network, model.shape, model.classes, {});
  if (!network || weights != (outline ? 0 : network->weights()))
    return damaged(name, "its network has another number of weights");
  return model;
}

}  // namespace
}  // namespace discreet::learn
