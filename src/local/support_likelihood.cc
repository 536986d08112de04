#include "discreet/local/support_likelihood.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "discreet/base/try.h"
#include "discreet/local/chunks.h"

namespace discreet::local {
namespace {

constexpr std::size_t kStrip = 8;  // bytes of a row whose tables, 16 KiB, are used together
constexpr std::size_t kBlock = 256;

using Table = std::array<std::array<double, 256>, kRowBytes>;

class SupportLikelihood final : public Likelihood {
 public:
  SupportLikelihood(std::size_t values, double extra, double constant,
                    std::unique_ptr<SupportRows> rows, std::vector<double> weights)
      : values_(values),
        extra_(extra),
        constant_(constant),
        rows_(std::move(rows)),
        weights_(std::move(weights)) {
    for (const double weight : weights_) users_ += weight;
  }

  std::size_t values() const override { return values_; }
  double users() const override { return users_; }
  double constant() const override { return constant_; }

  // With m_i = 1 + c·θ(S_i), c = e^ε − 1 and w_i = 1/(n·m_i):
  //     g_v = Σ_i w_i + c·Σ_{i: v ∈ S_i} w_i.
  double gradient(std::span<const double> theta, std::span<double> g) const override {
    // a thread is worth starting for a few million steps
    const double steps = static_cast<double>(weights_.size()) * static_cast<double>(values_) / 4;
    const auto threads = static_cast<std::size_t>(
        std::clamp<double>(steps / 4e6, 1, std::max(1U, std::thread::hardware_concurrency())));
    std::vector<Part> parts(threads);
    each_task(threads, threads, [&](std::size_t t) {
      parts[t].first = weights_.size() * t / threads;
      parts[t].last = weights_.size() * (t + 1) / threads;
      run(theta, parts[t]);
    });
    double log_likelihood = 0, everywhere = 0;
    std::fill(g.begin(), g.end(), 0);
    for (const Part& part : parts) {
      log_likelihood += part.log_likelihood;
      everywhere += part.everywhere;
      for (std::size_t v = 0; v < values_; ++v) g[v] += part.sums[v];
    }
    for (double& each : g) each = everywhere + extra_ * each;
    return log_likelihood;
  }

 private:
  // What one thread does: reports first … last − 1.
  struct Part {
    std::size_t first = 0, last = 0;
    std::vector<double> sums = {};  // Σ w_i over the reports that support each value
    double everywhere = 0, log_likelihood = 0;
  };

  void run(std::span<const double> theta, Part& part) const {
    const std::size_t tiles = (values_ + kRowValues - 1) / kRowValues;
    std::vector<double> w(part.last - part.first);
    const auto table = std::make_unique<Table>();
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      tabulate(theta, tile, *table);
      visit(part, tile, [&](std::size_t i, std::size_t from, const std::uint8_t* row) {
        std::array<double, 4> sum{};  // four sums, since one would wait for itself
        for (std::size_t b = 0; b < kStrip; ++b) sum[b % 4] += (*table)[from + b][row[b]];
        w[i] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
      });
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double marginal = 1 + extra_ * w[i], share = weights_[part.first + i] / users_;
      part.log_likelihood += share * std::log(marginal);
      part.everywhere += w[i] = share / marginal;
    }
    part.sums.assign(values_, 0);
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      for (auto& each : *table) each.fill(0);
      visit(part, tile, [&](std::size_t i, std::size_t from, const std::uint8_t* row) {
        for (std::size_t b = 0; b < kStrip; ++b) (*table)[from + b][row[b]] += w[i];
      });
      fold(*table, tile, part.sums);
    }
  }

  // act(i, from, row + from) for every report i of the part and every strip of its row, strip by
  // strip, so that one strip's tables stay in the first-level cache for many reports.
  template <class Act>
  void visit(const Part& part, std::size_t tile, const Act& act) const {
    std::vector<std::array<std::uint8_t, kRowBytes>> rows(kBlock);
    for (std::size_t first = part.first; first < part.last; first += kBlock) {
      const std::size_t count = std::min(kBlock, part.last - first);
      for (std::size_t i = 0; i < count; ++i) rows_->fill(first + i, tile, rows[i]);
      for (std::size_t from = 0; from < kRowBytes; from += kStrip)
        for (std::size_t i = 0; i < count; ++i)
          act(first - part.first + i, from, rows[i].data() + from);
    }
  }

