#include "discreet/privacy/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"

namespace discreet::privacy {
namespace {

using Limits = ExpressionLimits;

Integer power_of_ten(unsigned long exponent) {
  Integer out;
  mpz_ui_pow_ui(out.get_mpz_t(), 10, exponent);
  return out;
}

// A parameter of an event: which way it is rounded (towards a higher charge) and what a calibration
// needs to know of it.
struct Parameter {
  const char* name;
  bool required;
  bool protects;  // a larger value means more privacy
  bool whole = false;
  int low = 0, high = 0;  // (low, high); high = 0 is none
};

struct Signature {
  const char* name;
  std::vector<Parameter> parameters;
  std::size_t positional = 0;  // how many may be written without their name
  enum { kNone, kOne, kMany } events = kNone;
};

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all{
      {"gaussian", {{"sigma", true, true}, {"sensitivity", false, false}}},
      {"laplace", {{"scale", true, true}, {"sensitivity", false, false}}},
      {"discrete-gaussian", {{"sigma", true, true}, {"sensitivity", false, false, true}}},
      {"discrete-laplace", {{"scale", true, true}, {"sensitivity", false, false, true}}},
      {"randomized-response", {{"k", true, true, true, 2}, {"epsilon", true, false}}},
      {"exponential", {{"epsilon", true, false}}},
      {"dp", {{"epsilon", true, false}, {"delta", false, false, false, 0, 1}}},
      {"zcdp", {{"rho", true, false}}},
      {"rdp", {{"alpha", true, true, false, 1}, {"epsilon", true, false}}},
      {"poisson", {{"q", true, false, false, 0, 1}}, 1, Signature::kOne},
      {"compose", {}, 0, Signature::kMany},
      {"parallel", {}, 0, Signature::kMany},
  };
  return all;
}

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  for (const Signature& signature : signatures()) names.emplace_back(signature.name);
  return names;
}

constexpr Parameter kCount{"count", true, false, true};

// expression := call ('*' count)*      call := name '(' argument (',' argument)* ')'
// argument   := expression | [name '='] number | [name '='] '?'
class Reader {
 public:
  Reader(const std::string& text, const Rational* value, std::optional<Unknown>& unknown,
         std::size_t& events)
      : text_(text), value_(value), unknown_(unknown), events_(events) {}

  Result<Event> read() {
    auto event = TRY(expression());
    skip_spaces();
    if (at_ < text_.size()) {
      return wrong(
          at_, 1,
          fmt::format("found '{}' after the event, accepted is '*COUNT' or the end", text_[at_]),
          "several events are separate arguments, or compose(EVENT, EVENT)");
    }
    return event;
  }

 private:
  Result<Event> expression() {
    if (++depth_ > Limits::kNesting) return too_deep("compose(EVENT, EVENT) nests only once");
    auto event = call();
    Integer all = 1;
    for (long level = depth_; event; ++level) {
      skip_spaces();
      if (!peek('*')) break;
      if (level > Limits::kNesting) return too_deep("write one count, such as *10^6");
      const std::size_t begin = ++at_;
      auto count = TRY(times());
      all *= std::max(Integer(1), count);
      if (all > power_of_ten(Limits::kCountDigits)) {
        return wrong(begin, at_ - begin,
                     fmt::format("found a count above 10^{}, accepted is at most that",
                                 Limits::kCountDigits),
                     "nothing is left of a guarantee long before");
      }
      event = Event{Repeated{share(std::move(*event)), count}};
    }
    --depth_;
    return event;
  }

  tl::unexpected<Error> too_deep(const char* hint) const {
    return wrong(
        at_, 1,
        fmt::format("found events nested more than {} deep, accepted are at most {} levels",
                    Limits::kNesting, Limits::kNesting),
        hint);
  }

