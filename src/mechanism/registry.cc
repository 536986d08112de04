#include "discreet/mechanism/registry.h"

// Each stands in the file of its name: NAME_entry.cc defines Entry NAME_entry().
#define MECHANISMS(ENTRY)        \
  ENTRY(laplace)                 \
  ENTRY(geometric)               \
  ENTRY(truncated_geometric)     \
  ENTRY(count)                   \
  ENTRY(histogram)               \
  ENTRY(gaussian)                \
  ENTRY(discrete_gaussian)       \
  ENTRY(exponential)             \
  ENTRY(permute_and_flip)        \
  ENTRY(noisy_max)               \
  ENTRY(top_k)                   \
  ENTRY(sparse_vector)           \
  ENTRY(randomized_response)     \
  ENTRY(stable_mode)             \
  ENTRY(stability)               \
  ENTRY(truncated_histogram)     \
  ENTRY(partition_selection)     \
  ENTRY(smooth_median)           \
  ENTRY(smooth_quantile)         \
  ENTRY(propose_test_release)    \
  ENTRY(sample_aggregate)        \
  ENTRY(sample_aggregate_median) \
  ENTRY(sample_aggregate_smooth) \
  ENTRY(sample_aggregate_mean)

namespace discreet::mechanism {

#define DECLARED(name) Entry name##_entry();
#define LISTED(name) name##_entry(),

MECHANISMS(DECLARED)

std::span<const Entry> registry() {
  static const std::vector<Entry> entries = {MECHANISMS(LISTED)};
  return entries;
}

const Entry* find(std::string_view name) {
  for (const Entry& entry : registry())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace discreet::mechanism
