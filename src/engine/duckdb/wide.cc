#include "discreet/engine/duckdb/wide.h"

#include <duckdb.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>

namespace discreet::engine::duckdb {

using std::string;

namespace {

// Numbers of 64 bits are divided ten times as fast as wider ones, and nearly all are.
char* write(char* out, char* end, bound::UnsignedWide digits) {
  constexpr std::uint64_t kPiece = 1'000'000'000'000'000'000;
  if (digits < kPiece) return std::to_chars(out, end, static_cast<std::uint64_t>(digits)).ptr;
  out = write(out, end, digits / kPiece);
  char piece[20];
  const auto size = static_cast<std::size_t>(
      std::to_chars(piece, std::end(piece), kPiece + static_cast<std::uint64_t>(digits % kPiece))
          .ptr -
      piece);
  return std::copy(piece + 1, piece + size, out);  // without the 1 that keeps its zeros
}

}  // namespace

string Wide::text() const {
  constexpr int kMostDigits = 39;
  char found[kMostDigits];
  const char* end = write(found, std::end(found), digits);
  const auto count = static_cast<std::size_t>(end - found);
  const auto after = static_cast<std::size_t>(scale);
  string out = negative ? "-" : "";
  if (count > after) {
    out.append(found, count - after);
  } else {
    out += '0';
  }
  if (after == 0) return out;
  out += '.';
  if (count < after) out.append(after - count, '0');
  return out.append(end - std::min(count, after), end);
}

std::optional<std::int64_t> Wide::whole() const {
  bound::UnsignedWide whole = digits, last = 0;
  for (int place = 0; place < scale; ++place, whole /= 10) last = whole % 10;
  whole += last >= 5 ? 1 : 0;
  const bound::UnsignedWide most = bound::UnsignedWide{1} << 63;
  if (whole > most || (!negative && whole == most)) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(whole);
  return static_cast<std::int64_t>(negative ? -bits : bits);
}

// Two doubles that are exact have a quotient that is rounded once.
double Wide::real() const {
  constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr bound::UnsignedWide kExact = bound::UnsignedWide{1} << 53;
  double out = 0;
  if (digits <= kExact && scale < static_cast<int>(std::size(kPowers))) {
    out = static_cast<double>(static_cast<std::uint64_t>(digits)) / kPowers[scale];
  } else {
    const string size = Wide{false, digits, scale}.text();
    std::from_chars(size.data(), size.data() + size.size(), out);
  }
  return negative && out != 0 ? -out : out;
}

namespace {

// How an argument's values lie.
struct Stored {
  duckdb_type type = DUCKDB_TYPE_INVALID;  // of a decimal: that of its digits
  int scale = 0;

  Wide at(const void* data, idx_t row) const {
    const auto of = [&](auto* values) { return signed_wide(values[row]); };
    if (type == DUCKDB_TYPE_SMALLINT) return of(static_cast<const std::int16_t*>(data));
    if (type == DUCKDB_TYPE_INTEGER) return of(static_cast<const std::int32_t*>(data));
    if (type == DUCKDB_TYPE_BIGINT) return of(static_cast<const std::int64_t*>(data));
    if (type == DUCKDB_TYPE_UBIGINT)
      return {false, static_cast<const std::uint64_t*>(data)[row], scale};
    if (type == DUCKDB_TYPE_UHUGEINT) {
      const duckdb_uhugeint& value = static_cast<const duckdb_uhugeint*>(data)[row];
      return {false, (static_cast<bound::UnsignedWide>(value.upper) << 64) | value.lower, scale};
    }
    const duckdb_hugeint& value = static_cast<const duckdb_hugeint*>(data)[row];
    return signed_wide(static_cast<bound::Wide>(
        (static_cast<bound::UnsignedWide>(value.upper) << 64) | value.lower));
  }

 private:
  Wide signed_wide(bound::Wide value) const {
    const auto bits = static_cast<bound::UnsignedWide>(value);
    return {value < 0, value < 0 ? -bits : bits, scale};
  }
};

void destroy(void* data) { delete static_cast<Stored*>(data); }
void* copy(void* data) { return new Stored(*static_cast<Stored*>(data)); }

void bind(duckdb_bind_info info) {
  duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, 0);
  duckdb_logical_type type = duckdb_expression_return_type(argument);
  auto stored = std::make_unique<Stored>();
  stored->type = duckdb_get_type_id(type);
  if (stored->type == DUCKDB_TYPE_DECIMAL) {
    stored->scale = duckdb_decimal_scale(type);
    stored->type = duckdb_decimal_internal_type(type);
  }
  duckdb_destroy_logical_type(&type);
  duckdb_destroy_expression(&argument);
  constexpr duckdb_type kKnown[] = {DUCKDB_TYPE_SMALLINT, DUCKDB_TYPE_INTEGER,
                                    DUCKDB_TYPE_BIGINT,   DUCKDB_TYPE_UBIGINT,
                                    DUCKDB_TYPE_HUGEINT,  DUCKDB_TYPE_UHUGEINT};
  if (std::find(std::begin(kKnown), std::end(kKnown), stored->type) == std::end(kKnown))
    return duckdb_scalar_function_bind_set_error(info, "not a wide number");
  duckdb_scalar_function_set_bind_data(info, stored.release(), destroy);
  duckdb_scalar_function_set_bind_data_copy(info, copy);
}

// put(row, value) is false for NULL.
template <class Put>
void each(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output, Put&& put) {
  const auto& stored = *static_cast<const Stored*>(duckdb_scalar_function_get_bind_data(info));
  duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const void* data = duckdb_vector_get_data(values);
  std::uint64_t* known = duckdb_vector_get_validity(values);
  for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row)
    if (!duckdb_validity_row_is_valid(known, row) || !put(row, stored.at(data, row))) {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    }
}

void texts(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  each(info, input, output, [&](idx_t row, const Wide& value) {
    const string text = value.text();
    duckdb_vector_assign_string_element_len(output, row, text.data(), text.size());
    return true;
  });
}

void wholes(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  each(info, input, output, [&](idx_t row, const Wide& value) {
    const auto whole = value.whole();
    out[row] = whole.value_or(0);
    return whole.has_value();
  });
}

void reals(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  auto* out = static_cast<double*>(duckdb_vector_get_data(output));
  each(info, input, output, [&](idx_t row, const Wide& value) {
    out[row] = value.real();
    return true;
  });
}

bool add(duckdb_connection connection, const char* name, duckdb_type gives,
         duckdb_scalar_function_t function) {
  duckdb_scalar_function made = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(made, name);
  duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
  duckdb_scalar_function_add_parameter(made, any);
  duckdb_destroy_logical_type(&any);
  duckdb_logical_type type = duckdb_create_logical_type(gives);
  duckdb_scalar_function_set_return_type(made, type);
  duckdb_destroy_logical_type(&type);
  duckdb_scalar_function_set_special_handling(made);
  duckdb_scalar_function_set_bind(made, bind);
  duckdb_scalar_function_set_function(made, function);
  const bool ok = duckdb_register_scalar_function(connection, made) == DuckDBSuccess;
  duckdb_destroy_scalar_function(&made);
  return ok;
}

}  // namespace

bool add_wide_functions(duckdb_connection connection) {
  return add(connection, "discreet_wide_text", DUCKDB_TYPE_VARCHAR, texts) &&
         add(connection, "discreet_wide_whole", DUCKDB_TYPE_BIGINT, wholes) &&
         add(connection, "discreet_wide_real", DUCKDB_TYPE_DOUBLE, reals);
}

}  // namespace discreet::engine::duckdb
