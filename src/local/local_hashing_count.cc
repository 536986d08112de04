#include "discreet/local/local_hashing_count.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace discreet::local {
namespace {

constexpr std::size_t kTile = 4096;   // values whose counts are held at a time: 16 KiB
constexpr std::size_t kTogether = 4;  // reports whose counts are added at once
constexpr std::size_t kRow = 16;      // bytes of a row that are filled side by side

// Sums of two places are below 2P < 2^32: right, or right less P; the other wraps or is larger.
std::uint32_t wrapped(std::uint32_t sum, std::uint32_t prime) { return std::min(sum, sum - prime); }

// A report on a stretch of values: the place of its first one, counted from the interval's start;
// how far the next is; how long the interval.
struct Walk {
  std::uint32_t start = 0, step = 0, length = 0;
};

Walk walk_of(const HashFamily& family, const std::uint32_t* report, std::uint64_t first) {
  const std::uint32_t low = family.first(report[2]);
  const std::uint32_t start = family.place(report[0], report[1], first);
  return {.start = start >= low ? start - low : start + family.prime - low,
          .step = report[0],
          .length = family.first(std::uint64_t{report[2]} + 1) - low};
}

// Registers of 16, 32 and 64 bytes, as lanes of 32 bits.
struct Narrow {
  typedef std::uint32_t Lanes __attribute__((vector_size(16)));
  typedef std::int32_t Signed __attribute__((vector_size(16)));
  typedef std::uint8_t Bytes __attribute__((vector_size(4)));
};
struct Middle {
  typedef std::uint32_t Lanes __attribute__((vector_size(32)));
  typedef std::int32_t Signed __attribute__((vector_size(32)));
  typedef std::uint8_t Bytes __attribute__((vector_size(8)));
};
struct Broad {
  typedef std::uint32_t Lanes __attribute__((vector_size(64)));
  typedef std::int32_t Signed __attribute__((vector_size(64)));
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
};

// All of this is inlined into functions that are compiled for processors with such registers.
template <class Registers>
struct Work {
  using Lanes = typename Registers::Lanes;
  using Signed = typename Registers::Signed;
  using Bytes = typename Registers::Bytes;
  static constexpr std::size_t kLanes = sizeof(Lanes) / 4;

  // A walk with one value a lane, all of them one register's width further at a time.
  struct March {
    Lanes places, step, back, length;  // back is step − P

    [[gnu::always_inline]] void begin(const Walk& walk, std::uint32_t prime) {
      Lanes index;
      for (std::uint32_t i = 0; i < kLanes; ++i) index[i] = i;
      places = walk.start + Lanes{};
      std::uint32_t far = walk.step;
      for (std::uint32_t bit = 1; bit < kLanes; bit *= 2) {  // i·a from a, 2a, 4a, …
        go(places, static_cast<Lanes>((index & bit) != 0) & far,
           static_cast<Lanes>((index & bit) != 0) & (far - prime));
        far = wrapped(far + far, prime);
      }
      set_step(far, prime);
      length = walk.length + Lanes{};
    }
    [[gnu::always_inline]] void set_step(std::uint32_t far, std::uint32_t prime) {
      step = far + Lanes{};
      back = (far - prime) + Lanes{};
    }
    // The same as `wrapped`, by two sums: of one the compiler makes a comparison that takes longer.
    [[gnu::always_inline]] static void go(Lanes& from, const Lanes& step, const Lanes& back) {
      const Lanes up = from + step, down = from + back;
      from = up < down ? up : down;
    }
    [[gnu::always_inline]] void next() { go(places, step, back); }
    // All ones where the value is supported. Places are below 2^31, and signed numbers compare
    // faster.
    [[gnu::always_inline]] void test(Lanes& out) const {
      out = static_cast<Lanes>(reinterpret_cast<const Signed&>(places) <
                               reinterpret_cast<const Signed&>(length));
    }
  };

  // counts[i] += how many of the reports support value first + i.
  [[gnu::always_inline]] static void count(const HashFamily& family,
                                           std::span<const std::uint32_t> reports,
                                           std::uint64_t first, std::span<std::uint32_t> counts) {
    March march[kTogether];
    for (std::size_t i = 0; i < reports.size(); i += 3 * kTogether) {
      for (std::size_t r = 0; r < kTogether; ++r) {
        const std::size_t at = i + 3 * r;  // past the end, an interval of length 0 counts nothing
        march[r].begin(at < reports.size() ? walk_of(family, &reports[at], first) : Walk{},
                       family.prime);
      }
      for (std::size_t v = 0; v < counts.size(); v += kLanes) {
        Lanes sum, supported;
        std::memcpy(&sum, &counts[v], sizeof(sum));
        for (March& each : march) {
          each.test(supported);
          sum -= supported;
          each.next();
        }
        std::memcpy(&counts[v], &sum, sizeof(sum));
      }
    }
  }

