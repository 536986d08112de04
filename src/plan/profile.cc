#include "discreet/plan/profile.h"

#include <nlohmann/json.hpp>

namespace discreet::plan {

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
        !one.contains("smallest") || !one["smallest"].is_number_integer() ||
        !one.contains("epsilon") || !one["epsilon"].is_string() || !one.contains("bins") ||
        !one["bins"].is_array() || one["bins"].size() > 10'000)
      return wrong();
    Histogram histogram;
    histogram.key = one["key"].get<std::string>();
    histogram.smallest = one["smallest"].get<int>();
    if (histogram.epsilon.set_str(one["epsilon"].get<std::string>(), 10) != 0 ||
        histogram.epsilon.get_den() == 0)
      return wrong();
    histogram.epsilon.canonicalize();
    if (histogram.epsilon <= 0) return wrong();
    for (const auto& bin : one["bins"]) {
      if (!bin.is_number_integer()) return wrong();
      histogram.bins.push_back(bin.get<std::int64_t>());
    }
    out.add(std::move(histogram));
  }
  return out;
}

}  // namespace discreet::plan
