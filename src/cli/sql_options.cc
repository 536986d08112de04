#include "discreet/cli/sql_options.h"

#include <algorithm>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"

namespace discreet::cli {

Status SqlOptions::check_format() const {
  const std::vector<std::string> formats = {"table",     "csv",      "json",
                                            "jsonlines", "markdown", "parquet"};
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    return bad_parameter(
        "format",
        "found " + quote(format) + "; accepted is table, csv, json, jsonlines, markdown or parquet",
        nearest(format, formats).empty() ? "" : did_you_mean(format, formats));
  if (format == "parquet" && output.empty())
    return fail(Code::kUsage, given("format", "parquet") + " needs a file", "add -o FILE.parquet");
  return {};
}

}  // namespace discreet::cli
