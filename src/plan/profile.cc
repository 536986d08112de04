#include "discreet/plan/profile.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "discreet/bound/scale.h"

namespace discreet::plan {

namespace {

// A whole number between these, as it is written: get() would cut others to the bits they fit in.
std::optional<std::int64_t> whole(const nlohmann::json& json, std::int64_t low, std::int64_t high) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  const auto value = json.get<std::int64_t>();
  return value >= low && value <= high ? std::optional(value) : std::nullopt;
}

constexpr int kSmallest = -1000;  // powers of two below are no doubles that tell values apart

}  // namespace

const Histogram* Profile::find(std::string_view key) const {
  for (auto one = histograms_.rbegin(); one != histograms_.rend(); ++one)
    if (one->key == key) return &*one;
  return nullptr;
}

std::string Profile::json() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Histogram& one : histograms_)
    out.push_back({{"key", one.key},
                   {"smallest", one.smallest},
                   {"epsilon", one.epsilon.get_str()},
                   {"bins", one.bins}});
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Profile> Profile::read(const std::string& json) {
  const auto wrong = [] { return fail(Code::kFailure, "a recorded profile can't be read"); };
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_array()) return wrong();
  Profile out;
  for (const auto& one : parsed) {
    if (!one.is_object() || !one.contains("key") || !one["key"].is_string() ||
        !one.contains("smallest") || !one.contains("epsilon") || !one["epsilon"].is_string() ||
        !one.contains("bins") || !one["bins"].is_array() || one["bins"].size() > 10'000)
      return wrong();
    Histogram histogram;
    histogram.key = one["key"].get<std::string>();
    const auto smallest = whole(one["smallest"], kSmallest, bound::ValueScale::kLargest);
    if (!smallest) return wrong();
    histogram.smallest = static_cast<int>(*smallest);
    if (histogram.epsilon.set_str(one["epsilon"].get<std::string>(), 10) != 0 ||
        histogram.epsilon.get_den() == 0)
      return wrong();
    histogram.epsilon.canonicalize();
    if (histogram.epsilon <= 0) return wrong();
    for (const auto& bin : one["bins"]) {
      const auto units = whole(bin, INT64_MIN, INT64_MAX);
      if (!units) return wrong();
      histogram.bins.push_back(*units);
    }
    out.add(std::move(histogram));
  }
  return out;
}

}  // namespace discreet::plan
