// What CSV bytes mean: the rules by example, and every border there is against a reader that is
// obviously right.
#include "discreet/engine/duckdb/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "discreet/base/utf8.h"
#include "discreet/engine/duckdb/csv_blocks.h"

namespace discreet::engine::duckdb {
namespace {

using std::string;
using Rows = std::vector<std::vector<string>>;

const string kNull = "(nothing)";

// The same rules in the plainest way: all of the file in memory, one character after the other,
// every line tried from its start.
class Reference {
 public:
  Reference(string text, char delimiter) : text_(std::move(text)), delimiter_(delimiter) {}

  // All rows behind the header.
  Rows rows(std::size_t columns) {
    Rows out;
    bool header = true;
    for (std::size_t at = 0; at < text_.size();) {
      std::vector<string> fields;
      std::size_t next = 0;
      const bool record = walk(at, fields, next);
      if (!record) next = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      const string bytes = text_.substr(at, next - at);
      const bool empty = bytes.find_first_not_of("\r\n") == bytes.npos;
      if (!header && record && !empty && fields.size() >= columns && is_utf8(bytes)) {
        fields.resize(columns);
        out.push_back(fields);
      }
      header = false;
      at = next;
    }
    return out;
  }

 private:
  bool ends(std::size_t at) const { return at >= text_.size() || text_[at] == '\n'; }

  bool walk(std::size_t at, std::vector<string>& fields, std::size_t& next) {
    for (;;) {
      string field;
      std::size_t open = at;
      while (open < text_.size() && text_[open] == ' ') ++open;
      if (open < text_.size() && text_[open] == '"') {
        for (at = open + 1;; ++at) {
          if (at >= text_.size()) return false;
          if (text_[at] == '"' && (at + 1 >= text_.size() || text_[at + 1] != '"')) break;
          if (text_[at] == '"') ++at;
          field += text_[at];
        }
        for (++at; at < text_.size() && (text_[at] == ' ' || text_[at] == '\r');) ++at;
        if (!ends(at) && text_[at] != delimiter_) return false;
      } else {
        while (!ends(at) && text_[at] != delimiter_) field += text_[at++];
        if (ends(at))
          while (field.ends_with('\r')) field.pop_back();
      }
      fields.push_back(field.empty() ? kNull : field);
      if (ends(at)) break;
      ++at;
    }
    next = std::min(at, text_.size() - 1) + 1;
    return true;
  }

