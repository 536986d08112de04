#include "discreet/render/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace discreet::render {

using std::string;
using State = plan::LeftOut::State;

namespace {

// 0.2312 → 23; small shares with a digit more.
string percent(double share) {
  const double value = 100 * share;
  if (value > 0 && value < 0.1) return "0.1";
  return value < 9.95 && value != std::floor(value) ? fmt::format("{:.1f}", value)
                                                    : fmt::format("{:.0f}", value);
}

string about(const plan::Share& share) {
  return fmt::format("about {} % of", percent(share.share));
}

string range(const plan::Share& share) {
  return fmt::format("{} to {}", percent(share.lower), percent(share.upper));
}

// The flag that would keep more.
string advice(const service::Reply& reply) {
  const plan::LeftOut& left_out = *reply.answer.left_out;
  if (!left_out.enough || left_out.rows.share < 0.01) return {};
  return fmt::format("; --max-rows-total {} would keep 99 %", *left_out.enough);
}

// What there is to say of a value that was chosen in another way than by rank.
string way_line(const plan::Answer& answer, std::size_t column, const string& unit) {
  const bool withheld = std::any_of(answer.rows.begin(), answer.rows.end(), [&](const auto& row) {
    return column < row.size() && row[column].value.null;
  });
  const plan::Answer::Way& way = *answer.ways[column];
  switch (way.noise) {
    case plan::Noise::kSmooth:
      return "noise by its smooth sensitivity; how much that is would tell on the rows, so no ± is "
             "shown (explain says what to expect)";
    case plan::Noise::kStable:
      return withheld ? fmt::format(
                            "NULL is an answer withheld: a value is told where it is about "
                            "{:.0f} {}s ahead of any other",
                            std::ceil(way.ahead), unit)
                      : "";
    case plan::Noise::kProposed:
      return withheld ? fmt::format(
                            "NULL is an answer withheld: {}s could change it by more than "
                            "the bound that was proposed; a larger bound => … may pass",
                            unit)
                      : "";
    case plan::Noise::kExponential:
    case plan::Noise::kLaplace:
    case plan::Noise::kGaussian:
      break;
  }
  return {};
}

}  // namespace

string left_out_caption(const plan::LeftOut& left_out, const string& unit) {
  switch (left_out.state) {
    case State::kNothing:
      return {};
    case State::kNotMeasured:
      return "what bounding left out: not measured";
    case State::kMeasured:
      break;
  }
  return fmt::format("left out by bounding: {} rows ({}), of {} % of {}s", about(left_out.rows),
                     range(left_out.rows), percent(left_out.units.share), unit);
}

std::vector<string> honest_lines(const service::Reply& reply, const string& unit,
                                 const Rational& confidence) {
  std::vector<string> out;
  if (!reply.answer.left_out || !reply.plan || reply.plan->parts.empty()) return out;
  const plan::LeftOut& left_out = *reply.answer.left_out;
  switch (left_out.state) {
    case State::kNothing:
      out.push_back(fmt::format("nothing was left out: no {} has more rows than may count", unit));
      break;
    case State::kNotMeasured:
      out.emplace_back("left out by bounding: not measured");
      break;
    case State::kMeasured:
      out.push_back(left_out_caption(left_out, unit) + "; counts and sums are too low by that" +
                    advice(reply));
      break;
  }
  if (left_out.guessed)
    out.push_back(
        fmt::format("too few {}s at this ε to see how many rows each has, so how many may count is "
                    "a guess; say "
                    "it with --max-rows-total, or ask with more",
                    unit));
  if (left_out.clamped)
    out.push_back(fmt::format("values beyond their bounds, counted as the nearest: {} them ({})",
                              about(*left_out.clamped), range(*left_out.clamped)));
  if (left_out.groups_from) {
    if (reply.answer.rows.empty())
      out.push_back(
          fmt::format("no group is shown: only those of more than about {} {}s surely are",
                      *left_out.groups_from, unit));
    else
      out.push_back(fmt::format("groups of fewer than about {} {}s may be missing",
                                *left_out.groups_from, unit));
  } else if (reply.answer.rows.empty()) {
    out.emplace_back("no group is shown: none of the public ones can pass WHERE and HAVING");
  }
  for (std::size_t i = 0; i < reply.answer.unseen.size(); ++i)
    if (reply.answer.unseen[i])
      out.push_back(fmt::format(
          "{}: too few {}s at this ε to see how large the values are, so it says nothing; declare "
          "their range in the policy, or ask with more",
          reply.answer.columns[i], unit));
  for (std::size_t i = 0; i < reply.answer.ranks.size(); ++i)
    if (reply.answer.ranks[i])
      out.push_back(fmt::format("{}: within {:.0f} ranks of the one asked for, {} % of the time",
                                reply.answer.columns[i], std::ceil(*reply.answer.ranks[i]),
                                to_double(Rational(confidence * 100))));
  for (std::size_t i = 0; i < reply.answer.ways.size(); ++i)
    if (reply.answer.ways[i])
      if (string line = way_line(reply.answer, i, unit); !line.empty())
        out.push_back(reply.answer.columns[i] + ": " + std::move(line));
  return out;
}

}  // namespace discreet::render
