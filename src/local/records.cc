#include "discreet/local/records.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr char kBetween = '\t';

}  // namespace

Result<By> read_by(std::string_view name) {
  if (name == name_of(By::kSampling)) return By::kSampling;
  if (name == name_of(By::kSplitting)) return By::kSplitting;
  return bad_parameter("by", fmt::format("found '{}'; accepted is sampling or splitting", name));
}

std::string_view name_of(By by) { return by == By::kSampling ? "sampling" : "splitting"; }

Result<std::unique_ptr<Records>> Records::create(const Entry& entry, const Parameters& parameters,
                                                 const std::vector<std::size_t>& domains, By by) {
  if (domains.empty() || domains.size() > kMostAttributes)
    return bad_parameter("domains", fmt::format("found {} attributes; accepted are 1 to {}",
                                                domains.size(), kMostAttributes));
  if (entry.task != Task::kFrequencies)
    return bad_parameter("protocol", fmt::format("found '{}', which is about numbers; accepted for "
                                                 "records is a protocol of frequencies",
                                                 entry.name));
  Parameters one = parameters;
  if (one.epsilon && by == By::kSplitting)
    *one.epsilon /= Rational(static_cast<unsigned long>(domains.size()));
  std::vector<std::unique_ptr<const FrequencyProtocol>> parts;
  for (const std::size_t domain : domains) {
    one.domain = domain;
    ProtocolPointer made = TRY(entry.make(one));
    const auto* part = dynamic_cast<const FrequencyProtocol*>(made.get());
    if (part == nullptr)
      return fail(Code::kFailure, fmt::format("'{}' tells no frequencies", entry.name));
    (void)made.release();
    parts.emplace_back(part);
  }
  return std::unique_ptr<Records>(new Records(std::move(parts), by));
}

Records::Records(std::vector<std::unique_ptr<const FrequencyProtocol>> parts, By by)
    : parts_(std::move(parts)), by_(by) {
  const bool sampling = by_ == By::kSampling;
  const auto m = static_cast<double>(parts_.size());
  name_ = fmt::format("records of {} by {}", parts_.front()->constants().name, name_of(by_));
  constants_ = {.name = name_, .epsilon = 0, .domain = 0, .words = 0, .counters = parts_.size()};
  if (sampling) constants_.bits = std::log2(m);
  double largest_bits = 0;
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const Constants& c = parts_[j]->constants();
    words_at_.push_back(sampling ? 1 : constants_.words);
    counters_at_.push_back(constants_.counters);
    constants_.counters += c.counters;
    constants_.variance = std::max(constants_.variance, sampling ? m * c.variance : c.variance);
    if (sampling) {
      constants_.epsilon = std::max(constants_.epsilon, c.epsilon);
      constants_.words = std::max(constants_.words, 1 + c.words);
      largest_bits = std::max(largest_bits, c.bits);
    } else {
      constants_.epsilon += c.epsilon;
      constants_.words += c.words;
      constants_.bits += c.bits;
    }
    constants_.own.emplace_back(fmt::format("domain-{}", j), static_cast<double>(c.domain));
    for (const auto& [name, value] : c.own)
      constants_.own.emplace_back(fmt::format("{}-{}", name, j), value);
  }
  constants_.bits += largest_bits;
}

std::span<const Word> Records::part(std::size_t j, std::span<const Word> report) const {
  return report.subspan(words_at_[j], parts_[j]->constants().words);
}

Status Records::perturb(std::span<const Value> records, random::Source& source,
                        std::span<Word> reports) const {
  const std::size_t m = parts_.size(), people = records.size() / m;
  for (std::size_t at = 0; at < records.size(); ++at) {
    const std::size_t domain = parts_[at % m]->constants().domain;
    if (records[at] >= domain)
      return bad_parameter("value", fmt::format("attribute {}: found a value that is not in its "
                                                "domain; accepted is a number from 0 to {}",
                                                at % m + 1, domain - 1));
  }
  // Which attribute is drawn is public, so that people of the same one can be taken together.
  const bool sampling = by_ == By::kSampling;
  std::array<std::uint64_t, 512> drawn;
  std::vector<std::size_t> who;
  std::vector<Value> values;
  std::vector<Word> told;
  std::fill(reports.begin(), reports.end(), 0);
  for (std::size_t start = 0; start < people; start += drawn.size()) {
    const std::size_t count = std::min(drawn.size(), people - start);
    if (sampling) TRY(random::fill_uniform_below(source, m, std::span(drawn).first(count)));
    for (std::size_t j = 0; j < m; ++j) {
      who.clear(), values.clear();
      for (std::size_t i = 0; i < count; ++i)
        if (!sampling || drawn[i] == j) {
          who.push_back(start + i);
          values.push_back(records[(start + i) * m + j]);
        }
      const std::size_t words = parts_[j]->constants().words;
      told.resize(who.size() * words);
      TRY(parts_[j]->perturb(values, source, told));
      for (std::size_t i = 0; i < who.size(); ++i) {
        const std::size_t at = who[i] * constants_.words;
        if (sampling) reports[at] = static_cast<Word>(j);
        std::copy_n(&told[i * words], words, &reports[at + words_at_[j]]);
      }
    }
  }
  return {};
}

