// What `discreet mechanism NAME` prints: a release, a distribution, accuracy, cost, a picture; and
// the list of all.
#pragma once

#include "discreet/cli/command.h"
#include "discreet/cli/mechanism_input.h"
#include "discreet/mechanism/entry.h"

namespace discreet::cli {

Status show_release(const mechanism::Mechanism& made, const mechanism::Value& input, bool json);
// The same of a value that nobody has seen; `more` are fields that stand beside it in JSON.
Status show_release(const mechanism::Mechanism& made,
                    const mechanism::Exact<mechanism::Value>& input, bool json,
                    const std::string& more);
// Refuses what would show private input without noise, unless that is asked for; before any of it
// is read. An accuracy may be computed from it (Entry::accuracy_is_private), and a distribution
// tells what it was computed from: one of typed numbers is for those that are made up.
Status check_shown(const mechanism::Entry& entry, const MechanismOptions& options);
Status show_pmf(const mechanism::Mechanism& made, const mechanism::Value& input,
                const mechanism::Window& window, bool json);
// Says so where it is private.
Status show_accuracy(const mechanism::Entry& entry, const mechanism::Mechanism& made,
                     const std::optional<mechanism::Value>& input, const MechanismOptions& options);
Status show_cost(const mechanism::Mechanism& made, bool json);
// The distributions on the input and on a neighbour of it, side by side, as an SVG file.
Status show_plot(const mechanism::Entry& entry, const mechanism::Mechanism& made,
                 const mechanism::Value& input, const std::string& path, bool json);

enum class ListForm { kText, kJson, kMarkdown };
Status show_list(ListForm form);

// "ε = 0.5, add-remove".
std::string guarantee_text(const privacy::Guarantee& guarantee);

}  // namespace discreet::cli
