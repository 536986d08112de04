#include "discreet/bound/bounder.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <system_error>
#include <thread>

#include "discreet/bound/choice.h"
#include "discreet/bound/group_cache.h"
#include "discreet/bound/held.h"

namespace discreet::bound {
namespace {

// Enough partitions that one of them, with the tables of its choice, stays in a core's own cache.
constexpr std::size_t kPartitionBits = 10, kPartitions = std::size_t{1} << kPartitionBits;
// Records from which on equal rows of a partition are held once, where memory allows so many.
constexpr std::size_t kEarliest = 16'384;
// Rows are taken in pieces whose records stay in the nearest cache while they are written.
constexpr std::size_t kPiece = 256;

}  // namespace

struct Bounder::Partition {
  std::mutex mutex;
  std::vector<Chunk> chunks;
  std::size_t records = 0, next = 0;  // equal ones are looked for once it has `next`
  bool is_sorted = false;             // its units stand together

  void forget(std::size_t earliest) {
    chunks.clear();
    records = 0;
    next = earliest;
  }
};

// One thread's way in: rows become records in chunks of its own, one being filled for each
// partition.
class Bounder::Feeder {
 public:
  explicit Feeder(Bounder& owner)
      : by_unit(owner.layout_),
        choice(owner.shape_, owner.layout_, owner.secret_, owner.groups_),
        owner_(owner),
        cache_(owner.groups_, owner.shape_.keys),
        filling_(kPartitions),
        learners_(owner.shape_.slots.size()) {}

  void add(const Batch& batch);
  // Hands over all that is left.
  void finish();
  void forget() { std::fill(filling_.begin(), filling_.end(), Filling{}); }

  ByUnit by_unit;
  Choice choice;

 private:
  struct Filling {
    std::uint64_t *at = nullptr, *end = nullptr;
  };
  void add_piece(const Batch& batch, std::size_t begin, std::size_t end);
  void number_units(const Batch& batch, std::size_t begin, std::size_t end);
  void take_chunk(std::size_t partition);
  // Room for one more record.
  std::uint64_t* place(std::size_t partition) {
    Filling& filling = filling_[partition];
    if (filling.at == filling.end) [[unlikely]]
      take_chunk(partition);
    std::uint64_t* record = filling.at;
    filling.at += owner_.layout_.stride;
    return record;
  }
  void write_slot(const Column& column, std::size_t slot);

  Bounder& owner_;
  GroupCache cache_;
  std::vector<Filling> filling_;
  std::vector<std::pair<std::size_t, Chunk>> full_;
  std::vector<Learner> learners_;  // by slot
  // Of one piece: everything by row, then of the rows that are taken where they are and where they
  // go.
  std::array<std::uint32_t, kPiece> groups_{};
  std::array<std::uint64_t, kPiece> units_{}, seconds_{};
  std::array<std::uint32_t, kPiece> rows_{};
  std::array<std::uint64_t*, kPiece> records_{};
  std::size_t taken_ = 0;
};

Bounder::Bounder(Shape shape, const Secret& secret, std::size_t memory)
    : shape_(std::move(shape)),
      secret_(secret),
      layout_(shape_),
      text_hash_(secret.words[0], secret.words[1]),
      groups_(secret),
      words_(shape_.slots.size()),
      chunks_(layout_.stride, memory),
      // all partitions at their first limit take half of the memory
      earliest_(
          std::clamp<std::size_t>(memory / (8 * 2 * kPartitions * layout_.stride), 64, kEarliest)),
      marks_(marks_clamped(shape_)),
      partitions_(kPartitions),
      sums_(make_adder(shape_, {}, secret_, groups_)) {
  for (Partition& partition : partitions_) partition.next = earliest_;
}

Bounder::~Bounder() = default;

void Bounder::start_pass(std::uint32_t pass, std::uint32_t passes) {
  pass_ = pass;
  passes_ = passes;
}

void Bounder::forget_rows() {
  for (Partition& partition : partitions_) partition.forget(earliest_);
  for (auto& feeder : idle_) feeder->forget();
  chunks_.take_back_all();
  searched_ = dropped_ = handed_over_ = 0;
  full_ = false;
}

void Bounder::clear() {
  forget_rows();
  sums_ = make_adder(shape_, {}, secret_, groups_);
  full_ = false;
}

void Bounder::add(const Batch& batch) {
  if (!fits()) return;
  std::unique_ptr<Feeder> feeder;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      feeder = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!feeder) {
    feeder = std::make_unique<Feeder>(*this);
    ++feeders_;
  }
  feeder->add(batch);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(feeder));
}

