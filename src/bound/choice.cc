#include "discreet/bound/choice.h"

#include <algorithm>
#include <array>

namespace discreet::bound {

// Puts the rows of the groups that this unit keeps first, group by group, and notes them in runs_.
void Choice::choose_groups(std::span<Record> rows) {
  runs_.clear();
  const std::uint64_t unit = rows[0][0];
  const auto priority_of = [&](Record row) {
    return priority_.group(unit, group_hash(layout_.group(row)));
  };
  const auto add_run = [&](std::size_t begin, std::size_t end) {
    runs_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  };
  if (shape_.max_groups == kNoLimit && !priority_.as_an_engine()) {
    every_group(rows, add_run);
    return;
  }
  if (rows.size() <= kFew) {
    choose_few(rows, priority_of, add_run);
    return;
  }
  ranked_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) ranked_[i] = {priority_of(rows[i]), rows[i]};
  std::sort(ranked_.begin(), ranked_.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : layout_.group(a.second) < layout_.group(b.second);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = ranked_[i].second;
  for (std::size_t done = 0; done < rows.size() && runs_.size() < shape_.max_groups;) {
    const std::size_t begin = done;
    while (done < rows.size() && ranked_[done].first == ranked_[begin].first &&
           layout_.group(rows[done]) == layout_.group(rows[begin]))
      ++done;
    add_run(begin, done);
  }
}

// All of them: nothing has to be chosen, and no hash says in which order.
template <class AddRun>
void Choice::every_group(std::span<Record> rows, AddRun&& add_run) {
  const auto group = [&](Record row) { return layout_.group(row); };
  if (rows.size() <= kFew) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Record row = rows[i];
      std::size_t at = i;
      for (; at > 0 && group(rows[at - 1]) > group(row); --at) rows[at] = rows[at - 1];
      rows[at] = row;
    }
  } else {
    std::sort(rows.begin(), rows.end(), [&](Record a, Record b) { return group(a) < group(b); });
  }
  for (std::size_t done = 0; done < rows.size();) {
    const std::size_t begin = done;
    while (done < rows.size() && group(rows[done]) == group(rows[begin])) ++done;
    add_run(begin, done);
  }
}

// The smallest, then the next: quicker than sorting where few are kept of few. The search has no
// branch that a processor would have to guess.
template <class Priority, class AddRun>
void Choice::choose_few(std::span<Record> rows, Priority&& priority_of, AddRun&& add_run) {
  std::array<std::uint64_t, kFew> priorities;
  const std::size_t count = rows.size();
  for (std::size_t i = 0; i < count; ++i) priorities[i] = priority_of(rows[i]);
  for (std::size_t done = 0, groups = 0; done < count && groups < shape_.max_groups; ++groups) {
    std::uint64_t least = priorities[done];
    std::size_t best = done;
    for (std::size_t i = done + 1; i < count; ++i) {
      const bool less = priorities[i] < least;
      least = less ? priorities[i] : least;
      best = less ? i : best;
    }
    const std::size_t begin = done;
    const auto take = [&](std::size_t i) {
      std::swap(rows[i], rows[done]);
      std::swap(priorities[i], priorities[done]);
      ++done;
    };
    take(best);
    for (std::size_t i = std::max(done, best); i < count; ++i)
      if (priorities[i] == least && layout_.group(rows[i]) == layout_.group(rows[begin])) take(i);
    add_run(begin, done);
  }
}

Chosen Choice::choose(std::span<Record> rows) {
  Chosen out;
  for (const Record row : rows) out.had += layout_.copies(row);
  if (rows.size() == 1) {
    runs_.assign(1, {0, 1});
  } else {
    choose_groups(rows);
  }
  kept_.clear();
  if (shape_.weight_bits) {
    weigh(rows, out);
  } else {
    draw(rows, out);
  }
  out.rows = kept_;
  out.runs = runs_;
  return out;
}

// All rows of the groups stay, each with its group's weight.
void Choice::weigh(std::span<const Record> rows, Chosen& out) {
  std::uint64_t rooms = 0;
  for (Chosen::Run& run : runs_) {
    std::uint64_t here = 0;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const std::uint32_t copies = layout_.copies(rows[i]);
      kept_.push_back({rows[i], copies, copies});
      here += copies;
    }
    run.weight = here;  // until it is known how many there are in all
    out.most = std::max(out.most, here);
    rooms += weights_.room(here);
  }
  const std::uint64_t share = weights_.share(rooms);
  for (Chosen::Run& run : runs_) run.weight = weights_.weight(share, run.weight);
  out.kept = weights_.kept(rooms);
}

// Whole rows, drawn.
void Choice::draw(std::span<const Record> rows, Chosen& out) {
  for (const Chosen::Run& run : runs_) {
    std::uint64_t here = 0;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const std::uint32_t copies = layout_.copies(rows[i]);
      kept_.push_back({rows[i], copies, copies});
      here += copies;
    }
    out.most = std::max(out.most, here);
    if (here > shape_.max_rows) {
      keep(std::span(kept_).subspan(run.begin), shape_.max_rows, 1);
      here = shape_.max_rows;
    }
    out.kept += here;
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
