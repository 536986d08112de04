#include "discreet/engine/duckdb/feed.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace discreet::engine::duckdb {
namespace {

// A text is handed over as it lies.
static_assert(sizeof(bound::Text) == sizeof(duckdb_string_t) &&
              offsetof(bound::Text, begin) == offsetof(duckdb_string_t, value.inlined.inlined) &&
              offsetof(bound::Text, outside) == offsetof(duckdb_string_t, value.pointer.ptr));

// The SQL that was printed and the kinds that were planned are two accounts of the same columns: a
// vector of another type would be read past its end.
void must_be(duckdb_vector vector, duckdb_type type) {
  duckdb_logical_type found = duckdb_vector_get_column_type(vector);
  const duckdb_type id = duckdb_get_type_id(found);
  duckdb_destroy_logical_type(&found);
  if (id != type) throw std::logic_error("a column of another type");
}

duckdb_type type_of(bound::Column::Kind kind) {
  switch (kind) {
    case bound::Column::Kind::kWhole:
      return DUCKDB_TYPE_BIGINT;
    case bound::Column::Kind::kReal:
      return DUCKDB_TYPE_DOUBLE;
    case bound::Column::Kind::kText:
      return DUCKDB_TYPE_VARCHAR;
  }
  return DUCKDB_TYPE_INVALID;
}

bound::Column column_of(duckdb_vector vector, bound::Column::Kind kind) {
  must_be(vector, type_of(kind));
  bound::Column out;
  out.kind = kind;
  out.validity = duckdb_vector_get_validity(vector);
  void* data = duckdb_vector_get_data(vector);
  if (kind == bound::Column::Kind::kWhole) out.whole = static_cast<const std::int64_t*>(data);
  if (kind == bound::Column::Kind::kReal) out.real = static_cast<const double*>(data);
  if (kind == bound::Column::Kind::kText) out.text = static_cast<const bound::Text*>(data);
  return out;
}

void feed_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  Feed* feed = static_cast<FeedPlace*>(duckdb_scalar_function_get_extra_info(info))->feed;
  if (!feed) return duckdb_scalar_function_set_error(info, "no query");
  const idx_t rows = duckdb_data_chunk_get_size(input);
  auto* out = static_cast<std::int8_t*>(duckdb_vector_get_data(output));
  std::fill(out, out + rows, std::int8_t{0});
  try {
    if (duckdb_data_chunk_get_column_count(input) != feed->kinds.size() + 1)
      throw std::logic_error("another number of columns");
    bound::Batch batch;
    batch.rows = rows;
    batch.unit =
        column_of(duckdb_data_chunk_get_vector(input, 0),
                  feed->text_unit ? bound::Column::Kind::kText : bound::Column::Kind::kWhole);
    for (std::size_t i = 0; i < feed->kinds.size(); ++i)
      (i < feed->keys ? batch.keys : batch.slots)
          .push_back(column_of(duckdb_data_chunk_get_vector(input, i + 1), feed->kinds[i]));
    feed->bounder->add(batch);
    if (!feed->bounder->fits()) duckdb_scalar_function_set_error(info, "full");
  } catch (...) {
    feed->failed = true;
    duckdb_scalar_function_set_error(info, "failed");
  }
}

void grid_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& place = *static_cast<const GridPlace*>(duckdb_scalar_function_get_extra_info(info));
  if (!place.grid) return duckdb_scalar_function_set_error(info, "no query");
  const bound::Grid& grid = *place.grid;
  const idx_t rows = duckdb_data_chunk_get_size(input);
  duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const auto* in = static_cast<const double*>(duckdb_vector_get_data(values));
  const std::uint64_t* validity = duckdb_vector_get_validity(values);
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  const auto there = [&](idx_t i) { return !validity || (validity[i / 64] >> (i % 64) & 1) != 0; };
  bool all = !validity;
  for (idx_t i = 0; i < rows; ++i) {
    out[i] = grid.number(in[i]);
    all = all && out[i] != bound::kNothing;
  }
  if (all) return;
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* valid = duckdb_vector_get_validity(output);
  for (idx_t i = 0; i < rows; ++i)
    if (!there(i) || out[i] == bound::kNothing) valid[i / 64] &= ~(std::uint64_t{1} << (i % 64));
}

// A scalar function. What it takes is given, or anything; it sees NULLs itself.
bool add_function(duckdb_connection connection, const std::string& name,
                  duckdb_scalar_function_t body, void* place, duckdb_type takes,
                  duckdb_type gives) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name.c_str());
  duckdb_logical_type in = duckdb_create_logical_type(takes);
  if (takes == DUCKDB_TYPE_ANY) {
    duckdb_scalar_function_set_varargs(function, in);
    duckdb_scalar_function_set_volatile(function);  // called for what it does with the rows
  } else {
    duckdb_scalar_function_add_parameter(function, in);
  }
  duckdb_destroy_logical_type(&in);
  duckdb_logical_type out = duckdb_create_logical_type(gives);
  duckdb_scalar_function_set_return_type(function, out);
  duckdb_destroy_logical_type(&out);
  duckdb_scalar_function_set_special_handling(function);
  duckdb_scalar_function_set_extra_info(function, place, nullptr);
  duckdb_scalar_function_set_function(function, body);
  const bool ok = duckdb_register_scalar_function(connection, function) == DuckDBSuccess;
  duckdb_destroy_scalar_function(&function);
  return ok;
}

}  // namespace

bool add_feed_function(duckdb_connection connection, const std::string& name, FeedPlace* place) {
  return add_function(connection, name, feed_rows, place, DUCKDB_TYPE_ANY, DUCKDB_TYPE_TINYINT);
}

bool add_grid_function(duckdb_connection connection, const std::string& name, GridPlace* place) {
  return add_function(connection, name, grid_rows, place, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_BIGINT);
}

}  // namespace discreet::engine::duckdb