// Of the chunks that nobody is filling: each feeder has one open for each partition, however few
// rows there are. Nothing is said before it is known that equal rows are few.
std::optional<double> Bounder::share_full() const {
  if (!finds_few_equal_rows()) return {};
  const std::size_t open = feeders_ * kPartitions;
  const auto beyond = [open](std::size_t chunks) {
    return chunks > open ? static_cast<double>(chunks - open) : 0.0;
  };
  return beyond(chunks_.taken()) / std::max(1.0, beyond(chunks_.most()));
}

void Bounder::Feeder::add(const Batch& batch) {
  for (std::size_t begin = 0; begin < batch.rows; begin += kPiece) {
    add_piece(batch, begin, std::min(batch.rows, begin + kPiece));
    // Only now are the records of this piece written whole.
    for (const auto& [partition, chunk] : full_) owner_.hand_over(partition, chunk, *this);
    full_.clear();
    if (!owner_.chunks_.within_limit()) owner_.full_ = true;
  }
}

void Bounder::Feeder::finish() {
  const std::size_t stride = owner_.layout_.stride, capacity = owner_.chunks_.capacity();
  for (std::size_t p = 0; p < kPartitions; ++p) {
    Filling& filling = filling_[p];
    if (!filling.at) continue;
    const auto left = static_cast<std::size_t>(filling.end - filling.at) / stride;
    owner_.hand_over(
        p, {filling.end - capacity * stride, static_cast<std::uint32_t>(capacity - left)}, *this);
    filling = {};
  }
}

// The chunk of a partition is full, or there is none yet.
void Bounder::Feeder::take_chunk(std::size_t partition) {
  Filling& filling = filling_[partition];
  const std::size_t stride = owner_.layout_.stride, capacity = owner_.chunks_.capacity();
  if (filling.at)
    full_.push_back(
        {partition, {filling.end - capacity * stride, static_cast<std::uint32_t>(capacity)}});
  filling.at = owner_.chunks_.take();
  filling.end = filling.at + capacity * stride;
}

void Bounder::Feeder::number_units(const Batch& batch, std::size_t begin, std::size_t end) {
  if (owner_.shape_.text_units) {
    for (std::size_t row = begin; row < end; ++row)
      if (batch.unit.valid(row))
        units_[row - begin] = Priority::word(owner_.secret_, owner_.text_hash_,
                                             batch.unit.text[row].view(), seconds_[row - begin]);
  } else {
    for (std::size_t row = begin; row < end; ++row)
      units_[row - begin] = Priority::word(owner_.secret_, batch.unit.whole[row]);
  }
}

void Bounder::Feeder::add_piece(const Batch& batch, std::size_t begin, std::size_t end) {
  const Layout& layout = owner_.layout_;
  cache_.number(batch, begin, std::span(groups_).first(end - begin));
  number_units(batch, begin, end);
  taken_ = 0;
  const bool takes_all = !batch.unit.validity && owner_.passes_ == 1 && !owner_.groups_.closed();
  for (std::size_t i = 0; i < end - begin; ++i) {
    const std::uint64_t unit = units_[i];
    if (groups_[i] == kNoGroup) continue;
    if (!takes_all) {
      // Which of the passes a unit is in: its last bits, as a share of all they can be.
      const bool other_pass = ((unit & 0xffffffffu) * owner_.passes_ >> 32) != owner_.pass_;
      if (!batch.unit.valid(begin + i) || other_pass) continue;
    }
    records_[taken_] = place(unit >> (64 - kPartitionBits));
    __builtin_prefetch(records_[taken_], 1);
    rows_[taken_++] = static_cast<std::uint32_t>(begin + i);
  }
  for (std::size_t i = 0; i < taken_; ++i) {
    std::uint64_t* record = records_[i];
    const std::size_t row = rows_[i] - begin;
    record[0] = units_[row];
    if (layout.unit_words == 2) record[1] = seconds_[row];
    record[layout.unit_words] = groups_[row] | Layout::kOne;
  }
  for (std::size_t s = 0; s < layout.slots; ++s) write_slot(batch.slots[s], s);
}

