#include "discreet/engine/duckdb/csv.h"

#include <algorithm>
#include <utility>

#include "discreet/base/utf8.h"
#include "discreet/engine/duckdb/scan.h"

namespace discreet::engine::duckdb {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// Takes a record that was walked to its end apart: each(column, from, to) for its fields, until one
// is enough. How many there were.
template <class Each>
std::size_t split(std::string_view record, char delimiter, std::string& unquoted, Each each) {
  if (record.ends_with('\n')) record.remove_suffix(1);
  while (record.ends_with('\r')) record.remove_suffix(1);
  const char *p = record.data(), *const end = p + record.size();
  if (unquoted.size() < record.size() + kPadding) unquoted.resize(record.size() + kPadding);
  char* out = unquoted.data();
  for (std::size_t column = 0;; ++p) {
    const char *from = p, *to = p, *open = p;
    while (open < end && *open == ' ') ++open;
    if (open < end && *open == '"') {
      from = open + 1;
      to = find_near(from, end, '"');
      p = to + 1;
      if (p < end && *p == '"') {  // doubled ones: its text stands nowhere as it is
        const char* piece = std::exchange(from, out);
        for (;;) {
          out = std::copy(piece, p, out);
          piece = p + 1;
          const char* quote = find_near(piece, end, '"');
          p = quote + 1;
          if (p < end && *p == '"') continue;
          to = out = std::copy(piece, quote, out);
          break;
        }
      }
      while (p < end && *p != delimiter) ++p;  // blanks
    } else {
      to = p = find_near(p, end, delimiter);
    }
    if (!each(column++, from, to) || p >= end) return column;
  }
}

}  // namespace

CsvWalk::State CsvWalk::walk(const char*& p, const char* end, const char* doomed) {
  while (p < end) {
    switch (place_) {
      case Place::kPlain:
        p = find_either(p, end, delimiter_, '\n');
        if (p == end) return State::kWithin;
        if (*p++ == '\n') return State::kRecord;
        place_ = Place::kStart;
        break;
      case Place::kStart:
        if (*p == '"') {
          place_ = Place::kQuoted;
          ++p;
        } else if (*p == ' ') {
          ++p;
        } else {
          place_ = Place::kPlain;
        }
        break;
      case Place::kQuoted: {
        const char* to = find_near(p, end, '"');
        if (p < doomed)
          if (const char* line = find(p, std::min(to, doomed), '\n')) {
            p = line;
            return State::kBroken;
          }
        p = to;
        if (p == end) return State::kWithin;
        place_ = Place::kQuote;
        ++p;
        break;
      }
      case Place::kQuote:
        if (*p == '"') {
          place_ = Place::kQuoted;
          ++p;
          break;
        }
        [[fallthrough]];
      case Place::kBehind:
        if (*p == delimiter_) {
          place_ = Place::kStart;
        } else if (*p == ' ' || *p == '\r') {
          place_ = Place::kBehind;
        } else if (*p == '\n') {
          ++p;
          return State::kRecord;
        } else {
          return State::kBroken;
        }
        ++p;
    }
  }
  return State::kWithin;
}

std::optional<CsvStep> csv_step(const char* p, const char* end, bool last, char delimiter,
                                const char*& doomed) {
  CsvWalk walk(delimiter);
  const char* to = p;
  CsvWalk::State state = walk.walk(to, end, doomed);
  if (state == CsvWalk::State::kWithin) {
    if (!last) return std::nullopt;
    state = walk.finish();
  }
  if (state == CsvWalk::State::kRecord) return CsvStep{to, true};
  doomed = std::max(doomed, to);
  const char* line = find(p, end, '\n');
  if (!line && !last) return std::nullopt;
  return CsvStep{line ? line + 1 : end, false};
}

CsvRecords::CsvRecords(const CsvForm& form)
    : delimiter_(form.delimiter), columns_(form.columns), place_(form.columns, kNowhere) {
  for (std::size_t i = 0; i < form.wanted.size(); ++i) place_[form.wanted[i]] = i;
  fields_.resize(form.wanted.size());
}

void CsvRecords::begin(std::string_view block) {
  at_ = quote_ = doomed_ = block.data();
  end_ = at_ + block.size();
  is_text_ = is_utf8(block);
  quote_ = find(at_, end_, '"');
  if (!quote_) quote_ = end_;
}

void CsvRecords::put(std::size_t column, const char* from, const char* to) {
  const std::size_t place = place_[column];
  if (place == kNowhere) return;
  fields_[place] = from == to ? Field{} : Field{from, static_cast<std::size_t>(to - from)};
}

const Fields* CsvRecords::next() {
  while (at_ < end_) {
    const char* const start = at_;
    bool row = false;
    // A line without a quote before its end is split as it stands.
    if (plain_line()) {
      row = true;
    } else if (at_ == start) {
      const CsvStep step = *csv_step(start, end_, true, delimiter_, doomed_);
      row = step.is_record && quoted_record(step.next);
      at_ = step.next;
      if (quote_ < at_) {
        quote_ = find(at_, end_, '"');
        if (!quote_) quote_ = end_;
      }
    }
    if (row && !is_text_) row = is_utf8({start, static_cast<std::size_t>(at_ - start)});
    if (row) return &fields_;
  }
  return nullptr;
}

// True: a row, and at_ is behind it. False with at_ moved: a line that is no row. False without:
// there is a quote in the line.
bool CsvRecords::plain_line() {
  const char* p = at_;
  std::size_t column = 0;
  for (;; ++column) {
    const char* stop = find_either(p, quote_, delimiter_, '\n');
    if (stop == quote_ && quote_ != end_) return false;
    const bool ends = stop == end_ || *stop == '\n';
    if (column + 1 == columns_) {
      // Whatever more there is on the line is passed over.
      const char* line = ends ? stop : find(stop, quote_, '\n');
      if (!line) {
        if (quote_ != end_) return false;
        line = end_;
      }
      while (ends && stop > p && stop[-1] == '\r') --stop;
      put(column, p, stop);
      const bool empty = stop == at_;
      at_ = line == end_ ? end_ : line + 1;
      return !empty;
    }
    put(column, p, stop);
    if (ends) {  // too few
      at_ = stop == end_ ? end_ : stop + 1;
      return false;
    }
    p = stop + 1;
  }
}

bool CsvRecords::quoted_record(const char* end) {
  return split({at_, static_cast<std::size_t>(end - at_)}, delimiter_, unquoted_,
               [&](std::size_t column, const char* from, const char* to) {
                 put(column, from, to);
                 return column + 1 < columns_;
               }) >= columns_;
}

std::vector<std::string> csv_fields(std::string_view record, char delimiter) {
  std::vector<std::string> out;
  std::string unquoted;
  split(record, delimiter, unquoted, [&](std::size_t, const char* from, const char* to) {
    out.emplace_back(from, to);
    return true;
  });
  return out;
}

}  // namespace discreet::engine::duckdb
