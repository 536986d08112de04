#include "discreet/bound/bounder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "discreet/bound/words.h"

namespace discreet::bound {
namespace {

constexpr std::size_t kPartitionBits = 9, kPartitions = std::size_t{1} << kPartitionBits;
constexpr std::size_t kBuffered =
    64;  // records a thread collects before it takes a partition's lock
constexpr std::size_t kEarliest =
    32'768;  // records from which on a partition is bounded early, if memory allows so many
constexpr std::uint64_t kGroupMask = 0xffffffffu;
// Sums leave as 64-bit integers; beyond ±2^62 they saturate, which brings neighbours no further
// apart.
constexpr Wide kMost = Wide{1} << 62;

std::int64_t saturate(Wide value) {
  return static_cast<std::int64_t>(value > kMost ? kMost : value < -kMost ? -kMost : value);
}

}  // namespace

struct Bounder::Partition {
  std::mutex mutex;
  Words words;
  std::size_t next = 0;  // records at which it is bounded early
};

// Room for bounding one partition, kept by a thread.
struct Bounder::Work {
  struct Entry {
    std::uint64_t unit;
    std::uint32_t group, index;
  };
  struct Run {
    std::uint64_t priority;
    std::uint32_t begin, end;
  };
  std::vector<Entry> entries, sorted;
  std::vector<std::uint32_t> buckets;
  std::vector<Run> runs;
  std::vector<std::pair<std::uint64_t, const std::uint64_t*>> hashed;
  std::vector<const std::uint64_t*> rows;
  std::vector<std::uint64_t> hashes, survivors;
};

struct Bounder::Feeder {
  explicit Feeder(Groups& groups) : cache(groups) {}
  GroupCache cache;
  KeyBytes key;
  std::vector<std::uint64_t> buffer;
  std::vector<std::uint32_t> filled = std::vector<std::uint32_t>(kPartitions);
  std::vector<std::uint64_t> units, seconds;
  std::vector<std::uint32_t> numbers;
  std::vector<std::int64_t> slots;
  Work work;
};

struct Bounder::Sums {
  std::vector<std::vector<Wide>> totals;
  std::vector<std::int64_t> units;
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> pairs;
};

Bounder::Bounder(Shape shape, const Secret& secret, std::size_t memory)
    : shape_(std::move(shape)),
      secret_(secret),
      text_hash_(secret.words[0], secret.words[1]),
      groups_(secret),
      most_words_(memory / 8) {
  unit_words_ = shape_.text_units ? 2 : 1;
  slots_at_ = unit_words_ + 1;
  folds_at_ = slots_at_ + shape_.slots.size();
  for (std::size_t i = 0; i < shape_.slots.size(); ++i)
    if (shape_.slots[i].whole_groups) fold_slots_.push_back(i);
  stride_ = folds_at_ + 2 * fold_slots_.size() + (shape_.counts_whole_rows ? 1 : 0);
  // All partitions at their first limit take half of the memory.
  earliest_ =
      std::clamp<std::size_t>(most_words_ / (2 * kPartitions * stride_), kBuffered, kEarliest);
  for (std::size_t i = 0; i < kPartitions; ++i) {
    partitions_.push_back(std::make_unique<Partition>());
    partitions_.back()->next = earliest_;
  }
}

Bounder::~Bounder() = default;

void Bounder::start_pass(std::uint32_t pass, std::uint32_t passes) {
  pass_ = pass;
  passes_ = passes;
}

void Bounder::clear() {
  for (auto& partition : partitions_) {
    partition->words.free();
    partition->next = earliest_;
  }
  for (auto& feeder : idle_) std::fill(feeder->filled.begin(), feeder->filled.end(), 0);
  sums_.clear();
  words_ = 0;
  full_ = false;
}

void Bounder::add(const Batch& batch) {
  if (!fits()) return;
  Feeder* feeder = nullptr;
  std::unique_ptr<Feeder> mine;
  {
    const std::lock_guard lock(feeders_mutex_);
    if (!idle_.empty()) {
      mine = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!mine) {
    mine = std::make_unique<Feeder>(groups_);
    mine->buffer.resize(kPartitions * kBuffered * stride_);
  }
  feeder = mine.get();
  const std::size_t rows = batch.rows;
  feeder->units.resize(rows);
  feeder->numbers.resize(rows);
  feeder->slots.resize(rows * std::max<std::size_t>(1, shape_.slots.size()));

  // Groups.
  if (shape_.keys == 0) {
    const std::uint32_t only = feeder->cache.number({});
    std::fill(feeder->numbers.begin(), feeder->numbers.end(), only);
  } else {
    const bool single = batch.keys.size() == 1;
    for (std::size_t row = 0; row < rows; ++row) {
      if (single && batch.keys[0].valid(row)) {  // a short key is found without being written out
        const Column& column = batch.keys[0];
        if (column.kind == Column::Kind::kWhole) {
          feeder->numbers[row] = feeder->cache.whole(column.whole[row]);
          continue;
        }
        if (column.kind == Column::Kind::kText && column.text[row].size() <= 16) {
          feeder->numbers[row] = feeder->cache.short_text(column.text[row]);
          continue;
        }
      }
      feeder->key.clear();
      for (const Column& column : batch.keys) {
        if (!column.valid(row)) {
          feeder->key.null();
        } else if (column.kind == Column::Kind::kText) {
          feeder->key.text(column.text[row]);
        } else if (column.kind == Column::Kind::kReal) {
          feeder->key.real(column.real[row]);
        } else {
          feeder->key.whole(column.whole[row]);
        }
      }
      feeder->numbers[row] = feeder->cache.number(feeder->key.view());
    }
  }
  // Units.
  if (shape_.text_units) {
    feeder->seconds.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
      if (batch.unit.valid(row))
        feeder->units[row] = text_hash_(batch.unit.text[row], feeder->seconds[row]);
  } else {
    for (std::size_t row = 0; row < rows; ++row)
      feeder->units[row] = permute(secret_, static_cast<std::uint64_t>(batch.unit.whole[row]));
  }
  // Slots, one column after the other.
  for (std::size_t s = 0; s < shape_.slots.size(); ++s) {
    const Slot& slot = shape_.slots[s];
    const Column& column = batch.slots[s];
    std::int64_t* out = feeder->slots.data() + s;
    const std::size_t step = shape_.slots.size();
    for (std::size_t row = 0; row < rows; ++row, out += step) {
      if (!column.valid(row)) {
        *out = kNothing;
      } else if (slot.kind == Slot::Kind::kFlag) {
        *out = 1;
      } else if (column.kind == Column::Kind::kReal) {
        *out = to_grid(slot, column.real[row]);
      } else if (column.kind == Column::Kind::kText) {
        *out = static_cast<std::int64_t>(text_hash_(column.text[row]));
        if (*out == kNothing) *out = 0;
      } else {
        *out = slot.kind == Slot::Kind::kLeaf
                   ? std::clamp<std::int64_t>(column.whole[row], 0, slot.leaves - 1)
                   : column.whole[row];
      }
    }
  }
  // Records, into the buffers of their partitions.
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t unit = feeder->units[row];
    if (feeder->numbers[row] == kNoGroup || !batch.unit.valid(row)) continue;
    if (passes_ > 1 && (unit & 0xffffffffu) % passes_ != pass_) continue;
    const std::size_t partition = unit >> (64 - kPartitionBits);
    std::uint32_t& filled = feeder->filled[partition];
    std::uint64_t* record = feeder->buffer.data() + (partition * kBuffered + filled) * stride_;
    record[0] = unit;
    if (unit_words_ == 2) record[1] = feeder->seconds[row];
    record[unit_words_] = feeder->numbers[row];
    const std::int64_t* slots = feeder->slots.data() + row * shape_.slots.size();
    for (std::size_t s = 0; s < shape_.slots.size(); ++s)
      record[slots_at_ + s] = static_cast<std::uint64_t>(slots[s]);
    std::int64_t* folds = folds_of(record);
    for (const std::size_t s : fold_slots_) {
      *folds++ = slots[s] == kNothing ? 0 : 1;
      *folds++ = slots[s] == kNothing ? 0 : slots[s];
    }
    if (shape_.counts_whole_rows) *folds = 1;
    if (++filled == kBuffered) flush(*feeder, partition);
  }
  const std::lock_guard lock(feeders_mutex_);
  idle_.push_back(std::move(mine));
}

void Bounder::flush(Feeder& feeder, std::size_t which) {
  Partition& partition = *partitions_[which];
  const std::uint64_t* from = feeder.buffer.data() + which * kBuffered * stride_;
  const std::size_t words = feeder.filled[which] * stride_;
  feeder.filled[which] = 0;
  const std::lock_guard lock(partition.mutex);
  partition.words.append(from, words);
  words_.fetch_add(words, std::memory_order_relaxed);
  if (partition.words.size() < partition.next * stride_) return;
  compact(partition, feeder.work);
  // Again when it has doubled: each survivor is looked at a bounded number of times.
  partition.next = std::max(earliest_, 3 * partition.words.size() / stride_);
  if (words_.load(std::memory_order_relaxed) > most_words_) full_ = true;
}

// Calls emit(rows, kept) for each unit and each group that it keeps: rows[0 … kept) are those it
// keeps there, the rest counts only where whole groups are added up.
template <class Emit>
void Bounder::for_each_kept(std::span<std::uint64_t> records, Work& work, Emit&& emit) {
  const std::size_t count = records.size() / stride_;
  const auto group_of = [&](const std::uint64_t* record) {
    return static_cast<std::uint32_t>(record[unit_words_] & kGroupMask);
  };
  // Units into buckets by the bits after those of the partition, a few records each; within a
  // bucket by comparison.
  std::size_t bits = 1;
  while ((std::size_t{1} << (bits + 3)) < count && bits < 20) ++bits;
  work.buckets.assign((std::size_t{1} << bits) + 1, 0);
  const auto bucket_of = [&](std::uint64_t unit) {
    return (unit << kPartitionBits) >> (64 - bits);
  };
  work.entries.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t* record = records.data() + i * stride_;
    work.entries[i] = {record[0], group_of(record), static_cast<std::uint32_t>(i)};
    ++work.buckets[bucket_of(record[0]) + 1];
  }
  std::partial_sum(work.buckets.begin(), work.buckets.end(), work.buckets.begin());
  work.sorted.resize(count);
  {
    std::vector<std::uint32_t>& next = work.buckets;
    for (const Work::Entry& entry : work.entries)
      work.sorted[next[bucket_of(entry.unit)]++] = entry;
    // next[b] is now where bucket b ends, which is where bucket b+1 began
  }
  const auto second = [&](const Work::Entry& entry) {
    return unit_words_ == 2 ? records[entry.index * stride_ + 1] : 0;
  };
  const auto less = [&](const Work::Entry& a, const Work::Entry& b) {
    if (a.unit != b.unit) return a.unit < b.unit;
    if (unit_words_ == 2 && second(a) != second(b)) return second(a) < second(b);
    return a.group < b.group;
  };
  std::uint32_t begin = 0;
  for (std::size_t b = 0; b < (std::size_t{1} << bits); ++b) {
    const std::uint32_t end = work.buckets[b];
    if (end - begin > 24) {
      std::sort(work.sorted.begin() + begin, work.sorted.begin() + end, less);
    } else {
      for (std::uint32_t i = begin + 1; i < end; ++i) {
        const Work::Entry entry = work.sorted[i];
        std::uint32_t at = i;
        for (; at > begin && less(entry, work.sorted[at - 1]); --at)
          work.sorted[at] = work.sorted[at - 1];
        work.sorted[at] = entry;
      }
    }
    begin = end;
  }
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    work.runs.clear();
    while (last < count && work.sorted[last].unit == work.sorted[first].unit &&
           second(work.sorted[last]) == second(work.sorted[first])) {
      const std::size_t start = last;
      while (last < count && work.sorted[last].unit == work.sorted[first].unit &&
             work.sorted[last].group == work.sorted[start].group &&
             second(work.sorted[last]) == second(work.sorted[first]))
        ++last;
      work.runs.push_back({0, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(last)});
    }
    const std::uint64_t unit = work.sorted[first].unit;
    if (work.runs.size() > shape_.max_groups) {
      for (Work::Run& run : work.runs) {
        const std::uint32_t group = work.sorted[run.begin].group;
        if (group >= work.hashes.size()) work.hashes = groups_.hashes();
        run.priority = mix(secret_, unit, work.hashes[group]);
      }
      std::nth_element(
          work.runs.begin(), work.runs.begin() + shape_.max_groups, work.runs.end(),
          [](const Work::Run& a, const Work::Run& b) { return a.priority < b.priority; });
      work.runs.resize(shape_.max_groups);
    }
    for (const Work::Run& run : work.runs) {
      work.rows.clear();
      for (std::uint32_t i = run.begin; i < run.end; ++i)
        work.rows.push_back(records.data() + work.sorted[i].index * stride_);
      std::size_t kept = work.rows.size();
      if (kept > shape_.max_rows) {
        work.hashed.clear();
        const std::uint32_t group = work.sorted[run.begin].group;
        if (group >= work.hashes.size()) work.hashes = groups_.hashes();
        const std::uint64_t seed = mix(secret_, work.hashes[group], unit);
        for (const std::uint64_t* row : work.rows) {
          std::uint64_t hash = seed;
          for (std::size_t s = 0; s < shape_.slots.size(); ++s)
            hash = mix(secret_, hash, row[slots_at_ + s]);
          work.hashed.push_back({hash, row});
        }
        std::nth_element(work.hashed.begin(), work.hashed.begin() + shape_.max_rows,
                         work.hashed.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < work.rows.size(); ++i) work.rows[i] = work.hashed[i].second;
        kept = shape_.max_rows;
      }
      emit(std::span<const std::uint64_t* const>(work.rows), kept);
    }
    first = last;
  }
}