void Bounder::Feeder::write_slot(const Column& column, std::size_t which) {
  const Slot& slot = owner_.shape_.slots[which];
  const std::size_t at = owner_.layout_.slots_at + which;
  const auto write = [&](auto&& value) {
    for (std::size_t i = 0; i < taken_; ++i)
      records_[i][at] =
          static_cast<std::uint64_t>(column.valid(rows_[i]) ? value(rows_[i]) : kNothing);
  };
  const auto write_all = [&](auto&& word) {
    for (std::size_t i = 0; i < taken_; ++i)
      records_[i][at] = static_cast<std::uint64_t>(word(rows_[i]));
  };
  if (slot.kind == Slot::Kind::kFlag) {
    write([](std::uint32_t) { return std::int64_t{1}; });
  } else if (slot.kind == Slot::Kind::kReal) {
    const auto bits = [&](std::uint32_t row) { return held_bits(column.real[row]); };
    if (!column.validity) return write_all(bits);
    write_all([&](std::uint32_t row) { return column.valid(row) ? bits(row) : kHeldNothing; });
  } else if (column.kind == Column::Kind::kReal) {
    const Grid grid(slot);
    if (slot.kind == Slot::Kind::kNumber && !column.validity) {
      write_all([&](std::uint32_t row) { return grid.number(column.real[row]); });
    } else {
      write([&](std::uint32_t row) { return grid(column.real[row]); });
    }
    if (owner_.marks_ && slot.kind != Slot::Kind::kScale)
      for (std::size_t i = 0; i < taken_; ++i)
        if (column.valid(rows_[i]) && grid.clamps(column.real[rows_[i]]))
          records_[i][owner_.layout_.unit_words] |= Layout::kClamped;
  } else if (column.kind == Column::Kind::kText) {
    write([&](std::uint32_t row) {
      const std::string_view text = column.text[row].view();
      auto hash =
          static_cast<std::int64_t>(Priority::text(owner_.secret_, owner_.text_hash_, text));
      if (hash == kNothing) hash = 0;
      if (slot.kind == Slot::Kind::kWord) learners_[which].learn(owner_.words_[which], hash, text);
      return hash;
    });
  } else {
    write([&](std::uint32_t row) {
      return slot.kind == Slot::Kind::kChoice
                 ? std::clamp<std::int64_t>(column.whole[row], 0, slot.leaves - 1)
                 : column.whole[row];
    });
  }
}

void Bounder::hand_over(std::size_t which, Chunk chunk, Feeder& feeder) {
  Partition& partition = partitions_[which];
  const std::lock_guard lock(partition.mutex);
  partition.chunks.push_back(chunk);
  partition.is_sorted = false;
  partition.records += chunk.records;
  handed_over_ += chunk.records;
  if (partition.records >= partition.next) {
    if (may_have_equal_rows(partition)) compact(partition, feeder);
    // Again when it has tripled: each row is looked at a bounded number of times.
    partition.next = std::max(earliest_, 3 * partition.records);
  }
}

// Where the first partitions had hardly any, the others are not searched; but always one that is
// much larger than they are, as one with a single unit that has most of the rows.
bool Bounder::may_have_equal_rows(const Partition& partition) const {
  constexpr std::size_t kMuchLarger = 4;
  return !finds_few_equal_rows() || partition.records * kPartitions > kMuchLarger * handed_over_;
}

bool Bounder::finds_few_equal_rows() const {
  constexpr std::size_t kEnough = std::size_t{1} << 18;
  return searched_ >= kEnough && 8 * dropped_ < searched_;
}

