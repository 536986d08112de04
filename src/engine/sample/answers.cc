#include "discreet/engine/sample/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"

namespace discreet::engine::sample {
namespace {

using Clock = std::chrono::steady_clock;
using mechanism::Value;

class Run {
 public:
  Run(const Function& function, const std::vector<std::string>& blocks, const Question& question)
      : function_(function), blocks_(blocks), question_(question), answers_(blocks.size()) {}

  void work() {
    for (std::size_t i = next_++; i < blocks_.size() && !stopped(); i = next_++) {
      const Clock::time_point start = Clock::now();
      answers_[i] = function_.answer(blocks_[i]);
      rest_until(start);
      const std::lock_guard lock(mutex_);
      if (question_.done) question_.done();
    }
  }
  bool stopped() const { return question_.stop != nullptr && question_.stop->load(); }
  std::vector<std::optional<std::string>>& answers() { return answers_; }

 private:
  void rest_until(Clock::time_point start) const {
    const auto end = start + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(question_.slot));
    while (Clock::now() < end && !stopped())
      std::this_thread::sleep_for(
          std::min<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(100)));
  }

  const Function& function_;
  const std::vector<std::string>& blocks_;
  const Question& question_;
  std::vector<std::optional<std::string>> answers_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
};

Value labels_of(const std::vector<std::optional<std::string>>& answers,
                const std::string& otherwise) {
  mechanism::Labels out;
  for (const auto& answer : answers) out.push_back({out.size(), answer.value_or(otherwise)});
  return out;
}

Value numbers_of(const std::vector<std::optional<std::string>>& answers,
                 const Rational& otherwise) {
  mechanism::Numbers out;
  for (const auto& answer : answers)
    out.push_back((answer ? parse_number(*answer, Rounding::kDown) : Result<Rational>(otherwise))
                      .value_or(otherwise));
  return out;
}

}  // namespace

Result<mechanism::Exact<Value>> block_answers(const Function& function,
                                              const std::vector<std::string>& blocks,
                                              const Question& question) {
  const auto otherwise = parse_number(question.otherwise, Rounding::kDown);
  if (question.numbers && !otherwise)
    return bad_parameter("default", fmt::format("found {}; accepted is a number, such as 0",
                                                quote(question.otherwise)));
  Run run(function, blocks, question);
  const unsigned jobs = question.jobs > 0 ? question.jobs : std::thread::hardware_concurrency();
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs, blocks.size()); ++i) {
    try {
      others.emplace_back([&run] { run.work(); });
    } catch (const std::system_error&) {  // no more threads: those that are there do the rest
      break;
    }
  }
  run.work();
  for (std::thread& other : others) other.join();
  if (run.stopped()) return fail(Code::kInterrupted, "interrupted; nothing was released");
  return mechanism::Exact<Value>::from_private(question.numbers
                                                   ? numbers_of(run.answers(), *otherwise)
                                                   : labels_of(run.answers(), question.otherwise));
}

}  // namespace discreet::engine::sample
