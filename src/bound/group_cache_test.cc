// The cache gives every row the number that the shared table gives its key.
#include "discreet/bound/group_cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "discreet/random/testing/sources.h"

namespace discreet::bound {
namespace {

Secret some_secret() {
  random::testing::Seeded source(3);
  return *Secret::draw(source);
}

// Columns of every kind, with missing values, that outlive the batch made of them.
struct Table {
  std::vector<std::int64_t> wholes;
  std::vector<double> reals;
  std::vector<std::string> strings;
  std::vector<Text> texts;
  std::vector<std::uint64_t> validity;

  Table(std::size_t rows, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    const double odd[] = {0.0,           -0.0,           1.5,
                          std::nan("1"), -std::nan("2"), std::numeric_limits<double>::infinity()};
    validity.resize(rows / 64 + 1);
    for (std::size_t i = 0; i < rows; ++i) {
      wholes.push_back(static_cast<std::int64_t>(draw() % 5) - 2);
      reals.push_back(odd[draw() % 6]);
      // empty, short, of exactly 12 bytes, and of 13, which lies outside
      const std::string all = "abcdefghijklm";
      strings.push_back(all.substr(0, draw() % 14));
      if (draw() % 7 != 0) validity[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    for (const std::string& one : strings) texts.emplace_back(one);
  }
  Column whole() const {
    return {.kind = Column::Kind::kWhole, .whole = wholes.data(), .validity = validity.data()};
  }
  Column real() const {
    return {.kind = Column::Kind::kReal, .real = reals.data(), .validity = validity.data()};
  }
  Column text() const {
    return {.kind = Column::Kind::kText, .text = texts.data(), .validity = validity.data()};
  }
  Column all_there() const { return {.kind = Column::Kind::kText, .text = texts.data()}; }
};

std::string bytes_of(const Batch& batch, std::size_t row) {
  KeyBytes out;
  for (const Column& column : batch.keys) {
    if (!column.valid(row)) {
      out.null();
    } else if (column.kind == Column::Kind::kText) {
      out.text(column.text[row].view());
    } else if (column.kind == Column::Kind::kReal) {
      out.real(column.real[row]);
    } else {
      out.whole(column.whole[row]);
    }
  }
  return std::string(out.view());
}

TEST(GroupCache, GivesEveryKeyItsNumber) {
  const std::size_t rows = 5000;
  const Table a(rows, 1), b(rows, 2);
  const std::vector<std::vector<Column>> shapes = {{},
                                                   {a.whole()},
                                                   {a.real()},
                                                   {a.text()},
                                                   {a.all_there()},
                                                   {a.whole(), b.text()},
                                                   {a.text(), b.text(), a.real(), b.whole()}};
  for (const auto& keys : shapes) {
    Groups groups(some_secret());
    GroupCache first(groups, keys.size()), second(groups, keys.size());
    Batch batch;
    batch.rows = rows;
    batch.keys = keys;
    std::vector<std::uint32_t> numbers(rows), again(rows);
    for (std::size_t at = 0; at < rows; at += 250)
      first.number(batch, at, std::span(numbers).subspan(at, 250));
    second.number(batch, 0, again);  // another thread's
    EXPECT_EQ(numbers, again);
    std::map<std::string, std::uint32_t> known;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto [at, is_new] = known.emplace(bytes_of(batch, row), numbers[row]);
      ASSERT_EQ(at->second, numbers[row]) << keys.size() << " columns, row " << row;
      if (is_new) {
        EXPECT_EQ(groups.key(numbers[row]), at->first);
      }
    }
    EXPECT_EQ(known.size(), groups.size());
  }
}

TEST(GroupCache, AClosedTableNumbersNoOther) {
  Groups groups(some_secret());
  KeyBytes key;
  key.text("abc");
  groups.number(key.view());
  groups.close();
  const Table table(2000, 5);
  Batch batch;
  batch.rows = 2000;
  batch.keys = {table.all_there()};
  std::vector<std::uint32_t> numbers(2000);
  GroupCache(groups, 1).number(batch, 0, numbers);
  for (std::size_t row = 0; row < 2000; ++row)
    EXPECT_EQ(numbers[row], table.strings[row] == "abc" ? 0 : kNoGroup);
}

TEST(Text, HoldsWhatItWasMadeOf) {
  for (std::size_t length : {0u, 1u, 4u, 5u, 11u, 12u, 13u, 100u}) {
    const std::string text(length, 'x');
    EXPECT_EQ(Text(text).view(), text);
  }
}

}  // namespace
}  // namespace discreet::bound
