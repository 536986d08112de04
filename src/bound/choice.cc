#include "discreet/bound/choice.h"

#include <algorithm>
#include <utility>

namespace discreet::bound {

// Numbers the unit's groups from 0 on as they come, and counts their rows. No branch depends on
// whether a group is new.
std::size_t Choice::find_groups(Record first, std::size_t count) {
  constexpr std::uint32_t kFewGroups = 1U << 16;
  if (place_.size() < count) place_.resize(count + count / 2);
  const std::size_t most = std::min(count, groups_.size());
  if (group_.size() <= most) {
    const std::size_t room = most + most / 2 + 1;
    for (auto* each : {&group_, &records_, &next_, &step_, &ranked_}) each->resize(room);
    rows_.resize(room);
    hashes_of_.resize(room);
  }
  std::uint32_t found = 0;
  const auto forget = [&] {
    for (std::uint32_t f = 0; f < found; ++f) number_[group_[f]] = 0;
  };
  Record row = first;
  records_[0] = 0;
  rows_[0] = 0;
  for (std::size_t i = 0; i < count; ++i, row += layout_.stride) {
    const std::uint32_t group = layout_.group(row);
    if (group >= number_.size()) {
      if (group >= kFewGroups) {
        forget();
        return find_by_sorting(first, count);
      }
      number_.resize(kFewGroups);
    }
    const std::uint32_t known = number_[group];
    group_[found] = group;
    found += known == 0 ? 1 : 0;
    records_[found] = 0;  // of the next
    rows_[found] = 0;
    const std::uint32_t number = known == 0 ? found : known;
    number_[group] = number;
    place_[i] = number - 1;
    ++records_[number - 1];
    rows_[number - 1] += layout_.copies(row);
  }
  forget();
  return found;
}

// … where there are more groups than a table would hold in a core's cache.
std::size_t Choice::find_by_sorting(Record first, std::size_t count) {
  sorted_.clear();
  for (std::size_t i = 0; i < count; ++i)
    sorted_.push_back({layout_.group(first + i * layout_.stride), static_cast<std::uint32_t>(i)});
  std::sort(sorted_.begin(), sorted_.end());
  std::size_t found = 0;
  for (const auto& [group, i] : sorted_) {
    if (found == 0 || group_[found - 1] != group) {
      group_[found] = group;
      records_[found] = 0;
      rows_[found] = 0;
      ++found;
    }
    place_[i] = static_cast<std::uint32_t>(found - 1);
    ++records_[found - 1];
    rows_[found - 1] += layout_.copies(first + i * layout_.stride);
  }
  return found;
}

// Which of them stay: those with the smallest hash. Their places come first in ranked_.
std::size_t Choice::choose_groups(std::uint64_t unit, std::size_t found) {
  for (std::size_t f = 0; f < found; ++f) ranked_[f] = static_cast<std::uint32_t>(f);
  if (found <= shape_.max_groups) return found;
  group_hash(
      *std::max_element(group_.begin(), group_.begin() + static_cast<std::ptrdiff_t>(found)));
  for (std::size_t f = 0; f < found; ++f) hashes_of_[f] = priority_.group(unit, hashes_[group_[f]]);
  const std::size_t most = shape_.max_groups;
  constexpr std::size_t kFew = 8;
  if (most > kFew) {
    // Groups whose hashes meet are two groups all the same, in the order of their numbers.
    std::nth_element(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(most),
                     ranked_.begin() + static_cast<std::ptrdiff_t>(found),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return hashes_of_[a] != hashes_of_[b] ? hashes_of_[a] < hashes_of_[b]
                                                             : group_[a] < group_[b];
                     });
    return most;
  }
  // The smallest, then the next. The search has no branch that a processor would have to guess.
  for (std::size_t done = 0; done < most; ++done) {
    std::uint64_t least = hashes_of_[done];
    std::size_t best = done;
    for (std::size_t f = done + 1; f < found; ++f) {
      const std::uint64_t hash = hashes_of_[f];
      bool less = hash < least;
      if (hash == least) [[unlikely]]
        less = group_[ranked_[f]] < group_[ranked_[best]];
      least = less ? hash : least;
      best = less ? f : best;
    }
    std::swap(hashes_of_[done], hashes_of_[best]);
    std::swap(ranked_[done], ranked_[best]);
  }
  return most;
}

