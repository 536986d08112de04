#include "discreet/channel/gain.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/channel/channel.h"

namespace discreet::channel {

Result<Gain> Gain::identity(std::size_t size) {
  auto graph = TRY(Graph::path(size));
  return Gain(Kind::kIdentity, size, std::move(graph));
}

Result<Gain> Gain::distance(const Graph& graph) {
  return Gain(Kind::kDistance, graph.size(), graph);
}

Result<Gain> Gain::table(std::size_t guesses, std::size_t size, std::vector<Rational> entries) {
  TRY(check_extent(guesses, size));
  if (entries.size() != guesses * size) {
    return fail(Code::kUsage, fmt::format("{} entries for a gain of {} guesses and {} true values",
                                          entries.size(), guesses, size));
  }
  auto graph = TRY(Graph::path(size));
  Gain out(Kind::kTable, guesses, std::move(graph));
  out.entries_ = std::move(entries);
  return out;
}

Rational Gain::at(std::size_t guess, std::size_t truth) const {
  switch (kind_) {
    case Kind::kIdentity:
      return guess == truth ? 1 : 0;
    case Kind::kDistance:
      return -Rational(graph_.distance(static_cast<Node>(guess), static_cast<Node>(truth)));
    case Kind::kTable:
      return entries_[guess * size() + truth];
  }
  return 0;
}

bool is_monotone(const Gain& gain) {
  if (gain.guesses() != gain.size()) return false;
  for (std::size_t y = 0; y < gain.size(); ++y) {
    for (std::size_t w = 0; w + 1 < gain.guesses(); ++w) {
      const bool towards = w < y;
      const Rational here = gain.at(w, y), next = gain.at(w + 1, y);
      if (towards ? here > next : here < next) return false;
    }
  }
  return true;
}

}  // namespace discreet::channel
