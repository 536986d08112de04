// What the bytes of a CSV file mean. How bytes become rows is part of the privacy path: a person's
// record may hold anything, and taking it out of the file must leave every other record as it was.
//
//   #include "discreet/engine/duckdb/csv_blocks.h"
//   CsvBlocks blocks({"visits.csv"}, ',', {});
//   CsvRecords records({',', 3, {0, 2}});  // of three columns the first and the last
//   for (Block block; blocks.next(block);) {
//     records.begin(block.text());
//     while (const Fields* fields = records.next()) (*fields)[1].text();
//   }
//
// The rules. A *line* ends in LF or at the end of the file; carriage returns before that are
// dropped. A *record* starts where a line does and goes to the first end of a line that isn't in
// quotes. A field that starts with a quote (blanks before it are dropped) goes to the next quote
// that isn't doubled, over delimiters and line breaks; behind it only blanks, the delimiter or the
// end of the line may stand. Any other field goes to the next delimiter or the end of the line, and
// quotes in it are text (5" pipe). CsvWalk is that automaton.
//
// Where the walk meets text behind a closing quote, or the end of the file in quotes, there is no
// record: the *first line* is passed over, and the next line is looked at in the same way. A field
// is NULL if it is empty, quoted or not. Records of fewer fields than the header, empty lines, and
// records that are not UTF-8 are no rows; fields beyond the header's are ignored; NUL is a byte
// like others.
//
// What is proved: if every record of a file is well formed (the automaton walks it from its start
// to its end), then removing any set of records leaves each of the others byte for byte. For: a
// walk starts in the same state at every record's start and sees nothing but the bytes from there
// on; a well-formed record's walk ends at its own end, where the next one starts. By induction over
// the records the reader's borders are the file's, with or without the others. This holds whatever
// the length (a record too long to be kept is still walked to its end) and wherever blocks are cut
// (they are cut at those borders only).
//
// A record that is not well formed, and whose walk fails, costs its first line; its other lines are
// judged each for itself, and the records behind it are read as if it were not there. What can't be
// told is a quote that is never closed and that the text behind it happens to close well: `1,"a`
// before `2,b"` is one record by the same rules, and takes its neighbour's line along. A program
// that writes quoted fields as RFC 4180 says makes no such record, whatever people type.
//
// The work is linear. Let a walk that started in line X fail at f. At every line break between X
// and f it was in quotes, for else its record would have ended there. "In quotes" has no memory, so
// any later walk that is in quotes at a line break before f goes on as that one did and fails at f
// too. It is enough to remember f (`doomed`): up to there, a record is its line or nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/engine/duckdb/fields.h"

namespace discreet::engine::duckdb {

// A record from its start on, in pieces: the borders, not the fields.
class CsvWalk {
 public:
  enum class State { kWithin, kRecord, kBroken };

  explicit CsvWalk(char delimiter) : delimiter_(delimiter) {}
  // Walks on to `end`, or leaves `p` behind the record (kRecord) or where it breaks (kBroken). A
  // line break in quotes before `doomed` breaks it there.
  State walk(const char*& p, const char* end, const char* doomed);
  // At the end of the file.
  State finish() const { return place_ == Place::kQuoted ? State::kBroken : State::kRecord; }

 private:
  enum class Place { kStart, kPlain, kQuoted, kQuote, kBehind };
  char delimiter_;
  Place place_ = Place::kStart;
};

// One step from a border to the next one. Nothing: the bytes don't tell. If they are the file's
// `last` they always do.
struct CsvStep {
  const char* next;
  bool is_record;  // or a line to be passed over
};
std::optional<CsvStep> csv_step(const char* p, const char* end, bool last, char delimiter,
                                const char*& doomed);

// The fields of one well-formed record, behind which kPadding bytes stand.
std::vector<std::string> csv_fields(std::string_view record, char delimiter);

struct CsvForm {
  char delimiter;
  std::size_t columns;              // of the header
  std::vector<std::size_t> wanted;  // their places, in any order, each once
};

// The rows of a block. A walk that doesn't end within its block is broken, since blocks end at
// borders.
class CsvRecords {
 public:
  explicit CsvRecords(const CsvForm& form);
  // kPadding bytes stand behind the text.
  void begin(std::string_view block);
  // The next row's wanted fields, which stay until the next call; null: there are no more.
  const Fields* next();

 private:
  void put(std::size_t column, const char* from, const char* to);
  bool plain_line();
  bool quoted_record(const char* end);
  const char delimiter_;
  const std::size_t columns_;
  std::vector<std::size_t> place_;  // by column: where it goes in fields_, or kNowhere
  Fields fields_;
  std::string unquoted_;
  const char *at_ = nullptr, *end_ = nullptr, *quote_ = nullptr, *doomed_ = nullptr;
  bool is_text_ = true;  // the whole block is UTF-8
};

}  // namespace discreet::engine::duckdb