  // The values of a row are dealt to sixteen bytes in turn: in registers of fewer lanes, as so many
  // marches side by side.
  [[gnu::always_inline]] static void fill_row(const HashFamily& family, const Walk& walk,
                                              std::span<std::uint8_t, 128> row) {
    constexpr std::size_t kBeside = kRow / kLanes;
    March march[kBeside];
    march[0].begin(walk, family.prime);
    std::uint32_t far = march[0].step[0];
    for (std::size_t h = 1; h < kBeside; ++h) {
      march[h] = march[h - 1];
      march[h].next();
    }
    for (std::size_t lanes = kLanes; lanes < kRow; lanes *= 2)
      far = wrapped(far + far, family.prime);
    for (March& each : march) each.set_step(far, family.prime);
    for (std::size_t at = 0; at < row.size(); at += kRow)
      for (std::size_t h = 0; h < kBeside; ++h) {
        Lanes bits{}, supported;
        for (std::uint32_t j = 0; j < 8; ++j) {
          march[h].test(supported);
          bits |= supported & (1U << j);
          march[h].next();
        }
        const Bytes narrow = __builtin_convertvector(bits, Bytes);
        std::memcpy(&row[at + h * kLanes], &narrow, sizeof(narrow));
      }
  }
};

// What is compiled for a kind of processor.
struct Kernel {
  void (*count)(const HashFamily&, std::span<const std::uint32_t>, std::uint64_t,
                std::span<std::uint32_t>);
  void (*fill_row)(const HashFamily&, const Walk&, std::span<std::uint8_t, 128>);
};

#define DISCREET_KERNEL(name, registers, ...)                                                     \
  __VA_ARGS__ void count_##name(const HashFamily& family, std::span<const std::uint32_t> reports, \
                                std::uint64_t first, std::span<std::uint32_t> counts) {           \
    Work<registers>::count(family, reports, first, counts);                                       \
  }                                                                                               \
  __VA_ARGS__ void fill_row_##name(const HashFamily& family, const Walk& walk,                    \
                                   std::span<std::uint8_t, 128> row) {                            \
    Work<registers>::fill_row(family, walk, row);                                                 \
  }

DISCREET_KERNEL(plain, Narrow)
#ifdef __x86_64__
DISCREET_KERNEL(avx2, Middle, [[gnu::target("avx2")]])
DISCREET_KERNEL(avx512, Broad, [[gnu::target("avx512f")]])
#endif

// The fastest this processor has first.
std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> out;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) out.push_back({count_avx512, fill_row_avx512});
    if (__builtin_cpu_supports("avx2")) out.push_back({count_avx2, fill_row_avx2});
#endif
    out.push_back({count_plain, fill_row_plain});
    return out;
  }();
  return all;
}

}  // namespace

std::size_t hash_kernels() { return kernels().size(); }

void count_hash_supports(const HashFamily& family, std::span<const std::uint32_t> reports,
                         std::span<std::uint64_t> counters, std::size_t kernel) {
  alignas(64) std::array<std::uint32_t, kTile> counts;
  constexpr std::size_t kMost = 3 * (std::size_t{1} << 30);  // so that no count overflows
  for (std::size_t at = 0; at < reports.size(); at += kMost) {
    const auto some = reports.subspan(at, std::min(kMost, reports.size() - at));
    for (std::size_t first = 0; first < counters.size(); first += kTile) {
      const std::size_t values = std::min(kTile, counters.size() - first);
      const std::size_t whole = (values + 15) / 16 * 16;  // the last register may go past the end
      counts.fill(0);
      kernels()[kernel].count(family, some, first, std::span(counts).first(whole));
      for (std::size_t i = 0; i < values; ++i) counters[first + i] += counts[i];
    }
  }
}

void hash_support_row(const HashFamily& family, std::span<const std::uint32_t, 3> report,
                      std::uint64_t first, std::span<std::uint8_t, 128> row, std::size_t kernel) {
  kernels()[kernel].fill_row(family, walk_of(family, report.data(), first), row);
}

}  // namespace discreet::local
