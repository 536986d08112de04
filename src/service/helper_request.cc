#include "discreet/service/helper_request.h"

#include <charconv>

#include "discreet/base/version.h"
#include "discreet/service/helper_line.h"
#include "discreet/service/terms.h"

namespace discreet::service {
namespace {

using std::string;

// An optional is its text, or nothing at all where that is empty; texts begin with a mark.
string text_of(const std::optional<Rational>& number) { return number ? number->get_str() : ""; }
string text_of(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "";
}
string text_of(const std::optional<string>& text) { return text ? "=" + *text : ""; }

bool read(const string& text, std::optional<Rational>& out) {
  if (text.empty()) return true;
  Rational number;
  if (number.set_str(text, 10) != 0 || number.get_den() == 0) return false;
  number.canonicalize();
  out = number;
  return true;
}
template <class T>
bool read_whole(const string& text, T& out) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc() && end == text.data() + text.size();
}
bool read(const string& text, std::optional<std::int64_t>& out) {
  if (text.empty()) return true;
  std::int64_t number = 0;
  if (!read_whole(text, number)) return false;
  out = number;
  return true;
}
bool read(const string& text, std::optional<string>& out) {
  if (!text.empty()) out = text.substr(1);
  return text.empty() || text[0] == '=';
}

}  // namespace

string fingerprint(const policy::Policy& policy, const plan::Plan& plan,
                   const plan::Presenting& presenting) {
  const ledger::Request request = request_of(policy, plan, "", presenting);
  std::vector<string> parts = {request.query, request.plan, request.epsilon.get_str(),
                               request.delta.get_str(), plan::json(plan)};
  for (const auto& event : request.events) {
    parts.push_back(event.expression);
    parts.push_back(event.epsilon.get_str());
    parts.push_back(event.delta.get_str());
  }
  return joined(parts);
}

string message_of(const Opening& opening) {
  return joined({string(version()), opening.text, opening.path, opening.directory, opening.folder,
                 std::to_string(opening.limits.memory), std::to_string(opening.limits.threads),
                 std::to_string(opening.limits.queries)});
}

std::optional<Opening> read_opening(const string& message) {
  const auto parts = parted(message, 8);
  if (!parts || (*parts)[0] != version()) return {};
  Opening out{(*parts)[1], (*parts)[2], (*parts)[3], (*parts)[4], {}};
  if (!read_whole((*parts)[5], out.limits.memory) || !read_whole((*parts)[6], out.limits.threads) ||
      !read_whole((*parts)[7], out.limits.queries))
    return {};
  return out;
}

string message_of(const Preparing& preparing) {
  const plan::Options& o = preparing.options;
  return joined({preparing.text, text_of(o.epsilon), text_of(o.delta), text_of(o.max_groups),
                 text_of(o.max_rows), text_of(o.max_total), text_of(o.min_units),
                 o.measure_bounds ? "1" : "0", o.assume_bounds ? "1" : "0", text_of(o.selection),
                 text_of(o.unit_column), text_of(o.default_delta), preparing.known.json(),
                 preparing.only_surveys ? "1" : "0", preparing.presenting.confidence.get_str(),
                 preparing.presenting.nonnegative ? "1" : "0", preparing.fingerprint});
}

std::optional<Preparing> read_preparing(const string& message) {
  const auto parts = parted(message, 17);
  if (!parts) return {};
  const std::vector<string>& p = *parts;
  Preparing out;
  out.text = p[0];
  plan::Options& o = out.options;
  std::optional<Rational> confidence;
  if (!read(p[1], o.epsilon) || !read(p[2], o.delta) || !read(p[3], o.max_groups) ||
      !read(p[4], o.max_rows) || !read(p[5], o.max_total) || !read(p[6], o.min_units) ||
      !read(p[9], o.selection) || !read(p[10], o.unit_column) || !read(p[11], o.default_delta) ||
      !read(p[14], confidence) || !confidence)
    return {};
  o.measure_bounds = p[7] == "1";
  o.assume_bounds = p[8] == "1";
  auto known = plan::Profile::read(p[12]);
  if (!known) return {};
  out.known = std::move(*known);
  out.only_surveys = p[13] == "1";
  out.presenting.confidence = *confidence;
  out.presenting.nonnegative = p[15] == "1";
  out.fingerprint = p[16];
  return out;
}

string message_of(const Error& error) {
  return joined(
      {std::to_string(static_cast<int>(error.code)), error.message.text(), error.hint.text()});
}

std::optional<Error> read_error(const string& message) {
  const auto parts = parted(message, 3);
  int code = 0;
  if (!parts || !read_whole((*parts)[0], code)) return {};
  for (const Code known :
       {Code::kFailure, Code::kUsage, Code::kRefused, Code::kBudget, Code::kInterrupted})
    if (static_cast<int>(known) == code) return Error{known, (*parts)[1], (*parts)[2], {}, {}};
  return {};
}

}  // namespace discreet::service