// Holds equal rows once. Nothing is dropped: which rows stay depends on how often each occurs, and
// only the end knows that.
void Bounder::compact(Partition& partition, Feeder& feeder) {
  std::vector<Chunk> survivors;
  std::size_t records = 0;
  const auto keep = [&](ByUnit::Record row, std::uint32_t copies) {
    if (survivors.empty() || survivors.back().records == chunks_.capacity())
      survivors.push_back({chunks_.take(), 0});
    std::uint64_t* to = survivors.back().words + survivors.back().records++ * layout_.stride;
    std::copy(row, row + layout_.stride, to);
    layout_.set_copies(to, copies);
    ++records;
  };
  feeder.by_unit.sort(partition.chunks);
  feeder.by_unit.each([&](ByUnit::Record first, std::size_t rows) {
    feeder.choice.each_different(first, rows, keep);
  });
  searched_ += partition.records;
  dropped_ += partition.records - records;
  for (const Chunk& chunk : partition.chunks) chunks_.give_back(chunk.words);
  partition.chunks = std::move(survivors);
  partition.records = records;
}

// Calls visit(partition, by_unit, adder) for each partition with rows, in threads of their own.
template <class Visit>
void Bounder::add_partitions(Adder& all, const Shape& shape, const std::optional<HeldAs>& held,
                             unsigned threads, const Visit& visit) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failed;
  const auto add = [&] {
    const auto adder = make_adder(shape, held, secret_, groups_);
    ByUnit by_unit(layout_);
    for (std::size_t p = next++; p < kPartitions; p = next++)
      if (partitions_[p].records > 0) visit(partitions_[p], by_unit, *adder);
    const std::lock_guard lock(mutex_);
    all.merge(*adder);
  };
  // Where memory ends, it ends as elsewhere, and not with the process.
  const auto work = [&] {
    try {
      add();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  for (unsigned i = 1; i < threads; ++i) {
    try {
      others.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads: fewer do
      break;
    }
  }
  work();
  for (std::thread& other : others) other.join();
  if (failed) std::rethrow_exception(failed);
}

void Bounder::finish_pass(unsigned threads) {
  hand_over_rest();
  add_partitions(
      *sums_, shape_, {}, threads, [&](Partition& partition, ByUnit& by_unit, Adder& adder) {
        by_unit.sort(partition.chunks);
        by_unit.each([&](ByUnit::Record first, std::size_t rows) { adder.add(first, rows); });
        partition.forget(earliest_);
      });
  if (pass_ + 1 < passes_) {
    chunks_.take_back_all();
  } else {
    chunks_.free_all();
  }
}

Contributions Bounder::finish() {
  Added added = sums_->finish();
  for (const Words& words : words_) added.words.push_back(words.all());
  return sorted_contributions(groups_, shape_, std::move(added));
}

void Bounder::hand_over_rest() {
  for (auto& feeder : idle_) feeder->finish();
}

Bounder::Sum::Sum(Bounder& held, Shape shape, std::vector<std::size_t> places)
    : held_(held),
      shape_(std::move(shape)),
      places_(std::move(places)),
      as_{held.shape_, places_},
      all_(make_adder(shape_, as_, held.secret_, held.groups_)) {}

void Bounder::Sum::add(unsigned threads) {
  held_.hand_over_rest();
  held_.add_partitions(
      *all_, shape_, as_, threads, [](Partition& partition, ByUnit& by_unit, Adder& adder) {
        if (partition.is_sorted) {
          by_unit.take(partition.chunks);
        } else {
          by_unit.sort(partition.chunks);
          by_unit.put_back(partition.chunks);
          partition.is_sorted = true;
        }
        by_unit.each([&](ByUnit::Record first, std::size_t rows) { adder.add(first, rows); });
      });
}

Contributions Bounder::Sum::finish() {
  Added added = all_->finish();
  for (std::size_t s = 0; s < shape_.slots.size(); ++s)
    added.words.push_back(shape_.slots[s].kind == Slot::Kind::kWord ? held_.words_[places_[s]].all()
                                                                    : WordList());
  return sorted_contributions(held_.groups_, shape_, std::move(added));
}

}  // namespace discreet::bound
