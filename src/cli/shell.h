// Words as a shell reads them, for commands that people paste.
//
//   std::string word = shell_word("it's");  // 'it'\''s'
#pragma once

#include <string>
#include <string_view>

namespace discreet::cli {

// As it is where no shell would read anything into it, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace discreet::cli
