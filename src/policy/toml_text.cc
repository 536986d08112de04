#include "discreet/policy/toml_text.h"

#include <fmt/format.h>

#include <cctype>

namespace discreet::policy {

using std::string;

string toml_text(std::string_view text) {
  string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

string toml_key(std::string_view name) {
  bool bare = !name.empty();
  for (const char c : name)
    bare = bare && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-');
  return bare ? string(name) : toml_text(name);
}

string toml_number(const string& written) {
  const auto digits = [&](std::size_t& at) {
    const std::size_t begin = at;
    while (at < written.size() && std::isdigit(static_cast<unsigned char>(written[at])) != 0) ++at;
    return at - begin;
  };
  std::size_t at = 0;
  const std::size_t whole = digits(at);
  bool fine = whole == 1 || (whole > 1 && written[0] != '0');
  if (fine && at < written.size() && written[at] == '.') fine = digits(++at) > 0;
  if (fine && at < written.size() && (written[at] == 'e' || written[at] == 'E')) {
    ++at;
    if (at < written.size() && (written[at] == '-' || written[at] == '+')) ++at;
    fine = digits(at) > 0;
  }
  return fine && at == written.size() ? written : toml_text(written);
}

string end_text(const Rational& end, Type type) {
  if (!is_time(type)) return to_decimal(end);
  // Dates are whole days; of a moment's seconds the fraction is microseconds.
  const Rational scaled = type == Type::kDate ? end : Rational(end * 1'000'000);
  Integer whole;
  mpz_fdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  return type == Type::kDate ? show_date(whole.get_si()) : show_timestamp(whole.get_si());
}

string range_text(const Interval& range, Type type) {
  const auto written = [&](const Rational& end) {
    const string text = end_text(end, type);
    if (is_time(type)) return toml_text(text);
    const bool negative = text.starts_with("-");
    string number = toml_number(negative ? text.substr(1) : text);
    if (!negative) return number;
    return number.starts_with("\"") ? toml_text(text) : "-" + number;
  };
  return fmt::format("[{}, {}]", written(range.low), written(range.high));
}

}  // namespace discreet::policy