void Bounder::compact(Partition& partition, Work& work) {
  work.survivors.clear();
  for_each_kept(partition.words.span(), work,
                [&](std::span<const std::uint64_t* const> rows, std::size_t kept) {
                  const std::size_t at = work.survivors.size();
                  for (std::size_t i = 0; i < kept; ++i)
                    work.survivors.insert(work.survivors.end(), rows[i], rows[i] + stride_);
                  for (std::size_t i = kept; i < rows.size(); ++i)
                    for (std::size_t word = folds_at_; word < stride_; ++word)
                      work.survivors[at + word] += rows[i][word];  // modulo 2^64
                });
  words_.fetch_sub(partition.words.size() - work.survivors.size(), std::memory_order_relaxed);
  partition.words.replace(work.survivors);
}

void Bounder::accumulate(Sums& sums, std::span<const std::uint64_t* const> rows,
                         std::size_t kept) const {
  const auto group = static_cast<std::uint32_t>(rows[0][unit_words_] & kGroupMask);
  if (group >= sums.units.size()) {
    const std::size_t size = std::max<std::size_t>(group + 1, 2 * sums.units.size());
    sums.units.resize(size);
    for (auto& total : sums.totals) total.resize(size);
  }
  ++sums.units[group];
  const auto slot = [&](std::size_t row, std::size_t s) {
    return static_cast<std::int64_t>(rows[row][slots_at_ + s]);
  };
  const auto fold = [&](std::size_t word) {
    std::uint64_t out = 0;
    for (const std::uint64_t* row : rows) out += row[folds_at_ + word];
    return static_cast<std::int64_t>(out);
  };
  const auto fold_of = [&](std::size_t s) {
    return static_cast<std::size_t>(std::find(fold_slots_.begin(), fold_slots_.end(), s) -
                                    fold_slots_.begin());
  };
  for (std::size_t t = 0; t < shape_.totals.size(); ++t) {
    const Total& total = shape_.totals[t];
    Wide sum = 0;
    switch (total.kind) {
      case Total::Kind::kRows:
        sum += static_cast<Wide>(kept);
        break;
      case Total::Kind::kCount:
        for (std::size_t i = 0; i < kept; ++i) sum += slot(i, *total.slot) != kNothing;
        break;
      case Total::Kind::kSum:
        for (std::size_t i = 0; i < kept; ++i)
          if (const std::int64_t value = slot(i, *total.slot); value != kNothing)
            sum += static_cast<Wide>(value) - total.center;
        break;
      case Total::Kind::kSquares:
        for (std::size_t i = 0; i < kept; ++i)
          if (const std::int64_t value = slot(i, *total.slot); value != kNothing) {
            const Wide off = static_cast<Wide>(value) - total.center;
            sum +=
                (off * off + (total.shift > 0 ? Wide{1} << (total.shift - 1) : 0)) >> total.shift;
          }
        break;
      case Total::Kind::kUnits: {
        bool any = !total.slot;
        for (std::size_t i = 0; i < kept && !any; ++i) any = slot(i, *total.slot) != kNothing;
        sum += any;
        break;
      }
      case Total::Kind::kGroupCount: {
        const std::int64_t rows_in_all =
            total.slot ? fold(2 * fold_of(*total.slot)) : fold(stride_ - folds_at_ - 1);
        if (rows_in_all > 0) sum += std::clamp(rows_in_all, total.low, total.high);
        break;
      }
      case Total::Kind::kGroupSum:
        if (fold(2 * fold_of(*total.slot)) > 0)
          sum += std::clamp(fold(2 * fold_of(*total.slot) + 1), total.low, total.high);
        break;
      case Total::Kind::kGroupMeans:
        sum += fold(2 * fold_of(*total.slot)) > 0;
        break;
      case Total::Kind::kGroupMean:
        if (const std::int64_t n = fold(2 * fold_of(*total.slot)); n > 0)
          sum += std::clamp(fold(2 * fold_of(*total.slot) + 1) / n, total.low, total.high) -
                 total.center;
        break;
      case Total::Kind::kDistinct:
      case Total::Kind::kHistogram:
        for (std::size_t i = 0; i < kept; ++i)
          if (const std::int64_t value = slot(i, *total.slot); value != kNothing)
            sums.pairs[t].push_back({group, value});
        break;
    }
    sums.totals[t][group] += sum;
  }
}

