#include "discreet/local/reader.h"

#include <algorithm>
#include <mutex>

#include "discreet/base/digest.h"
#include "discreet/base/try.h"
#include "discreet/local/form.h"

namespace discreet::local {
namespace {

// More counters than this aren't held once a thread.
constexpr std::size_t kMostOwn = std::size_t{1} << 24;

constexpr std::size_t index_of(Fault fault) { return static_cast<std::size_t>(fault); }

}  // namespace

Id id_of(std::string_view text) {
  const Digest digest = sha256(text);
  Id out;
  std::memcpy(out.data(), digest.data(), sizeof(out));
  return out;
}

// A word holds 32 bits of a string of them, or one of several numbers of at most ten digits.
std::size_t longest_report(const Reports& protocol) { return 64 + 32 * protocol.constants().words; }

class ReportWorker final : public Worker {
 public:
  explicit ReportWorker(Reader& reader)
      : reader_(reader),
        protocol_(reader.protocol_),
        words_(reader.protocol_.constants().words),
        longest_(longest_report(reader.protocol_)),
        shared_(reader.protocol_.constants().counters > kMostOwn) {}

  Status work(std::string_view lines) override {
    count_taken();
    refused_ = {};
    reports_.clear();
    ids_.clear();
    if (reader_.options_.ids)
      for_each_line(lines, [this](std::string_view line) { read_with_id(line); });
    else
      for_each_line(lines, [this](std::string_view line) { read(line); });
    return {};
  }

  Status take() override {
    State& state = reader_.state_;
    if (reader_.options_.ids) drop_duplicates();
    TRY(check_room("reports", protocol_, state.users + reports_.size() / words_));
    for (std::size_t i = 0; i < kFaults; ++i) state.refused[i] += refused_[i];
    state.users += reports_.size() / words_;
    if (state.keeps) state.reports.insert(state.reports.end(), reports_.begin(), reports_.end());
    // counters of all threads are one list: they take turns
    if (shared_) protocol_.count(reports_, state.counters);
    taken_ = !shared_;
    return {};
  }

  Status finish() override {
    count_taken();
    std::vector<std::uint64_t>& counters = reader_.state_.counters;
    for (std::size_t i = 0; i < counters_.size(); ++i) counters[i] += counters_[i];
    return {};
  }

 private:
  bool read(std::string_view line) {
    // of a line that is too long, what is looked at doesn't depend on where blocks end
    line = line.substr(0, longest_ + 1);
    const std::size_t size = reports_.size();
    reports_.resize(size + words_);
    Fault fault = protocol_.read(line, std::span(reports_).subspan(size));
    if (fault == Fault::kNone) return true;
    reports_.resize(size);
    if (could_be_of_another(protocol_.constants().name, line)) fault = Fault::kWrongProtocol;
    ++refused_[index_of(fault)];
    return false;
  }

  void read_with_id(std::string_view line) {
    const std::size_t tab = line.substr(0, Reader::kLongestId + 1).find('\t');
    if (tab == 0 || tab == std::string_view::npos) {
      ++refused_[index_of(Fault::kMalformed)];
      return;
    }
    if (read(line.substr(tab + 1))) ids_.push_back(id_of(line.substr(0, tab)));
  }

  void drop_duplicates() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!reader_.seen_.insert(ids_[i]).second) {
        ++refused_[index_of(Fault::kDuplicated)];
        continue;
      }
      std::copy_n(&reports_[i * words_], words_, &reports_[kept * words_]);
      ++kept;
    }
    reports_.resize(kept * words_);
  }

  // Not while the others wait for their turn: for some protocols this is where the work is.
  void count_taken() {
    if (!taken_) return;
    taken_ = false;
    counters_.resize(protocol_.constants().counters);
    protocol_.count(reports_, counters_);
  }

  Reader& reader_;
  const Reports& protocol_;
  std::size_t words_, longest_;
  bool shared_, taken_ = false;
  std::array<std::uint64_t, kFaults> refused_ = {};
  std::vector<Word> reports_;
  std::vector<Id> ids_;
  std::vector<std::uint64_t> counters_;
};

Reader::Reader(const Reports& protocol, ReaderOptions options)
    : protocol_(protocol), options_(options), state_(protocol) {
  state_.keeps = options.keep;
}

Status Reader::add(Fill fill) {
  Lines lines(std::move(fill), longest_report(protocol_) + (options_.ids ? kLongestId + 1 : 0));
  return in_order(lines, options_.threads,
                  [this] { return std::make_unique<ReportWorker>(*this); });
}

State Reader::finish() {
  state_.ids.assign(seen_.begin(), seen_.end());
  std::sort(state_.ids.begin(), state_.ids.end());
  return std::move(state_);
}

}  // namespace discreet::local
