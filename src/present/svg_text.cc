#include "discreet/present/svg_text.h"

#include <fmt/format.h>

#include "discreet/present/table.h"

namespace discreet::present {

const char* const kSheet =
    "<style>"
    ".page{fill:#fff}.ink{fill:#222}.grid{stroke:#ddd}.frame{stroke:#888;fill:none}"
    ".error{stroke:#222;fill:none}"
    "@media(prefers-color-scheme:dark){.page{fill:#1b1e23}.ink{fill:#e4e4e4}.grid{stroke:#3a3f47}"
    ".error{stroke:#e4e4e4}}"
    "text{font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12px}"
    "</style>\n";

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view more) {
  return fmt::format(
      "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
      anchor, more, escape(text));
}

}  // namespace discreet::present