  Result<Integer> times() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != '*' &&
           text_[at_] != ' ')
      ++at_;
    const std::string_view word(text_.data() + begin, at_ - begin);
    auto value = TRY(number(word, begin, kCount));
    if (value.get_den() != 1 || sgn(value) < 0) {
      return wrong(
          begin, word.size(),
          fmt::format("found the count '{}', accepted is a whole number of 0 or more", word));
    }
    return value.get_num();
  }

  Result<Event> call() {
    skip_spaces();
    const std::size_t begin = at_;
    if (++events_ > Limits::kEvents) {
      return wrong(begin, 1,
                   fmt::format("found more than {} events, accepted are at most {}",
                               Limits::kEvents, Limits::kEvents),
                   "equal events are written once, with a count");
    }
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == '_')) {
      ++at_;
    }
    std::string name = text_.substr(begin, at_ - begin);
    std::replace(name.begin(), name.end(), '_', '-');
    if (name.empty()) {
      return wrong(at_, 1,
                   at_ < text_.size()
                       ? fmt::format("found '{}' where an event was expected", text_[at_])
                       : "found the end where an event was expected",
                   "write one like gaussian(sigma=1.1) or laplace(scale=2)*10");
    }
    const auto found = std::find_if(signatures().begin(), signatures().end(),
                                    [&](const Signature& s) { return s.name == name; });
    if (found == signatures().end()) {
      return wrong(begin, at_ - begin, fmt::format("unknown event '{}'", name),
                   did_you_mean(name, event_names()));
    }
    skip_spaces();
    if (!peek('(')) return wrong(at_, 1, fmt::format("found no '(' after {}", name), usage(*found));
    ++at_;
    auto event = TRY(arguments(*found));
    if (auto ok = check(event); !ok) {
      if (ok.error().position) return forward_error(ok);
      return wrong(begin, at_ - begin, ok.error().message, ok.error().hint);
    }
    return event;
  }

  Result<Event> arguments(const Signature& signature) {
    std::vector<std::optional<Rational>> values(signature.parameters.size());
    std::vector<Event> events;
    std::size_t positional = 0;
    for (bool first = true;; first = false) {
      skip_spaces();
      if (peek(')') && first) break;
      const std::size_t begin = at_;
      if (is_event()) {
        if (signature.events == Signature::kNone ||
            (signature.events == Signature::kOne && !events.empty())) {
          return wrong(begin, word_length(),
                       fmt::format("{} takes no {}event here", signature.name,
                                   events.empty() ? "" : "second "),
                       usage(signature));
        }
        auto event = TRY(expression());
        events.push_back(std::move(event));
      } else if (auto ok = parameter(signature, values, positional); !ok) {
        return forward_error(ok);
      }
      skip_spaces();
      if (peek(')')) break;
      if (!peek(',')) {
        return at_ < text_.size()
                   ? wrong(at_, 1,
                           fmt::format("found '{}' in {}, accepted is ',' or ')'", text_[at_],
                                       signature.name))
                   : wrong(at_, 1, fmt::format("{} has no closing ')'", signature.name),
                           usage(signature));
      }
      ++at_;
    }
    const std::size_t end = at_++;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (signature.parameters[i].required && !values[i]) {
        return wrong(end, 1,
                     fmt::format("{} lacks {}", signature.name, signature.parameters[i].name),
                     usage(signature));
      }
    }
    if (signature.events != Signature::kNone && events.empty()) {
      return wrong(end, 1, fmt::format("{} lacks an event", signature.name), usage(signature));
    }
    return build(signature, values, std::move(events), end);
  }

  Status parameter(const Signature& signature, std::vector<std::optional<Rational>>& values,
                   std::size_t& positional) {
    const std::size_t begin = at_;
    const std::size_t equals = find_equals();
    std::size_t index = values.size();
    if (equals != std::string::npos) {
      std::string name = text_.substr(begin, equals - begin);
      while (!name.empty() && name.back() == ' ') name.pop_back();
      std::vector<std::string> names;
      for (std::size_t i = 0; i < values.size(); ++i) {
        names.emplace_back(signature.parameters[i].name);
        if (name == names.back()) index = i;
      }
      if (index == values.size()) {
        return wrong(begin, std::max<std::size_t>(1, name.size()),
                     fmt::format("{} has no parameter '{}'", signature.name, name),
                     names.empty() ? usage(signature) : did_you_mean(name, names));
      }
      at_ = equals + 1;
      skip_spaces();
    } else {
      index = positional;
      if (index >= signature.positional) {
        return wrong(
            begin, word_length(),
            fmt::format("found '{}' in {} without the name of a parameter", word(), signature.name),
            usage(signature));
      }
      ++positional;
    }
    if (values[index]) {
      return wrong(
          begin, std::max<std::size_t>(1, word_length()),
          fmt::format("{} has {} twice", signature.name, signature.parameters[index].name));
    }
    const std::size_t number_at = at_;
    const std::string digits = word();
    at_ += word_length();
    auto value = TRY(number(digits, number_at, signature.parameters[index]));
    if (signature.parameters[index].whole && value.get_den() != 1) {
      return wrong(number_at, digits.size(),
                   fmt::format("{}: {} is {}, accepted is a whole number", signature.name,
                               signature.parameters[index].name, digits));
    }
    values[index] = value;
    return {};
  }

  Result<Rational> number(std::string_view digits, std::size_t begin, const Parameter& parameter) {
    if (digits == "?") {
      if (unknown_ && value_ == nullptr) {
        return wrong(
            begin, 1,
            fmt::format("found a second '?' for {}, accepted is one unknown", parameter.name));
      }
      if (!unknown_) {
        unknown_ = Unknown{parameter.name, parameter.whole, parameter.protects, parameter.low,
                           parameter.high};
      }
      // A stand-in that every check lets through, until the value is known.
      return value_ != nullptr
                 ? *value_
                 : Rational(parameter.whole || parameter.low > 0 ? parameter.low + 1 : 1);
    }
    // A charge goes up: less noise where the number protects, more of everything else.
    auto value = parse_number(digits, parameter.protects ? Rounding::kDown : Rounding::kUp);
    if (!value) {
      return wrong(begin, std::max<std::size_t>(1, digits.size()),
                   parameter.name + (": " + value.error().message), value.error().hint);
    }
    const Rational size = abs(*value), most(power_of_ten(Limits::kDigits));
    const bool count = &parameter == &kCount;
    if (!count && sgn(size) != 0 && (size > most || size * most < 1)) {
      return wrong(
          begin, digits.size(),
          fmt::format("{}: found a number {} than 10^{}{}, accepted is 0 or one from "
                      "10^-{} to 10^{}",
                      parameter.name, size > most ? "larger" : "smaller", size > most ? "" : "-",
                      Limits::kDigits, Limits::kDigits, Limits::kDigits),
          "the nearest that is accepted makes no difference");
    }
    return value;
  }

  Result<Event> build(const Signature& signature,
                      const std::vector<std::optional<Rational>>& values, std::vector<Event> events,
                      std::size_t end) {
    const std::string_view name = signature.name;
    const auto get = [&](std::size_t i, const Rational& otherwise = 0) {
      return values[i].value_or(otherwise);
    };
    if (name == "gaussian") return Event{Gaussian{get(0), get(1, 1)}};
    if (name == "laplace") return Event{Laplace{get(0), get(1, 1)}};
    if (name == "discrete-gaussian") return Event{DiscreteGaussian{get(0), get(1, 1)}};
    if (name == "discrete-laplace") return Event{DiscreteLaplace{get(0), get(1, 1)}};
    if (name == "randomized-response") return Event{RandomizedResponse{get(0).get_num(), get(1)}};
    if (name == "exponential") return Event{Exponential{get(0)}};
    if (name == "dp") return Event{Approximate{get(0), get(1)}};
    if (name == "zcdp") return Event{Concentrated{get(0)}};
    if (name == "rdp") return Event{RenyiBound{get(0), get(1)}};
    if (name == "poisson") return Event{Poisson{get(0), share(std::move(events[0]))}};
    if (name == "compose") return Event{Composed{std::move(events)}};
    if (name == "parallel") return Event{Parallel{std::move(events)}};
    return wrong(end, 1, fmt::format("unknown event '{}'", name));
  }

  static std::string usage(const Signature& signature) {
    std::string inside;
    const auto add = [&](const std::string& piece) {
      inside += (inside.empty() ? "" : ", ") + piece;
    };
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
      const Parameter& p = signature.parameters[i];
      const std::string one = i < signature.positional ? p.name : std::string(p.name) + "=NUMBER";
      add(p.required ? one : "[" + one + "]");
    }
    if (signature.events == Signature::kOne) add("EVENT");
    if (signature.events == Signature::kMany) add("EVENT, EVENT, …");
    return fmt::format("write {}({})", signature.name, inside);
  }

  // An event starts with a name and '('; "ln(" is a number.
  bool is_event() const {
    std::size_t i = at_;
    while (i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) != 0 ||
                                text_[i] == '-' || text_[i] == '_'))
      ++i;
    if (i == at_ || std::isalpha(static_cast<unsigned char>(text_[at_])) == 0) return false;
    const bool is_ln = text_.compare(at_, i - at_, "ln") == 0;
    while (i < text_.size() && text_[i] == ' ') ++i;
    return !is_ln && i < text_.size() && text_[i] == '(';
  }

  // The '=' of this argument, if it has one.
  std::size_t find_equals() const {
    for (std::size_t i = at_;
         i < text_.size() && text_[i] != ',' && text_[i] != ')' && text_[i] != '('; ++i)
      if (text_[i] == '=') return i;
    return std::string::npos;
  }

  // The text up to the ',' or ')' that ends this argument, without the spaces before it.
  std::size_t word_length() const {
    std::size_t i = at_;
    for (int open = 0; i < text_.size(); ++i) {
      if (text_[i] == '(') ++open;
      if (open == 0 && (text_[i] == ',' || text_[i] == ')')) break;
      if (text_[i] == ')') --open;
    }
    while (i > at_ && text_[i - 1] == ' ') --i;
    return i - at_;
  }
  std::string word() const { return text_.substr(at_, word_length()); }

  bool peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  tl::unexpected<Error> wrong(std::size_t at, std::size_t length, Phrase message,
                              Phrase hint = {}) const {
    return fail(Code::kUsage, std::move(message), std::move(hint), Position{text_, at, length});
  }

  const std::string& text_;
  const Rational* value_;
  std::optional<Unknown>& unknown_;
  std::size_t& events_;
  std::size_t at_ = 0;
  long depth_ = 0;
};

