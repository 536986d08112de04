// The trials themselves, included by gaussian_trials_portable.cc, gaussian_trials_avx2.cc and
// gaussian_trials_avx512.cc, which say how wide a vector is (TRIAL_LANES). Nothing of the standard
// library that may be kept by the linker for all is used here.

// NOLINTBEGIN(bugprone-macro-parentheses): TRIAL_NAME is a namespace
namespace discreet::random::TRIAL_NAME {
namespace {

constexpr std::size_t kLanes = TRIAL_LANES;
typedef std::uint64_t Words __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));
typedef std::int64_t Signed __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));
typedef double Reals __attribute__((vector_size(kLanes * sizeof(double))));

inline Words load(const std::uint64_t* from) {
  Words v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
inline void store(T* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof v);
}
// A whole number below 2^52, as what is added to 2^52's bits: AVX2 converts no 64 bits.
inline Reals to_real(const Words& whole) {
  return (Reals)(whole | (std::uint64_t{0x433} << 52)) - 0x1p52;
}
// The first 52 digits of a number from 0 to 1.
inline Reals to_share(const Words& word) {
  return (Reals)((word >> 12) | (std::uint64_t{0x3FF} << 52)) - 1.0;
}
// Unsigned, which AVX2 hasn't.
inline Words below(const Words& a, const Words& b) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  return (Words)((Signed)(a ^ kTop) < (Signed)(b ^ kTop));
}
template <class T>
inline auto gather(const T* from, const Words& at) {
  typedef T Out __attribute__((vector_size(kLanes * sizeof(T))));
  Out out;
  for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = from[at[lane]];
  return out;
}

// exp_minus (exp_bound.h) in every lane. Where a product and a sum are one operation there are
// fewer roundings than its proof counts.
inline Reals exp_minus_each(const Reals& given) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kHigh = 0x1.62e42fee00000p-1, kLow = 0x1.a39ef35793c76p-33;
  constexpr double kMagic = 0x1.8p52;
  const Reals x = given < 64.0 ? given : Reals{} + 64.0;
  const Reals shifted = x * kLog2E + kMagic;
  const Reals whole = shifted - kMagic;
  const Reals r = (whole * kHigh - x) + whole * kLow;
  Reals sum = Reals{} + 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  return sum * (Reals)((std::uint64_t{1023} - ((Words)shifted & 1023)) << 52);
}

template <bool kContinuous>
inline bool run_kind(const TrialTables& tables, std::size_t n, Trials& trials) {
  const double width = static_cast<double>(std::int64_t{1} << tables.shift);
  const std::uint64_t shift = tables.shift;
  const AliasTable::Entries& table = tables.entries;
  Words any = {};
  for (std::size_t t = 0; t < n; t += kLanes) {
    const Words word = load(trials.words + t);
    // As AliasTable::pick.
    const Words at = word >> table.cell_shift;
    const Words entry = gather(table.entries, at);
    const Words own = below(word << table.cell_bits, entry & ~table.alias_mask);
    const Words symbol = (at & own) | (entry & table.alias_mask & ~own);
    // The tail and "again" borrow a cell, and are rejected below.
    const Words in_cell = (Words)((Signed)symbol < static_cast<std::int64_t>(kTailSymbol));
    const Words cell = ((symbol >> 1) & in_cell) | (~in_cell & (kCells - 1));
    // How far into the cell, d, and which integer that is. d lacks less than 2^-52 of a cell, which
    // changes the exponent by less than 2^-52.
    const Words place = load(trials.words + n + t);
    const Words step =
        kContinuous ? ((place >> (63 - shift)) + 1) >> 1 : (place >> 1) >> (63 - shift);
    const Reals d = kContinuous ? to_share(place) * width : to_real(step);
    // e^(-((jw+d)² − (jw)²)/2σ²): exponent below 1.1, off by at most 6 roundings, 2^-50; factor off
    // by 2^-52, the coin by 2^-52.
    const Reals near = to_real(cell) * width;
    const Reals chance =
        gather(tables.factor, cell) * exp_minus_each(d * (2 * near + d) * tables.rate);
    const Reals u = to_share(load(trials.words + 2 * n + t));
    const Words magnitude = (cell << shift) + step;
    const Words negative = -(symbol & 1);
    // Zero has one sign only.
    const Words counted =
        kContinuous ? in_cell : in_cell & ~((Words)((Signed)magnitude == 0) & negative);
    const Words close = (Words)(u > chance - kExpTolerance) & (Words)(u < chance + kExpTolerance);
    store(trials.values + t, (magnitude ^ negative) - negative);
    store(trials.accepted + t, (Words)(u < chance) & counted & 1);
    any |= (close & counted) | (Words)((Signed)symbol == static_cast<std::int64_t>(kTailSymbol));
  }
  std::uint64_t all = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) all |= any[lane];
  return all != 0;
}

}  // namespace

bool run(const TrialTables& tables, std::size_t n, Trials& trials) {
  return tables.continuous ? run_kind<true>(tables, n, trials) : run_kind<false>(tables, n, trials);
}

}  // namespace discreet::random::TRIAL_NAME
// NOLINTEND(bugprone-macro-parentheses)