void Records::write(std::span<const Word> report, std::string& line) const {
  if (by_ == By::kSampling) {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}{}"), report[0], kBetween);
    // a file can hold any words (State::check): what isn't a report mustn't read back as one
    if (report[0] < parts_.size()) parts_[report[0]]->write(part(report[0], report), line);
    return;
  }
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    if (j > 0) line += kBetween;
    parts_[j]->write(part(j, report), line);
  }
}

Fault Records::read(std::string_view line, std::span<Word> report) const {
  if (by_ == By::kSampling) {
    std::fill(report.begin(), report.end(), 0);
    const std::size_t end = line.find(kBetween);
    const Fault fault = read_index(line.substr(0, end), parts_.size(), report[0]);
    if (fault == Fault::kMalformed) return fault;
    if (end == std::string_view::npos) return Fault::kWrongLength;
    if (fault != Fault::kNone) return fault;
    const std::size_t j = report[0];
    return parts_[j]->read(line.substr(end + 1), report.subspan(1, parts_[j]->constants().words));
  }
  const auto tabs = std::count(line.begin(), line.end(), kBetween);
  if (static_cast<std::size_t>(tabs) + 1 != parts_.size()) return Fault::kWrongLength;
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const std::size_t end = std::min(line.find(kBetween), line.size());
    const Fault fault = parts_[j]->read(line.substr(0, end),
                                        report.subspan(words_at_[j], parts_[j]->constants().words));
    if (fault != Fault::kNone) return fault;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return Fault::kNone;
}

void Records::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  const auto add = [&](std::size_t j, std::span<const Word> report) {
    ++counters[j];
    parts_[j]->count(part(j, report),
                     counters.subspan(counters_at_[j], parts_[j]->constants().counters));
  };
  for (std::size_t at = 0; at < reports.size(); at += constants_.words) {
    const std::span<const Word> report = reports.subspan(at, constants_.words);
    if (by_ == By::kSampling)
      add(report[0], report);
    else
      for (std::size_t j = 0; j < parts_.size(); ++j) add(j, report);
  }
}

bool Records::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  const std::span<const std::uint64_t> told = counters.first(parts_.size());
  const bool all = by_ == By::kSampling
                       ? sum_to(told, users)
                       : std::all_of(told.begin(), told.end(), [=](auto n) { return n == users; });
  if (!all) return false;
  for (std::size_t j = 0; j < parts_.size(); ++j)
    if (!parts_[j]->fits(counters.subspan(counters_at_[j], parts_[j]->constants().counters),
                         told[j]))
      return false;
  return true;
}

// P[(j, r)|x] = P_j[r|x_j]/m, or Π_j P_j[r_j|x_j]
Ball Records::probability(std::span<const Value> record, std::span<const Word> report,
                          long bits) const {
  if (by_ == By::kSampling) {
    const std::size_t j = report[0];
    return div(parts_[j]->probability(record[j], part(j, report), bits),
               Ball(static_cast<long>(parts_.size())), bits);
  }
  Ball out(1);
  for (std::size_t j = 0; j < parts_.size(); ++j)
    out = mul(out, parts_[j]->probability(record[j], part(j, report), bits), bits);
  return out;
}

Result<std::vector<Word>> Records::outcomes() const {
  // one attribute more at a time; each report has all its words from the start
  std::vector<Word> out;
  if (by_ == By::kSplitting) out.resize(constants_.words);
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const std::vector<Word> own = TRY(parts_[j]->outcomes());
    const std::size_t words = parts_[j]->constants().words, reports = own.size() / words;
    std::vector<Word> more;
    if (by_ == By::kSampling) {
      more = std::move(out);
      out.assign(constants_.words, 0);
      out[0] = static_cast<Word>(j);
    }
    const std::size_t before = out.size() / constants_.words;
    if (before * reports + more.size() / constants_.words > kMostOutcomes)
      return bad_parameter("domains", fmt::format("found too many reports; accepted are {} at most "
                                                  "to list",
                                                  kMostOutcomes));
    for (std::size_t i = 0; i < before; ++i)
      for (std::size_t r = 0; r < reports; ++r) {
        more.insert(more.end(), out.begin() + static_cast<std::ptrdiff_t>(i * constants_.words),
                    out.begin() + static_cast<std::ptrdiff_t>((i + 1) * constants_.words));
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(r * words), words,
                    more.end() - static_cast<std::ptrdiff_t>(constants_.words - words_at_[j]));
      }
    out = std::move(more);
  }
  return out;
}

}  // namespace discreet::local