void Bounder::finish_pass(unsigned threads) {
  for (auto& feeder : idle_)
    for (std::size_t p = 0; p < kPartitions; ++p)
      if (feeder->filled[p] > 0) flush(*feeder, p);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  const auto work_on = [&] {
    auto sums = std::make_unique<Sums>();
    sums->totals.resize(shape_.totals.size());
    sums->pairs.resize(shape_.totals.size());
    Work work;
    for (std::size_t p = next++; p < kPartitions; p = next++) {
      Partition& partition = *partitions_[p];
      if (partition.words.empty()) continue;
      for_each_kept(partition.words.span(), work,
                    [&](std::span<const std::uint64_t* const> rows, std::size_t kept) {
                      accumulate(*sums, rows, kept);
                    });
      words_.fetch_sub(partition.words.size(), std::memory_order_relaxed);
      partition.words.free();
      partition.next = earliest_;
    }
    const std::lock_guard lock(mutex);
    sums_.push_back(std::move(sums));
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work_on);
  work_on();
  for (std::thread& other : others) other.join();
}

Contributions Bounder::finish() {
  const std::size_t count = groups_.size();
  // By key, not by arrival; public groups as they were listed.
  std::vector<std::uint32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0);
  if (!groups_.closed())
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return groups_.key(a) < groups_.key(b); });
  Contributions::Parts out;
  out.units.resize(count);
  out.pairs.resize(shape_.totals.size());
  std::vector<std::vector<Wide>> totals(shape_.totals.size(), std::vector<Wide>(count));
  for (std::size_t i = 0; i < count; ++i) {
    place[order[i]] = static_cast<std::uint32_t>(i);
    out.keys.push_back(groups_.key(order[i]));
  }
  for (const auto& sums : sums_) {
    for (std::size_t g = 0; g < std::min(count, sums->units.size()); ++g) {
      out.units[place[g]] += sums->units[g];
      for (std::size_t t = 0; t < totals.size(); ++t) totals[t][place[g]] += sums->totals[t][g];
    }
    for (std::size_t t = 0; t < totals.size(); ++t)
      for (const auto& [group, value] : sums->pairs[t])
        out.pairs[t].push_back({place[group], value});
  }
  for (std::size_t t = 0; t < totals.size(); ++t) {
    auto& pairs = out.pairs[t];
    std::sort(pairs.begin(), pairs.end());
    if (shape_.totals[t].kind == Total::Kind::kDistinct) {
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
      for (const auto& pair : pairs) ++totals[t][pair.first];
    }
    std::vector<std::int64_t> exact;
    for (const Wide value : totals[t]) exact.push_back(saturate(value));
    out.totals.push_back(std::move(exact));
  }
  return Contributions(std::move(out));
}

}  // namespace discreet::bound
