#include "discreet/local/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "discreet/base/digest.h"
#include "discreet/base/quote.h"
#include "discreet/base/try.h"

namespace discreet::local {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are stored as they stand in memory");

void put(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
template <class T>
void put_all(std::string& out, std::span<const T> items) {
  put(out, items.size());
  out.append(reinterpret_cast<const char*>(items.data()), items.size_bytes());
}

// Takes from the front; false where too little is left. Lengths come from a stranger: each is
// compared with what is there before anything is allocated.
class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}
  bool take(std::uint64_t& value) { return copy(&value, sizeof(value)); }
  template <class T>
  bool take_all(std::vector<T>& items) {
    std::uint64_t count = 0;
    if (!take(count) || count > rest_.size() / sizeof(T)) return false;
    items.resize(count);
    return copy(items.data(), count * sizeof(T));
  }
  bool empty() const { return rest_.empty(); }

 private:
  bool copy(void* to, std::size_t size) {
    if (size > rest_.size()) return false;
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
    return true;
  }
  std::string_view rest_;
};

bool is_strictly_sorted(std::span<const std::array<std::uint64_t, 2>> ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

constexpr std::size_t kFingerprint = 32;  // digits

bool are_names(std::string_view text) {
  return text.empty() || (text.size() == kFingerprint &&
                          text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}
bool are_bounds(std::span<const double> bounds) {
  return bounds.empty() || (bounds.size() == 2 && std::isfinite(bounds[0]) &&
                            std::isfinite(bounds[1]) && bounds[0] < bounds[1]);
}
std::string told(std::span<const double> bounds) {
  return bounds.empty() ? "bounds that weren't said"
                        : fmt::format("{} to {}", to_text(bounds[0]), to_text(bounds[1]));
}

// Likelihoods trust what `Reports::read` let in; a file can hold any words.
bool are_reports_of(const Reports& protocol, std::span<const Word> reports) {
  const std::size_t words = protocol.constants().words;
  std::string line;
  std::vector<Word> again(words);
  for (std::size_t at = 0; at < reports.size(); at += words) {
    const std::span<const Word> report = reports.subspan(at, words);
    line.clear();
    protocol.write(report, line);
    if (protocol.read(line, again) != Fault::kNone ||
        !std::equal(again.begin(), again.end(), report.begin()))
      return false;
  }
  return true;
}

std::string checksum(std::string_view bytes) {
  const Digest digest = sha256(bytes);
  return {digest.begin(), digest.end()};
}

bool adds_up(std::uint64_t a, std::uint64_t b) { return a <= ~std::uint64_t{0} - b; }

// Whether all counters and numbers of two states can be added without wrapping.
bool add_up(const State& a, const State& b) {
  // `rejected` adds up all kinds
  const auto refused = [](const State& state) {
    Integer sum = 0;
    for (const std::uint64_t each : state.refused) sum += static_cast<unsigned long>(each);
    return sum;
  };
  if (refused(a) + refused(b) > static_cast<unsigned long>(~std::uint64_t{0})) return false;
  for (std::size_t i = 0; i < a.counters.size(); ++i)
    if (!adds_up(a.counters[i], b.counters[i])) return false;
  return adds_up(a.users, b.users);
}

}  // namespace

std::string sealed_state(std::string_view content) {
  std::string out(kStateMagic);
  out += content;
  return out + checksum(out);
}

std::string fingerprint(std::span<const std::string> names) {
  if (names.empty()) return "";
  std::string all;
  for (const std::string& name : names) all += name + '\n';  // no name has a line's end
  return hex(sha256(all)).substr(0, kFingerprint);
}

std::string identity(const Reports& protocol) {
  const Constants& c = protocol.constants();
  std::string out = fmt::format("{} epsilon={}", c.name, to_decimal(c.epsilon));
  if (c.domain != 0) out += fmt::format(" domain={}", c.domain);
  for (const auto& [name, value] : c.own) out += fmt::format(" {}={}", name, to_text(value));
  return out;
}

State::State(const Reports& protocol)
    : of(identity(protocol)), counters(protocol.constants().counters) {}

Status check_room(const std::string& name, const Reports& protocol, std::uint64_t users) {
  const std::uint64_t most = protocol.constants().most_reports;
  if (users <= most) return {};
  return fail(Code::kUsage,
              fmt::format("{}: found {} reports; accepted are {} at most, which is what counters "
                          "of {} hold",
                          quote(name), users, most, protocol.constants().name));
}

std::uint64_t State::rejected() const {
  return std::accumulate(refused.begin(), refused.end(), std::uint64_t{0});
}

Status State::name_run(random::Source& source) {
  std::array<std::uint64_t, 2> run{};
  TRY(source.fill(run));
  runs = {run};
  return {};
}

Status State::merge(const State& other) {
  if (of != other.of)
    return fail(Code::kUsage, fmt::format("states: found one of {} and one of {}; accepted are "
                                          "states of the same protocol",
                                          quote(of), quote(other.of)));
  if (counters.size() != other.counters.size())
    return fail(Code::kUsage,
                fmt::format("states: found one of {} counters and one of {}; accepted are states "
                            "of the same protocol",
                            counters.size(), other.counters.size()));
  if (keeps != other.keeps)
    return fail(Code::kUsage,
                "states: found one that keeps its reports and one that doesn't; accepted are "
                "states that were collected alike");
  if (names != other.names)
    return fail(Code::kUsage,
                "states: found ones of different lists of values; accepted are states that were "
                "collected with the same --values, in the same order");
  if (bounds != other.bounds)
    return fail(Code::kUsage,
                fmt::format("states: found one of {} and one of {}; accepted are states of the "
                            "same --lower and --upper",
                            told(bounds), told(other.bounds)));
  std::vector<std::array<std::uint64_t, 2>> both, all, all_runs;
  std::set_intersection(runs.begin(), runs.end(), other.runs.begin(), other.runs.end(),
                        std::back_inserter(both));
  if (!both.empty())
    return fail(Code::kUsage,
                "states: found the same reports twice; accepted is each collection once",
                "is one of them a copy of another, or merged from it?");
  // of the one without ids nobody could say who is in both
  if (ids.empty() != other.ids.empty() && users > 0 && other.users > 0)
    return fail(Code::kUsage,
                "states: found one whose clients have ids and one whose haven't; accepted are "
                "states that were collected alike");
  std::set_intersection(ids.begin(), ids.end(), other.ids.begin(), other.ids.end(),
                        std::back_inserter(both));
  if (!both.empty())
    return fail(Code::kUsage,
                fmt::format("states: found {} clients that are in both; accepted is one report a "
                            "client",
                            both.size()),
                "was the same state given twice?");
  std::merge(ids.begin(), ids.end(), other.ids.begin(), other.ids.end(), std::back_inserter(all));
  if (!add_up(*this, other))
    return fail(Code::kUsage,
                fmt::format("states: found {} and {} reports, whose sums pass 2^64; accepted are "
                            "states whose counters hold both",
                            users, other.users));
  std::merge(runs.begin(), runs.end(), other.runs.begin(), other.runs.end(),
             std::back_inserter(all_runs));
  ids = std::move(all);
  runs = std::move(all_runs);
  users += other.users;
  for (std::size_t i = 0; i < kFaults; ++i) refused[i] += other.refused[i];
  for (std::size_t i = 0; i < counters.size(); ++i) counters[i] += other.counters[i];
  reports.insert(reports.end(), other.reports.begin(), other.reports.end());
  return {};
}

std::string State::serialise() const {
  std::string out;
  put_all(out, std::span<const char>(of));
  put(out, users);
  for (const std::uint64_t each : refused) put(out, each);
  put_all(out, std::span<const std::uint64_t>(counters));
  put(out, keeps ? 1 : 0);
  put_all(out, std::span<const Word>(reports));
  put_all(out, std::span<const std::array<std::uint64_t, 2>>(ids));
  put_all(out, std::span<const std::array<std::uint64_t, 2>>(runs));
  put_all(out, std::span<const char>(names));
  put_all(out, std::span<const double>(bounds));
  return sealed_state(out);
}

Result<State> State::read(const std::string& name, std::string_view bytes) {
  const auto broken = [&](const char* what) {
    return fail(Code::kUsage, fmt::format("{}: {}; accepted is a file that `discreet local "
                                          "aggregate` wrote",
                                          quote(name), what));
  };
  if (bytes.starts_with(kStateBegins) && !bytes.starts_with(kStateMagic))
    return broken("this is a state of another version");
  if (!bytes.starts_with(kStateMagic)) return broken("this is no state of a collector");
  if (bytes.size() < kStateMagic.size() + sizeof(Digest) ||
      checksum(bytes.substr(0, bytes.size() - sizeof(Digest))) !=
          bytes.substr(bytes.size() - sizeof(Digest)))
    return broken("the file was cut or changed");
  Bytes rest(bytes.substr(kStateMagic.size(), bytes.size() - kStateMagic.size() - sizeof(Digest)));
  State out;
  std::vector<char> of, names;
  std::uint64_t keeps = 0;
  bool good = rest.take_all(of) && rest.take(out.users);
  for (std::uint64_t& each : out.refused) good = good && rest.take(each);
  good = good && rest.take_all(out.counters) && rest.take(keeps) && rest.take_all(out.reports) &&
         rest.take_all(out.ids) && rest.take_all(out.runs) && rest.take_all(names) &&
         rest.take_all(out.bounds) && rest.empty() && keeps <= 1;
  out.names.assign(names.begin(), names.end());
  good = good && is_strictly_sorted(out.runs) && are_names(out.names) && are_bounds(out.bounds) &&
         is_strictly_sorted(out.ids) && (out.ids.empty() || out.ids.size() == out.users) &&
         // it is shown on screens
         std::all_of(of.begin(), of.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!good) return broken("its parts don't fit together");
  out.of.assign(of.begin(), of.end());
  out.keeps = keeps == 1;
  return out;
}

Status State::check(const std::string& name, const Reports& protocol) const {
  if (const std::string asked = identity(protocol); of != asked)
    return fail(Code::kUsage, fmt::format("{}: found a state of {}; accepted is one of {}",
                                          quote(name), quote(of), quote(asked)));
  return check_numbers(name, protocol);
}

Status State::check_numbers(const std::string& name, const Reports& protocol) const {
  const Constants& c = protocol.constants();
  const auto misfit = [&] {
    return fail(Code::kUsage,
                fmt::format("{}: the numbers in it don't fit its protocol; accepted is a file that "
                            "`discreet local aggregate` wrote",
                            quote(name)));
  };
  if (counters.size() != c.counters || reports.size() % c.words != 0 ||
      reports.size() / c.words != (keeps ? users : 0))
    return misfit();
  if (!add_up(*this, State(protocol))) return misfit();
  TRY(check_room(name, protocol, users));
  if (!ids.empty() && (ids.size() != users || !is_strictly_sorted(ids))) return misfit();
  if (!are_reports_of(protocol, reports)) return misfit();
  if (!protocol.fits(counters, users)) return misfit();
  if (keeps) {
    std::vector<std::uint64_t> again(counters.size());
    protocol.count(reports, again);
    if (again != counters) return misfit();
  }
  return {};
}

Status State::check_names(const std::string& fingerprint) const {
  if (names.empty() || fingerprint.empty() || names == fingerprint) return {};
  return fail(Code::kUsage,
              "--values: found another list than the state was collected with; accepted is the "
              "same one, in the same order",
              "numbers in reports stand for the lines of that file");
}

Status State::check_bounds(double lower, double upper) const {
  const double asked[] = {lower, upper};
  if (bounds.empty() || std::equal(bounds.begin(), bounds.end(), std::begin(asked))) return {};
  return fail(Code::kUsage,
              fmt::format("--lower, --upper: found {}; accepted is {}, as the state was collected",
                          told(asked), told(bounds)));
}

}  // namespace discreet::local
