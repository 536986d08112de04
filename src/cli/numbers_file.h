// Lists of numbers as people hand them over: "500,399,399" on the command line, or a file with one
// a line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/base/number.h"

namespace discreet::cli {

// "yes,no" → yes and no; an empty text is an empty list. A double quote at both ends of an item is
// taken off.
std::vector<std::string> split_list(const std::string& text);

// "500,399,1/3". An error names the option and the item's place; not what stands there, which may
// be private.
Result<std::vector<Rational>> read_number_list(const std::string& option, const std::string& text);

// One number a line, or a label, a comma (or tab) and a number; "#" starts a comment line. A first
// line that ends in one of a few words (kHeaderHelp) is a header: any other might be a record, and
// none may get lost. "-" is standard input. Labels are empty if no line has one. No number at all
// is an empty list: of people, nobody.
struct LabelledNumbers {
  std::vector<std::string> labels;
  std::vector<Rational> numbers;
};
enum class Lines {
  kNumbers,   // labels mean nothing here, so one that is a number may well be meant as one: refused
  kEither,    // labels may be there
  kLabelled,  // and must be
};
Result<LabelledNumbers> read_numbers_file(const std::string& option, const std::string& path,
                                          Lines lines);

// For help: "a first line that ends in …".
extern const std::string_view kHeaderHelp;

// "a=120,b=90": a label and how many units have it, a whole number of at least 0. A label that
// comes twice has the sum. In a file one a line, "label,number".
Result<std::map<std::string, std::int64_t>> read_count_list(const std::string& option,
                                                            const std::string& text);
Result<std::map<std::string, std::int64_t>> read_counts_file(const std::string& option,
                                                             const std::string& path);

// One row a line, its numbers separated by commas; "#" starts a comment line. "-" is standard
// input.
Result<std::vector<std::vector<Rational>>> read_rows_file(const std::string& option,
                                                          const std::string& path);

}  // namespace discreet::cli
