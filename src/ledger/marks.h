// The names of a source beside the one that a policy writes. A path is given up by renaming the
// file; what stays is its inode, or where it was copied, its bytes. A table that is renamed, or
// moved to another schema, keeps its number.
//
//   Terms terms;
//   terms.files = {"/data/visits.parquet"};
//   std::vector<Mark> marks = marks_of(terms, "a secret of 32 bytes");
//
// A mark only ever joins: where another ledger guards a source with an equal one, both are the same
// budget. One that differs says nothing, so a file that was appended to, or replaced, keeps its
// budget by the names that it still has, and every mark it ever had stays with its ledger.
//
// Bytes are known by a keyed digest of the file's size, its first and its last 16 KiB (a Parquet
// file's footer, all of a small file) and the checksums of a DuckDB file's blocks. The key is the
// registry's and secret: without it a digest that is seen somewhere would tell who guesses a file's
// rows whether the guess is right. And since rows decide about it, it is asked only where a source
// is new to a ledger, which is the owner's doing: a question about a source that its ledger knows
// is never refused for what is in the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/ledger/ledger.h"

namespace discreet::ledger {

struct Mark {
  enum class Of { kFile, kContent, kTable };
  Of of = Of::kFile;
  std::string source;  // of which it is a mark, as Terms::sources names it
  std::string name;
};

// Without a key: nothing about contents. A file that isn't there, or can't be read, has no marks.
std::vector<Mark> marks_of(const Terms& terms, const std::optional<std::string>& key);

// The inode's mark of what lies there now; empty: no file. Inodes are used again after a file was
// removed, so the moment of its creation belongs to it, where the file system knows it.
std::string inode_mark(const std::string& path);

}  // namespace discreet::ledger
