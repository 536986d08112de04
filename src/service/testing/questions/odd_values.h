// Values that break things, as DuckDB's literals.
#pragma once

#include <string>
#include <vector>

namespace discreet::service::testing::questions {

inline const std::vector<std::string> kOddReals = {"0",
                                                   "'-0.0'",
                                                   "1.5",
                                                   "-2.25",
                                                   "'nan'",
                                                   "'inf'",
                                                   "'-inf'",
                                                   "1e300",
                                                   "-1e300",
                                                   "1e-9",
                                                   "'5e-324'",
                                                   "33",
                                                   "NULL",
                                                   "7",
                                                   "'9007199254740992'",
                                                   "49.5",
                                                   "0.1",
                                                   "'1.7976931348623157e308'",
                                                   "'2.2250738585072014e-308'",
                                                   "'-5e-324'"};
inline const std::vector<std::string> kOddWholes = {"0",
                                                    "1",
                                                    "-1",
                                                    "5",
                                                    "NULL",
                                                    "9223372036854775807",
                                                    "-9223372036854775808",
                                                    "9007199254740992",
                                                    "9007199254740993",
                                                    "-9007199254740993",
                                                    "4611686018427387904",
                                                    "12",
                                                    "900",
                                                    "33"};
// The empty text is NULL in CSV: the world leaves it out there, and so it does with NUL.
inline const std::vector<std::string> kOddTexts = {"'a'",
                                                   "'b'",
                                                   "'A'",
                                                   "'Ωmega'",
                                                   "'日本'",
                                                   "'''; DROP TABLE t; --'",
                                                   "'say \"hi\"'",
                                                   "'a,b'",
                                                   "NULL",
                                                   "'NULL'",
                                                   "' a '",
                                                   "'12'",
                                                   "'-0'",
                                                   "'nan'",
                                                   "'2.5e3'",
                                                   "'true'",
                                                   "'2020-02-29'",
                                                   "'x\ny'",
                                                   "'tab\there'",
                                                   "'ÀÉ'",
                                                   "'ß'",
                                                   "'%_'",
                                                   "'👩‍👩‍👧'",
                                                   "'a much longer text than sixteen bytes'",
                                                   "repeat('long ', 3000)"};
inline const std::vector<std::string> kOddTextsOfTypedFiles = {"''", "'a' || chr(0) || 'b'",
                                                               "chr(0)"};
inline const std::vector<std::string> kOddDates = {
    "'2020-02-29'", "'2021-12-31'", "'1969-07-20'", "NULL",         "'2024-01-01'",
    "'0044-03-15'", "'0001-01-01'", "'9999-12-31'", "'2020-03-01'", "'1970-01-01'"};
inline const std::vector<std::string> kDatesBeyond = {"'infinity'", "'-infinity'",
                                                      "'0044-03-15 (BC)'", "'10000-01-01'"};
inline const std::vector<std::string> kOddTimes = {
    "'2020-02-29 23:59:59.5'",      "'1969-07-20 20:17:40'", "NULL",
    "'2024-01-01 00:00:00'",        "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'",
    "'1969-12-31 23:59:59.999999'", "'2020-06-15 12:30:00'"};
inline const std::vector<std::string> kTimesBeyond = {"'infinity'", "'-infinity'",
                                                      "'0044-03-15 (BC) 12:00:00'"};
inline const std::vector<std::string> kTruths = {"TRUE", "FALSE", "NULL"};

}  // namespace discreet::service::testing::questions