  const string text_;
  const char delimiter_;
};

class Csv : public ::testing::Test {
 protected:
  void SetUp() override {
    string folder = (std::filesystem::temp_directory_path() / "discreet-csv-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    place_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  string file(const string& text, const string& name = "a.csv") {
    const string path = place_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // The rows, sorted where several threads read.
  static Rows read(Blocks& blocks, std::size_t columns, char delimiter = ',',
                   std::size_t threads = 1) {
    std::vector<Rows> found(threads);
    std::vector<std::thread> readers;
    for (Rows& rows : found)
      readers.emplace_back([&] {
        CsvForm form{delimiter, columns, {}};
        for (std::size_t i = 0; i < columns; ++i) form.wanted.push_back(i);
        CsvRecords records(form);
        for (Block block; blocks.next(block);) {
          records.begin(block.text());
          while (const Fields* fields = records.next()) {
            rows.emplace_back();
            for (const Field& field : *fields)
              rows.back().push_back(field.data ? string(field.text()) : kNull);
          }
        }
      });
    for (std::thread& reader : readers) reader.join();
    EXPECT_FALSE(blocks.failed());
    Rows out;
    for (const Rows& rows : found) out.insert(out.end(), rows.begin(), rows.end());
    if (threads > 1) std::sort(out.begin(), out.end());
    return out;
  }

  Rows rows(const string& text, std::size_t columns = 3, const Cut& cut = {}) {
    CsvBlocks blocks({file(text)}, ',', cut);
    return read(blocks, columns);
  }

  string place_;
};

TEST_F(Csv, Rules) {
  const Rows two = {{"1", "a", "b"}, {"2", "c", "d"}};
  const std::vector<string> last = {"2", "c", "d"};
  struct Case {
    string lines;
    Rows rows;
  };
  for (const Case& one : std::vector<Case>{
           {"1,a,b\n2,c,d\n", two},
           {"1,a,b\n2,c,d", two},
           {"1,a,b\r\n2,c,d\r\n", two},
           {"1,a,b\r\r\n2,c,d\r", two},
           {"1,a,b\n2,c,d\r\n", two},
           {"\n\r\n1,a,b\n\n \n2,c,d\n\n", two},
           {"1,\"a\",b\n2,\"c\",\"d\"\r\n", two},
           {"1, \"a\",b\n2,\"c\" ,  \"d\"  \n", two},
           {"\"1\",\"a\",\"b\"\n\"2\",\"c\",\"d\"", two},
           // Empty is NULL, quoted or not; blanks and the word are text.
           {"1,\"\",\n2,c,d\n", {{"1", kNull, kNull}, last}},
           {",,\n2,c,d\n", {{kNull, kNull, kNull}, last}},
           {" 1 , a ,NULL\n2,c,d\n", {{" 1 ", " a ", "NULL"}, last}},
           // Quotes in fields that don't start with one are text.
           {"1,5\" pipe,b\n2,c,d\n", {{"1", "5\" pipe", "b"}, last}},
           {"1,TV 40\",b\n2,c,d\n", {{"1", "TV 40\"", "b"}, last}},
           {"1,a,TV 40\"\n2,c,d\n", {{"1", "a", "TV 40\""}, last}},
           {"1,a\"\"b,\\\"\n2,c,d\n", {{"1", "a\"\"b", "\\\""}, last}},
           // In quotes everything is, a doubled one is one.
           {"1,\"a,\nb\r\n\",\"\"\"\"\n2,c,d\n", {{"1", "a,\nb\r\n", "\""}, last}},
           {"1,\"\"\"a\"\"\",\" \"\n2,c,d\n", {{"1", "\"a\"", " "}, last}},
           {"1,a\rb,c\n2,c,d\n", {{"1", "a\rb", "c"}, last}},
           // Too short is no row, too long is cut.
           {"1,a\n2,c,d\n", {last}},
           {"1,\"a\"\n2,c,d\n", {last}},
           {"1,a,b,z\n2,c,d\n", two},
           {"1,a,b,\n2,c,d,\"\n,\"\n", two},
           {"1,\"a\",b,\"\n\",\"z\n2,c,d\n3,e,f\n", {last, {"3", "e", "f"}}},
           // Malformed: the first line, and nothing else.
           {"1,\"Bob\" Smith,b\n2,c,d\n", {last}},
           {"1,\"a\\\"b\",c\n2,c,d\n", {last}},
           {"1,\"never closed,b\n2,c,d\n", {last}},
           {"1,\"never closed,b\n2,c,d", {last}},
           {"1,\"open,b\n1,\"open,b\n1,\"open,b\n2,c,d\n", {last}},
           {"1,\"open,b\n2,\"c\",\"d\"\n", {last}},
           {"\"\n2,c,d\n", {last}},
           // As documented: closed by what follows.
           {"1,\"a,b\n2,c,d\"\n3,e,f\n", {{"3", "e", "f"}}},
           // No text.
           {"1,\xff,b\n2,c,d\n", {last}},
           {"1,a,\"\xc3\"\n2,c,d\n", {last}},
           {"1,a,b,\xed\xa0\x80\n2,c,d\n", {last}},
           {"1,\u00e9,\U0001f600\n2,c,d\n", {{"1", "\u00e9", "\U0001f600"}, last}},
           {string("1,a\0b,\0\n2,c,d\n", 14), {{"1", string("a\0b", 3), string("\0", 1)}, last}},
       }) {
    SCOPED_TRACE(one.lines);
    for (const char* head : {"u,k,x\n", "\xef\xbb\xbfu,k,x\r\n", "u,\"k\n\"\"\",x\n"}) {
      EXPECT_EQ(rows(head + one.lines), one.rows);
      EXPECT_EQ(rows(head + one.lines, 3, {.block = 5, .longest = 1000}), one.rows);
    }
  }
  EXPECT_EQ(rows(""), Rows{});
  EXPECT_EQ(rows("u,k,x"), Rows{});
  EXPECT_EQ(rows("u\n5\n\n\"\"\n \n", 1), (Rows{{"5"}, {kNull}, {" "}}));
}

TEST_F(Csv, OnlyWhatIsWanted) {
  CsvRecords records({',', 4, {3, 1}});
  const string text = "1,\"b\",c,d\n1,b,c,d\n" + string(kPadding, 'x');
  records.begin(std::string_view(text).substr(0, text.size() - kPadding));
  for (int i = 0; i < 2; ++i) {
    const Fields* fields = records.next();
    ASSERT_NE(fields, nullptr);
    EXPECT_EQ((*fields)[0].text(), "d");
    EXPECT_EQ((*fields)[1].text(), "b");
  }
  EXPECT_EQ(records.next(), nullptr);
}

TEST_F(Csv, Names) {
  const auto names = [&](const string& text) { return csv_names(file(text), ','); };
  EXPECT_EQ(*names("\xef\xbb\xbfu,\"k,\"\"\n\", x\r\n1,2,3\n"),
            (std::vector<string>{"u", "k,\"\n", " x"}));
  EXPECT_EQ(*names("u"), std::vector<string>{"u"});
  EXPECT_EQ(*csv_names(file("u\tk,x\n"), '\t'), (std::vector<string>{"u", "k,x"}));
  for (const string bad : {"", "\n1\n", "u,,x\n", "u,\"k\n", "u,\"k\"x\n", "u,\xff\n"})
    EXPECT_FALSE(names(bad)) << bad;
  EXPECT_FALSE(names(string(1 << 20, 'a')));
  EXPECT_FALSE(csv_names(place_ + "/none.csv", ','));
}

// A file that is made of what makes trouble.
string random_file(std::mt19937& draw, char delimiter) {
  const std::vector<string> pieces = {"\"",  "\"", "\"\"", "\n",   "\n",   "\r\n", "a",
                                      "bcd", " ",  "\r",   "\xff", "\"\n", "\n\"", string(40, 'z')};
  string out = string("u") + delimiter + "k\n";
  // Mostly records, some of them well formed; sometimes anything.
  const int records = static_cast<int>(draw() % 12);
  for (int i = 0; i < records; ++i) {
    if (draw() % 8 == 0) {
      for (auto n = draw() % 12; n > 0; --n)
        out += draw() % 3 == 0 ? string(1, delimiter) : pieces[draw() % pieces.size()];
      continue;
    }
    for (int field = 0; field < 2; ++field) {
      if (field) out += delimiter;
      string text;
      for (auto n = draw() % 5; n > 0; --n) {
        const string& piece = pieces[draw() % pieces.size()];
        text += piece == "\xff" ? "e" : piece;
      }
      if (draw() % 2 == 0) {
        string doubled;
        for (const char c : text) doubled += string(c == '"' ? 2 : 1, c);
        out += "\"" + doubled + "\"";
      } else {
        std::erase_if(text, [&](char c) { return c == '\n' || (c == '"' && draw() % 16); });
        out += text;
      }
    }
    if (i + 1 < records || draw() % 2) out += draw() % 3 ? "\n" : "\r\n";
  }
  return out;
}

// Every size of a block, so that every place is once a block's end; alone and with others.
TEST_F(Csv, AsTheReference) {
  std::mt19937 draw(7);
  std::size_t misread = 0, seen = 0;
  for (int i = 0; i < 400; ++i) {
    const char delimiter = i % 5 == 0 ? '\t' : ',';
    const string text = random_file(draw, delimiter);
    const string path = file(text);
    const Rows expected = Reference(text, delimiter).rows(2);
    seen += expected.size();
    for (std::size_t block = 1; block < text.size() + 2; block += block < 40 ? 1 : 13) {
      CsvBlocks blocks({path}, delimiter, {.block = block, .longest = 1 << 20});
      ASSERT_EQ(read(blocks, 2, delimiter), expected) << "block " << block << "\n" << text;
    }
    Rows sorted = expected;
    std::sort(sorted.begin(), sorted.end());
    CsvBlocks shared({path}, delimiter, {.block = 1 + draw() % 30, .longest = 1 << 20});
    ASSERT_EQ(read(shared, 2, delimiter, 3), sorted) << text;
    // The broken twin: blocks that end at any line break.
    LineBlocks lines({path}, {.block = 1 + draw() % 30, .longest = 1 << 20});
    Rows otherwise = read(lines, 2, delimiter);
    if (!otherwise.empty()) otherwise.erase(otherwise.begin());  // the header
    misread += otherwise != expected;
  }
  EXPECT_GT(seen, 1000u);
  EXPECT_GT(misread, 50u);
}

// A record that is too long costs itself, whatever is in it and wherever a block ends.
TEST_F(Csv, LongRecords) {
  const Rows around = {{"1", "a"}, {"2", "b"}};
  for (const string& inside : {string(100, 'x'), string("\n7,forged\n\"\"8,forged\"\"\n"),
                               string(30, '\n'), string(50, '"'), string("\n2,b\n")}) {
    const std::size_t record = inside.size() + 5;
    const string text = "u,k\n1,a\n3,\"" + inside + "\"\n2,b\n";
    for (std::size_t block = 1; block < record; ++block) {
      EXPECT_EQ(rows(text, 2, {.block = block, .longest = record - 1}), around) << block;
      EXPECT_EQ(rows(text, 2, {.block = block, .longest = record}).size(), 3u) << block;
    }
  }
  // Without quotes, and malformed.
  EXPECT_EQ(rows("u,k\n1,a\n3," + string(100, 'x') + "\n2,b\n", 2, {.block = 7, .longest = 50}),
            around);
  EXPECT_EQ(rows("u,k\n1,a\n3,\"" + string(100, 'x') + "\n2,b\n", 2, {.block = 7, .longest = 50}),
            around);
  EXPECT_EQ(rows("u,k\n1,a\n3,\"\"" + string(100, 'x') + "\n2,b\n", 2, {.block = 7, .longest = 9}),
            around);
}

// Lines that each begin a walk to the end of the file. (Walked anew for each line these would take
// hours.)
TEST_F(Csv, TheWorkIsLinear) {
  string text = "u,k\n";
  for (int i = 0; i < 400'000; ++i) text += "1,5\",\"\n";
  text += "2,b\n";
  EXPECT_EQ(rows(text, 2), (Rows{{"2", "b"}}));
  text = "u,k\n";
  for (int i = 0; i < 400; ++i) {
    text += "2,\"open\n";
    for (int line = 0; line < 1000; ++line) text += "1,\",\",\n";
    text += "2,\"y\"z\n";
  }
  EXPECT_EQ(rows(text, 2), Rows(400'000, {"1", ","}));
}

TEST_F(Csv, SeveralFiles) {
  const string open = file("u,k\n1,a\n3,\"never closed\n", "a.csv");
  const string other = file("u,k\n2,\"b\n\"\n", "b.csv"), none = file("", "c.csv");
  CsvBlocks blocks({open, none, other}, ',', {.block = 3, .longest = 100});
  EXPECT_EQ(read(blocks, 2), (Rows{{"1", "a"}, {"2", "b\n"}}));
}

TEST_F(Csv, StopsAndFails) {
  Reading reading;
  CsvBlocks blocks({file("u,k\n1,a\n2,b\n")}, ',', {.block = 4, .longest = 100}, &reading);
  Block block;
  EXPECT_TRUE(blocks.next(block));
  EXPECT_EQ(reading.done, 4u);
  reading.stop = true;
  EXPECT_FALSE(blocks.next(block));
  EXPECT_TRUE(blocks.failed());
  CsvBlocks none({place_ + "/none.csv"}, ',', {});
  EXPECT_FALSE(none.next(block));
  EXPECT_TRUE(none.failed());
  CsvBlocks folder({place_}, ',', {});
  EXPECT_FALSE(folder.next(block));
  EXPECT_TRUE(folder.failed());
}

}  // namespace
}  // namespace discreet::engine::duckdb
