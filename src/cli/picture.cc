#include "discreet/cli/picture.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/shell.h"
#include "discreet/policy/names.h"

namespace discreet::cli {

Status is_picture_name(const std::string& path) {
  const std::filesystem::path name(path);
  const std::string ending = policy::lower(name.extension().string());
  if (ending == ".svg") return {};
  struct stat about {};
  if (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return {};
  std::filesystem::path better = name;
  better.replace_extension(".svg");
  Phrase hint = advise("plot", printable(better.string()));
  // rsvg-convert's own kinds
  for (const char* kind : {".png", ".pdf", ".ps", ".eps"})
    if (ending == kind)
      hint += fmt::format("; then rsvg-convert --format {} --output {} {} converts it", kind + 1,
                          printable(shell_word(path)), printable(shell_word(better.string())));
  return bad_parameter(
      "plot", fmt::format("found {}; accepted is a name that ends in .svg", quote(path)), hint);
}

Status check_pictures(const CLI::App& app) {
  for (const CLI::App* verb : app.get_subcommands()) {
    const CLI::Option* plot = verb->get_option_no_throw("--plot");
    if (plot != nullptr && plot->count() > 0) TRY(is_picture_name(plot->as<std::string>()));
    TRY(check_pictures(*verb));
  }
  return {};
}

}  // namespace discreet::cli