// The rows of the groups that stay, group by group.
void Choice::add_rows(Record first, std::size_t count, std::size_t found, std::size_t chosen) {
  runs_.resize(chosen);
  std::uint32_t all = 0;
  for (std::size_t c = 0; c < chosen; ++c) {
    const std::uint32_t f = ranked_[c];
    next_[f] = all;
    step_[f] = 1;
    runs_[c] = {all, all + records_[f], rows_[f]};
    all += records_[f];
  }
  // Those of the others go to the same place, one over the other: guessing which they are would
  // take longer.
  for (std::size_t c = chosen; c < found; ++c) {
    next_[ranked_[c]] = all;
    step_[ranked_[c]] = 0;
  }
  if (room_.size() <= all) room_.resize(all + all / 2 + 1);
  Record row = first;
  for (std::size_t i = 0; i < count; ++i, row += layout_.stride) {
    const std::uint32_t f = place_[i], copies = layout_.copies(row);
    room_[next_[f]] = {row, copies, copies};
    next_[f] += step_[f];
  }
  kept_ = std::span(room_).first(all);
}

Chosen Choice::choose(Record first, std::size_t count) {
  Chosen out;
  const std::size_t found = find_groups(first, count);
  for (std::size_t f = 0; f < found; ++f) out.had += rows_[f];
  add_rows(first, count, found, choose_groups(first[0], found));
  for (const Chosen::Run& run : runs_) out.most = std::max(out.most, run.weight);
  if (shape_.weight_bits) {
    weigh(out);
  } else {
    draw(out);
  }
  out.rows = kept_;
  out.runs = runs_;
  return out;
}

// All rows of the groups stay, each with its group's weight. (Until it is known a run has the
// number of its rows there.)
void Choice::weigh(Chosen& out) {
  std::uint64_t rooms = 0;
  for (const Chosen::Run& run : runs_) rooms += weights_.room(run.weight);
  const std::uint64_t share = weights_.share(rooms);
  for (Chosen::Run& run : runs_) run.weight = weights_.weight(share, run.weight);
  out.kept = weights_.kept(rooms);
}

// Whole rows, drawn.
void Choice::draw(Chosen& out) {
  for (Chosen::Run& run : runs_) {
    const std::uint64_t here = std::exchange(run.weight, 1);
    if (here > shape_.max_rows)
      keep(kept_.subspan(run.begin, run.end - run.begin), shape_.max_rows, 1);
    out.kept += std::min<std::uint64_t>(here, shape_.max_rows);
  }
  if (out.kept > shape_.max_total) {
    keep(kept_, shape_.max_total, 2);
    out.kept = shape_.max_total;
  }
}

// Of the unit, the group, the mark and the slots.
std::uint64_t Choice::content_hash(Record row) {
  std::uint64_t hash = priority_.row(row[0], group_hash(layout_.group(row)));
  for (std::size_t s = 0; s < layout_.slots; ++s)
    hash = priority_.with(hash, row[layout_.slots_at + s]);
  return layout_.clamped(row) ? priority_.with(hash, 1) : hash;
}

void Choice::order_by_content(std::span<const Record> rows) {
  order_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    order_[i] = {content_hash(rows[i]), static_cast<std::uint32_t>(i)};
  std::sort(order_.begin(), order_.end());
}

// Keeps `most` of the copies: those with the smallest hash of (content, number among equal ones).
void Choice::keep(std::span<Kept> rows, std::uint64_t most, std::uint64_t purpose) {
  if (rows.size() == 1) {
    rows[0].kept = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows[0].kept, most));
    return;
  }
  among_.clear();
  for (const Kept& one : rows) among_.push_back(one.row);
  order_by_content(among_);
  priorities_.clear();
  std::uint64_t last = 0, number = 0;
  for (const auto& [hash, place] : order_) {
    if (hash != last) number = 0;
    last = hash;
    for (std::uint32_t copy = 0; copy < rows[place].kept; ++copy)
      priorities_.push_back({priority_.copy(hash, purpose, ++number), place});
    rows[place].kept = 0;
  }
  const auto end = priorities_.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(priorities_.begin(), end, priorities_.end());
  for (auto at = priorities_.begin(); at != end; ++at) ++rows[at->second].kept;
}

}  // namespace discreet::bound