Result<Event> read_all(const std::vector<std::string>& texts, const Rational* value,
                       std::optional<Unknown>& unknown) {
  if (texts.empty())
    return fail(Code::kUsage, "found no event, accepted is one or more",
                "write one like gaussian(sigma=1.1)");
  std::vector<Event> events;
  std::size_t count = 0, length = 0;
  for (const std::string& text : texts) {
    length += text.size();
    if (length > Limits::kCharacters) {
      return fail(Code::kUsage,
                  fmt::format("found more than {} characters of events, accepted are at most {}",
                              Limits::kCharacters, Limits::kCharacters),
                  "equal events are written once, with a count");
    }
    auto event = TRY(Reader(text, value, unknown, count).read());
    events.push_back(std::move(event));
  }
  if (events.size() == 1) return std::move(events[0]);
  return Event{Composed{std::move(events)}};
}

}  // namespace

Result<Expression> Expression::parse(std::vector<std::string> texts) {
  Expression out;
  out.texts_ = std::move(texts);
  auto event = TRY(read_all(out.texts_, nullptr, out.unknown_));
  return out;
}

Result<Event> Expression::event() const {
  if (unknown_) {
    const auto text = std::find_if(texts_.begin(), texts_.end(), [](const std::string& t) {
      return t.find('?') != std::string::npos;
    });
    return fail(Code::kUsage, fmt::format("{} is unknown, accepted is a number", unknown_->name),
                "'?' is for calibration", Position{*text, text->find('?'), 1});
  }
  std::optional<Unknown> none;
  return read_all(texts_, nullptr, none);
}

Result<Event> Expression::at(const Rational& value) const {
  std::optional<Unknown> unknown = unknown_;
  return read_all(texts_, &value, unknown);
}

Result<Event> parse_event(std::string_view text) {
  auto expression = TRY(Expression::parse({std::string(text)}));
  return expression.event();
}

}  // namespace discreet::privacy
