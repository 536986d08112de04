// One line for each area of the command line; each is defined in the file of its name.
#pragma once

#include "discreet/cli/command.h"

namespace discreet::cli {

void add_account(CLI::App& app, Action& chosen);
void add_budget(CLI::App& app, Action& chosen);
void add_channel(CLI::App& app, Action& chosen);
void add_explain(CLI::App& app, Action& chosen);
void add_help(CLI::App& app, Action& chosen);
void add_learn(CLI::App& app, Action& chosen);
void add_local(CLI::App& app, Action& chosen);
void add_mechanism(CLI::App& app, Action& chosen);
void add_noise(CLI::App& app, Action& chosen);
void add_policy(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_sql(CLI::App& app, Action& chosen);

// In the order in which the help lists them. One a line, so that areas added side by side don't
// collide.
inline constexpr Area kAreas[] = {
    {"sql", add_sql},              //
    {"explain", add_explain},      //
    {"profile", add_profile},      //
    {"policy", add_policy},        //
    {"budget", add_budget},        //
    {"account", add_account},      //
    {"mechanism", add_mechanism},  //
    {"channel", add_channel},      //
    {"local", add_local},          //
    {"learn", add_learn},          //
    {"noise", add_noise},          //
    {"help", add_help},            //
};

}  // namespace discreet::cli
