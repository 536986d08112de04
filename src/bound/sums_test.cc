#include "discreet/bound/sums.h"

#include <gtest/gtest.h>

#include "discreet/base/number.h"

namespace discreet::bound {
namespace {

// ⌊(2a + b) / 2b⌋ in whole numbers without an end.
Integer exact(Wide sum, std::int64_t count, int shift) {
  const bool below = sum < 0;
  const auto size = static_cast<UnsignedWide>(below ? -sum : sum);
  Integer a = (Integer(static_cast<unsigned long>(size >> 64)) << 64) +
              Integer(static_cast<unsigned long>(size));
  if (below) a = -a;
  const Integer b(static_cast<long>(count)),
      twice = 2 * (a << static_cast<unsigned long>(shift)) + b, by = 2 * b;
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), twice.get_mpz_t(), by.get_mpz_t());
  return out;
}

TEST(Sums, AMeanIsTheNearestHoweverLargeTheSum) {
  for (const int shift : {0, 1, 40})
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
                                     std::int64_t{7}, (std::int64_t{1} << 40) + 1})
      for (int bits = 0; bits <= 62; ++bits)
        for (const std::int64_t off : {-1, 0, 1})
          for (const int sign : {-1, 1}) {
            // As large as the rows can make it.
            const Wide sum = sign * ((Wide{1} << bits) * count + off);
            if (bits == 62 && off > 0) continue;
            const Wide mean = nearest_mean(sum, count, shift);
            const Wide high = mean >> 62;
            const Integer ours = (Integer(static_cast<long>(high)) << 62) +
                                 Integer(static_cast<long>(mean - (high << 62)));
            EXPECT_EQ(ours, exact(sum, count, shift))
                << sign << " 2^" << bits << " " << off << " / " << count << " shift " << shift;
          }
}

}  // namespace
}  // namespace discreet::bound
