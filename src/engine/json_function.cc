#include "discreet/engine/json_function.h"

#include <duckdb.h>

#include <memory>

#include "discreet/engine/json_array.h"

namespace discreet::engine {

using std::string;

namespace {

struct Asked {
  std::vector<string> files, columns;
};

struct Reading {
  std::size_t file = 0;
  std::unique_ptr<JsonArray> array;
};

template <class T>
void destroy(void* data) {
  delete static_cast<T*>(data);
}

std::vector<string> texts_of(duckdb_bind_info info, idx_t index) {
  std::vector<string> out;
  duckdb_value list = duckdb_bind_get_parameter(info, index);
  for (idx_t i = 0; i < duckdb_get_list_size(list); ++i) {
    duckdb_value item = duckdb_get_list_child(list, i);
    char* text = duckdb_get_varchar(item);
    out.emplace_back(text ? text : "");
    duckdb_free(text);
    duckdb_destroy_value(&item);
  }
  duckdb_destroy_value(&list);
  return out;
}

void bind(duckdb_bind_info info) {
  const auto& allowed = *static_cast<const std::set<string>*>(duckdb_bind_get_extra_info(info));
  auto asked = std::make_unique<Asked>(Asked{texts_of(info, 0), texts_of(info, 1)});
  for (const string& file : asked->files)
    if (!allowed.contains(file))
      return duckdb_bind_set_error(info, "this file is no source of the policy");
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  for (const string& name : asked->columns) duckdb_bind_add_result_column(info, name.c_str(), text);
  duckdb_destroy_logical_type(&text);
  duckdb_bind_set_bind_data(info, asked.release(), destroy<Asked>);
}

void begin(duckdb_init_info info) {
  duckdb_init_set_max_threads(info, 1);
  duckdb_init_set_init_data(info, new Reading, destroy<Reading>);
}

void set_row(duckdb_data_chunk chunk, idx_t row, const std::vector<std::optional<string>>& fields) {
  for (std::size_t column = 0; column < fields.size(); ++column) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
    if (fields[column]) {
      duckdb_vector_assign_string_element_len(vector, row, fields[column]->data(),
                                              fields[column]->size());
    } else {
      duckdb_vector_ensure_validity_writable(vector);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
    }
  }
}

void fill(duckdb_function_info info, duckdb_data_chunk chunk) {
  const auto& asked = *static_cast<const Asked*>(duckdb_function_get_bind_data(info));
  auto& reading = *static_cast<Reading*>(duckdb_function_get_init_data(info));
  idx_t rows = 0;
  string element;
  while (rows < duckdb_vector_size() && reading.file < asked.files.size()) {
    if (!reading.array) reading.array = std::make_unique<JsonArray>(asked.files[reading.file]);
    if (reading.array->next(element)) {
      if (const auto fields = fields_of(element, asked.columns)) set_row(chunk, rows++, *fields);
    } else {
      if (!reading.array->readable())
        return duckdb_function_set_error(info, "a source can't be read");
      reading.array.reset();
      ++reading.file;
    }
  }
  duckdb_data_chunk_set_size(chunk, rows);
}

}  // namespace

bool add_json_array(_duckdb_connection* connection, std::set<string> files) {
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, kJsonArrayFunction);
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_logical_type texts = duckdb_create_list_type(text);
  for (int i = 0; i < 2; ++i) duckdb_table_function_add_parameter(function, texts);
  duckdb_destroy_logical_type(&texts);
  duckdb_destroy_logical_type(&text);
  duckdb_table_function_set_extra_info(function, new std::set<string>(std::move(files)),
                                       destroy<std::set<string>>);
  duckdb_table_function_set_bind(function, bind);
  duckdb_table_function_set_init(function, begin);
  duckdb_table_function_set_function(function, fill);
  const bool ok = duckdb_register_table_function(connection, function) == DuckDBSuccess;
  duckdb_destroy_table_function(&function);
  return ok;
}

}  // namespace discreet::engine
