// A writer of small Parquet files that checks nothing: any physical type, any annotation, any bits.
//
//   RawColumn seen = raw_wholes("seen", {INT64_MAX});
//   seen.type.converted = 10;  // TIMESTAMP_MICROS
//   write_parquet("t.parquet", {seen});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace discreet::service::testing {

// Numbers as in parquet.thrift; below 0: not there.
struct RawType {
  int physical =
      2;  // 0 BOOLEAN, 1 INT32, 2 INT64, 3 INT96, 4 FLOAT, 5 DOUBLE, 6 BYTE_ARRAY, 7 FIXED
  int length = -1;  // of FIXED
  int converted = -1;
  int scale = -1, precision = -1;
  std::string logical;  // the LogicalType, as Thrift's compact protocol has it
};

struct RawColumn {
  std::string name;
  RawType type;
  std::vector<std::string>
      values;  // each as it lies in the file, but for the length of a BYTE_ARRAY
};

RawColumn raw_reals(std::string name, const std::vector<double>& values);
// 64-bit whole numbers.
RawColumn raw_wholes(std::string name, const std::vector<std::int64_t>& values);

// One row group, one plain page a column; the footer tells the smallest and the largest value of
// signed whole numbers and of doubles (without NaN). (Not of a DECIMAL: one beyond its precision
// there is what docs/threat-model.md names.) All columns are of one length.
void write_parquet(const std::string& file, const std::vector<RawColumn>& columns);

// LogicalTypes: TIME (7) and TIMESTAMP (8) of milli- (1), micro- (2) or nanoseconds (3); and those
// without fields (UUID 14, FLOAT16 15).
std::string raw_moment(int which, bool utc, int unit);
std::string raw_logical(int which);

}  // namespace discreet::service::testing
