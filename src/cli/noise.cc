#include "discreet/cli/command.h"
namespace discreet::cli { void add_noise(CLI::App& app, Action& chosen) { (void)app; (void)chosen; } }
