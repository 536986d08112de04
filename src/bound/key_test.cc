#include "discreet/bound/key.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace discreet::bound {
namespace {

std::string real_key(double value) {
  KeyBytes key;
  key.real(value);
  return std::string(key.view());
}

TEST(Key, HasOneZeroAndOneNaN) {
  EXPECT_EQ(real_key(0.0), real_key(-0.0));
  const double nan = std::nan("");
  for (const unsigned long long bits :
       {0x7ff8000000000001ULL, 0xfff8000000000000ULL, 0x7ff0000000000001ULL})
    EXPECT_EQ(real_key(std::bit_cast<double>(bits)), real_key(nan));
  EXPECT_NE(real_key(5e-324), real_key(0.0));
}

RC_GTEST_PROP(Key, IsReadAsItWasWritten,
              (std::vector<std::string> texts, std::vector<std::int64_t> wholes)) {
  KeyBytes key;
  for (const std::string& text : texts) key.text(text);
  key.null();
  for (const std::int64_t whole : wholes) key.whole(whole);
  key.real(1.5);
  const auto values = read_key(key.view());
  RC_ASSERT(values.has_value());
  RC_ASSERT(values->size() == texts.size() + wholes.size() + 2);
  std::size_t at = 0;
  for (const std::string& text : texts) {
    RC_ASSERT((*values)[at].kind == KeyValue::Kind::kText);
    RC_ASSERT((*values)[at++].text == text);
  }
  RC_ASSERT((*values)[at++].kind == KeyValue::Kind::kNull);
  for (const std::int64_t whole : wholes) {
    RC_ASSERT((*values)[at].kind == KeyValue::Kind::kWhole);
    RC_ASSERT((*values)[at++].whole == whole);
  }
  RC_ASSERT((*values)[at].real == 1.5);
}

// Bytes that end early, or claim a text longer than they are, are no key.
TEST(Key, IsRefusedWhereItIsCut) {
  KeyBytes key;
  key.whole(7);
  key.text("a text of some length");
  key.real(2.5);
  const std::string bytes(key.view());
  const std::size_t ends[] = {0, 9, 9 + 9 + 21};
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_EQ(read_key(std::string_view(bytes).substr(0, length)).has_value(),
              std::find(std::begin(ends), std::end(ends), length) != std::end(ends))
        << length;
  EXPECT_FALSE(read_key("x"));
  EXPECT_FALSE(read_key(std::string("s\xff\xff\xff\xff\xff\xff\xff\xff", 9)));
}

}  // namespace
}  // namespace discreet::bound