  // Of each byte the sum of θ over its bits: that of one bit less, and that bit's.
  void tabulate(std::span<const double> theta, std::size_t tile, Table& table) const {
    for (std::size_t b = 0; b < kRowBytes; ++b) {
      table[b][0] = 0;
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const std::size_t v = tile * kRowValues + rows_->member(b, bit),
                          half = std::size_t{1} << bit;
        const double more = v < values_ ? theta[v] : 0;
        for (std::size_t i = 0; i < half; ++i) table[b][half + i] = table[b][i] + more;
      }
    }
  }

  // The way back: a value gets what stands at the bytes that have its bit.
  void fold(Table& table, std::size_t tile, std::vector<double>& sums) const {
    for (std::size_t b = 0; b < kRowBytes; ++b)
      for (std::size_t bit = 8; bit-- > 0;) {
        const std::size_t v = tile * kRowValues + rows_->member(b, bit),
                          half = std::size_t{1} << bit;
        double sum = 0;
        for (std::size_t i = 0; i < half; ++i) {
          sum += table[b][half + i];
          table[b][i] += table[b][half + i];
        }
        if (v < values_) sums[v] += sum;
      }
  }

  std::size_t values_;
  double extra_, constant_, users_ = 0;
  std::unique_ptr<SupportRows> rows_;
  std::vector<double> weights_;  // how many reports are that one
};

class BitRows final : public SupportRows {
 public:
  BitRows(std::vector<Word> reports, std::size_t words)
      : reports_(std::move(reports)), words_(words) {}
  std::size_t member(std::size_t byte, std::size_t bit) const override { return 8 * byte + bit; }
  void fill(std::size_t report, std::size_t tile,
            std::span<std::uint8_t, kRowBytes> row) const override {
    std::fill(row.begin(), row.end(), std::uint8_t{0});
    const std::size_t first = tile * (kRowBytes / 4),
                      last = std::min(first + kRowBytes / 4, words_);
    for (std::size_t w = first; w < last; ++w)
      for (std::size_t i = 0; i < 4; ++i)
        row[4 * (w - first) + i] =
            static_cast<std::uint8_t>(reports_[report * words_ + w] >> (8 * i));
  }

 private:
  std::vector<Word> reports_;
  std::size_t words_;
};

}  // namespace

std::unique_ptr<SupportRows> bit_rows(std::vector<Word> reports, std::size_t words) {
  return std::make_unique<BitRows>(std::move(reports), words);
}

Result<std::unique_ptr<Likelihood>> support_likelihood(
    const Protocol& protocol, const State& state, double constant,
    const std::function<std::unique_ptr<SupportRows>(std::vector<Word>)>& rows) {
  const Constants& c = protocol.constants();
  if (!state.keeps && state.users > 0)
    return bad_parameter("keep-reports",
                         "found a state without its reports; accepted is one that keeps them: "
                         "what they say together can't be told from their counts",
                         Phrase("collect with ") + named("keep-reports"));
  std::vector<Word> reports = state.reports;
  std::vector<double> weights;
  if (c.words == 1) {  // few different ones, and sorted in no time
    std::sort(reports.begin(), reports.end());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      if (i == 0 || reports[i] != reports[i - 1]) {
        reports[kept++] = reports[i];
        weights.push_back(0);
      }
      ++weights.back();
    }
    reports.resize(kept);
  } else {
    weights.assign(reports.size() / c.words, 1);
  }
  constexpr long kBits = 128;
  const double extra = expm1(Ball(c.epsilon, kBits), kBits).middle();
  return std::make_unique<SupportLikelihood>(c.domain, extra, constant, rows(std::move(reports)),
                                             std::move(weights));
}

}  // namespace discreet::local
