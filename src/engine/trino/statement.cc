#include "discreet/engine/trino/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace discreet::engine::trino {

using std::string;
using Clock = std::chrono::steady_clock;

namespace {

tl::unexpected<Failed> failed(Failed::Kind kind, string name = {}) {
  return tl::unexpected<Failed>(Failed{kind, std::move(name)});
}

bool wait_patiently(std::chrono::milliseconds length, const Leave& leave) {
  const auto until = Clock::now() + length;
  constexpr std::chrono::milliseconds kLook{50};
  for (auto now = Clock::now(); now < until; now = Clock::now()) {
    if (leave.asked() || leave.late()) return false;
    std::this_thread::sleep_for(std::min<Clock::duration>(kLook, until - now));
  }
  return true;
}

// A gateway's ways to say "not now"; Trino itself says none of them.
bool is_passing(long status) { return status == 502 || status == 503 || status == 504; }

// The conversation about one statement.
class Talk {
 public:
  Talk(Http& http, const Statement& statement, const Watch& watch, const Patience& patience)
      : http_(http), statement_(statement), watch_(watch), patience_(patience) {
    leave_.stop = watch.stop;
    if (watch.timeout_seconds > 0)
      leave_.at = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(watch.timeout_seconds));
  }
  // Whatever way it ends before its end: the server needn't go on.
  ~Talk() {
    if (next_.empty()) return;
    Exchange cancel;
    cancel.verb = Exchange::Verb::kDelete;
    cancel.path = next_;
    constexpr std::chrono::seconds kLongest{3};
    (void)http_.send(cancel, {nullptr, Clock::now() + kLongest});
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  tl::expected<void, Failed> run(const std::function<bool(const Cell*)>& take) {
    const Reader reader(statement_.types);
    Exchange exchange = first();
    for (std::uint64_t pages = 0; pages < patience_.pages; ++pages) {
      auto answer = ask(exchange);
      if (!answer) return tl::unexpected<Failed>(answer.error());
      bytes_ += answer->body.size();
      auto page = reader.read(answer->body);
      if (!page) return failed(begun_ ? Failed::Kind::kBroken : Failed::Kind::kNotTrino);
      // Every page is of the one query.
      if (begun_ && page->id != id_) return failed(Failed::Kind::kBroken);
      id_ = page->id;
      begun_ = true;
      next_.clear();
      if (!page->next_uri.empty()) {
        const auto path = next_path(page->next_uri);
        if (!path) return failed(Failed::Kind::kBroken);
        next_ = *path;
      }
      if (page->error) return failed(Failed::Kind::kBroken, *page->error);
      if (bytes_ > patience_.all_bytes) return failed(Failed::Kind::kBroken);
      for (std::size_t i = 0; i < page->cells.size(); i += statement_.types.size())
        if (!take(&page->cells[i])) return failed(Failed::Kind::kBroken);
      if (watch_.progress) watch_.progress(page->percent);
      if (next_.empty()) {
        // An end without an error is an end only of what has finished, and has said of what types
        // its rows are.
        if (page->state != "FINISHED" || !(has_columns_ || page->has_columns))
          return failed(Failed::Kind::kBroken);
        return {};
      }
      has_columns_ = has_columns_ || page->has_columns;
      if (leave_.asked()) return failed(Failed::Kind::kStopped);
      if (leave_.late()) return failed(Failed::Kind::kLate);
      exchange = Exchange{};
      exchange.path = next_;
      exchange.most_bytes = patience_.page_bytes;
    }
    return failed(Failed::Kind::kBroken);
  }

 private:
  Exchange first() const {
    Exchange out;
    out.verb = Exchange::Verb::kPost;
    out.path = "/v1/statement";
    out.body = statement_.sql;
    out.most_bytes = patience_.page_bytes;
    out.headers = {"X-Trino-Source: discreet", "X-Trino-Time-Zone: UTC",
                   "X-Trino-Client-Capabilities: PARAMETRIC_DATETIME"};
    if (!statement_.catalog.empty())
      out.headers.push_back("X-Trino-Catalog: " + statement_.catalog);
    if (!statement_.schema.empty()) out.headers.push_back("X-Trino-Schema: " + statement_.schema);
    for (const string& one : statement_.session) out.headers.push_back("X-Trino-Session: " + one);
    // The server ends it too, should we be gone by then.
    if (watch_.timeout_seconds > 0)
      out.headers.push_back(
          fmt::format("X-Trino-Session: query_max_run_time={}s",
                      static_cast<std::int64_t>(std::ceil(watch_.timeout_seconds)) + 1));
    return out;
  }

  // Asks until there is an answer that is one, or no more patience.
  tl::expected<Answer, Failed> ask(const Exchange& exchange) {
    const auto pause = patience_.wait ? patience_.wait : wait_patiently;
    std::chrono::milliseconds length{50};
    Failed::Kind kind = Failed::Kind::kBroken;
    for (int tried = 0; tried < patience_.tries; ++tried) {
      if (tried > 0) {
        if (!pause(length, leave_)) break;
        length = std::min(2 * length, std::chrono::milliseconds{2000});
      }
      auto answer = http_.send(exchange, leave_);
      if (answer) {
        if (answer->status == 200 && answer->json) return std::move(*answer);
        if (answer->status == 401 || answer->status == 403) return failed(Failed::Kind::kUnknown);
        kind = begun_ ? Failed::Kind::kBroken : Failed::Kind::kNotTrino;
        if (!is_passing(answer->status)) return failed(kind);
        kind = begun_ ? Failed::Kind::kBroken : Failed::Kind::kUnreachable;
        continue;
      }
      kind = begun_ ? Failed::Kind::kBroken : Failed::Kind::kUnreachable;
      if (answer.error() == NoAnswer::kUntrusted) return failed(Failed::Kind::kUntrusted);
      if (answer.error() == NoAnswer::kTooLarge)
        return failed(begun_ ? Failed::Kind::kBroken : Failed::Kind::kNotTrino);
      if (answer.error() == NoAnswer::kLeft) break;
      // A page can be asked for twice. A statement that may have come through would run twice.
      if (answer.error() == NoAnswer::kCut && exchange.verb == Exchange::Verb::kPost)
        return failed(Failed::Kind::kNotTrino);
    }
    if (leave_.asked()) return failed(Failed::Kind::kStopped);
    if (leave_.late()) return failed(Failed::Kind::kLate);
    return failed(kind);
  }

  Http& http_;
  const Statement& statement_;
  const Watch& watch_;
  const Patience& patience_;
  Leave leave_;
  string id_, next_;  // the path of the next page; empty: there is none, or no query yet
  std::size_t bytes_ = 0;
  bool begun_ = false, has_columns_ = false;
};

}  // namespace

tl::expected<void, Failed> run(Http& http, const Statement& statement, const Watch& watch,
                               const std::function<bool(const Cell* row)>& take,
                               const Patience& patience) {
  Talk talk(http, statement, watch, patience);
  return talk.run(take);
}

}  // namespace discreet::engine::trino
