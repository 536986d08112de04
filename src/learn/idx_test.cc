#include "discreet/learn/idx.h"

#include <gtest/gtest.h>

namespace discreet::learn {
namespace {

std::string idx(std::vector<std::uint32_t> sizes, const std::string& bytes, char type = 8) {
  std::string out{'\0', '\0', type, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes)
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(size >> shift & 0xFF);
  return out + bytes;
}

TEST(IdxTest, ReadsPicturesAndLabels) {
  const std::string images = idx({3, 1, 2}, {'\0', '\xFF', '\x33', '\0', '\x01', '\x02'});
  const std::string labels = idx({3}, {'\1', '\x09', '\0'});
  ASSERT_TRUE(looks_like_idx(images));
  const auto a = parse_idx("images", images), b = parse_idx("labels", labels);
  ASSERT_TRUE(a && b);
  const auto examples = pictures("images", *a, &*b, 2);
  ASSERT_TRUE(examples);
  EXPECT_EQ(examples->count, 2U);  // the label 9 is no class
  EXPECT_EQ(examples->y, (std::vector<float>{1, 0}));
  EXPECT_EQ(examples->x, (std::vector<float>{0, 1, 1.0F / 255, 2.0F / 255}));
  EXPECT_EQ(examples->shape, (Shape{1, 1, 2}));
  EXPECT_EQ(pictures("images", *a, nullptr, 2)->count, 3U);
}

TEST(IdxTest, RefusesWhatItIsNot) {
  struct Case {
    const char* what;
    std::string bytes;
  };
  for (const Case& one : {Case{"empty", ""}, Case{"text", "a,b\n1,2\n"}, Case{"gzip", "\x1f\x8b\b"},
                          Case{"short", idx({2, 2}, "abc")}, Case{"long", idx({2, 2}, "abcde")},
                          Case{"floats", idx({1}, "abcd", 0x0D)}, Case{"no size", idx({}, "")},
                          Case{"five sizes", idx({1, 1, 1, 1, 1}, "a")},
                          Case{"wraps", idx({1U << 31, 1U << 31, 4}, "")},
                          Case{"empty and huge", idx({0, 1U << 31, 1U << 31, 4}, "")},
                          Case{"cut header", std::string("\0\0\x08\x03\0", 5)}}) {
    const auto read = parse_idx("file", one.bytes);
    ASSERT_FALSE(read) << one.what;
    EXPECT_EQ(read.error().code, Code::kUsage) << one.what;
  }
  const std::string flat = idx({4}, "abcd"), three = idx({3}, "abc"),
                    images = idx({4, 1, 1}, "abcd");
  EXPECT_FALSE(pictures("flat", *parse_idx("flat", flat), nullptr, 2));
  const auto labels = parse_idx("labels", three);
  EXPECT_FALSE(pictures("images", *parse_idx("images", images), &*labels, 2));
  EXPECT_FALSE(looks_like_idx("a,b\n"));
}

TEST(IdxTest, FindsLabelsBesideImages) {
  EXPECT_EQ(labels_beside("/images/train-images-idx3-ubyte"), "/images/train-labels-idx1-ubyte");
  EXPECT_EQ(labels_beside("t10k-images.idx3-ubyte"), "t10k-labels.idx1-ubyte");
  EXPECT_EQ(labels_beside("/images/data"), "");
}

}  // namespace
}  // namespace discreet::learn
