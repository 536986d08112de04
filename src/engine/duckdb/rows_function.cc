#include "discreet/engine/duckdb/rows_function.h"

#include <duckdb.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <variant>

#include "discreet/engine/duckdb/csv.h"
#include "discreet/engine/duckdb/csv_blocks.h"
#include "discreet/engine/duckdb/json.h"
#include "discreet/engine/duckdb/json_array.h"

namespace discreet::engine::duckdb {

using std::string;

namespace {

struct Allowed {
  std::set<string> files;
  Reading* reading;
};

struct Asked {
  string form;
  std::vector<string> files, columns;
  std::uint64_t bytes = 0;
  Reading* reading = nullptr;
  char delimiter() const { return form == kTabForm ? '\t' : ','; }
  bool is_csv() const { return form == kTabForm || form == kCommaForm; }
};

// What one thread reads.
struct Local {
  Block block;
  bool within = false;               // the block has more
  std::vector<std::size_t> outputs;  // by place among the wanted: the column of the chunk
  std::variant<CsvRecords, JsonRecords> records;
};

template <class T>
void destroy(void* data) {
  delete static_cast<T*>(data);
}

string text_of(duckdb_value value) {
  char* text = duckdb_get_varchar(value);
  string out = text ? text : "";
  duckdb_free(text);
  return out;
}

std::vector<string> texts_of(duckdb_bind_info info, idx_t index) {
  std::vector<string> out;
  duckdb_value list = duckdb_bind_get_parameter(info, index);
  for (idx_t i = 0; i < duckdb_get_list_size(list); ++i) {
    duckdb_value item = duckdb_get_list_child(list, i);
    out.push_back(text_of(item));
    duckdb_destroy_value(&item);
  }
  duckdb_destroy_value(&list);
  return out;
}

void bind(duckdb_bind_info info) {
  const auto& allowed = *static_cast<const Allowed*>(duckdb_bind_get_extra_info(info));
  duckdb_value form = duckdb_bind_get_parameter(info, 0);
  auto asked = std::make_unique<Asked>();
  asked->form = text_of(form);
  duckdb_destroy_value(&form);
  asked->files = texts_of(info, 1);
  asked->columns = texts_of(info, 2);
  asked->reading = allowed.reading;
  for (const string& file : asked->files) {
    if (!allowed.files.contains(file))
      return duckdb_bind_set_error(info, "this file is no source of the policy");
    std::error_code missing;
    const std::uint64_t size = std::filesystem::file_size(file, missing);
    if (!missing) asked->bytes += size;
  }
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  for (const string& name : asked->columns) duckdb_bind_add_result_column(info, name.c_str(), text);
  duckdb_destroy_logical_type(&text);
  // For the order of joins: about so many rows.
  duckdb_bind_set_cardinality(info, 1 + asked->bytes / (8 * (1 + asked->columns.size())), false);
  duckdb_bind_set_bind_data(info, asked.release(), destroy<Asked>);
}

void begin(duckdb_init_info info) {
  const auto& asked = *static_cast<const Asked*>(duckdb_init_get_bind_data(info));
  const Cut cut;
  std::unique_ptr<Blocks> blocks;
  if (asked.is_csv()) {
    blocks = std::make_unique<CsvBlocks>(asked.files, asked.delimiter(), cut, asked.reading);
  } else if (asked.form == kArrayForm) {
    blocks = std::make_unique<ArrayBlocks>(asked.files, cut, asked.reading);
  } else {
    blocks = std::make_unique<LineBlocks>(asked.files, cut, asked.reading);
  }
  asked.reading->all += asked.bytes;
  duckdb_init_set_max_threads(info, 1 + asked.bytes / cut.block);
  duckdb_init_set_init_data(info, blocks.release(),
                            [](void* data) { delete static_cast<Blocks*>(data); });
}

void begin_thread(duckdb_init_info info) {
  const auto& asked = *static_cast<const Asked*>(duckdb_init_get_bind_data(info));
  std::vector<std::size_t> wanted, outputs;
  for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
    const idx_t column = duckdb_init_get_column_index(info, i);
    if (column >= asked.columns.size()) continue;  // a row's number, say: never asked for
    wanted.push_back(column);
    outputs.push_back(i);
  }
  const auto records = [&]() -> std::variant<CsvRecords, JsonRecords> {
    if (asked.is_csv()) return CsvRecords({asked.delimiter(), asked.columns.size(), wanted});
    JsonForm form;
    for (const std::size_t column : wanted) form.wanted.push_back(asked.columns[column]);
    return JsonRecords(std::move(form));
  };
  duckdb_init_set_init_data(info, new Local{{}, false, std::move(outputs), records()},
                            destroy<Local>);
}

// A text of up to 12 bytes stands in the vector itself, with zeros behind it.
constexpr std::size_t kShort = 12;
constexpr auto kKept = [] {
  std::array<std::array<unsigned char, 16>, kShort + 1> out{};
  for (std::size_t size = 0; size <= kShort; ++size)
    for (std::size_t i = 0; i < size; ++i) out[size][i] = 0xFF;
  return out;
}();

void put_short(duckdb_string_t& out, const Field& field) {
  static_assert(kPadding >= 16 && sizeof(out.value.inlined.inlined) == kShort);
  std::uint64_t bytes[2], kept[2];
  std::memcpy(bytes, field.data, sizeof(bytes));
  std::memcpy(kept, kKept[field.size].data(), sizeof(kept));
  bytes[0] &= kept[0];
  bytes[1] &= kept[1];
  out.value.inlined.length = static_cast<std::uint32_t>(field.size);
  std::memcpy(out.value.inlined.inlined, bytes, kShort);
}

// The columns of a chunk, as they are written.
class Columns {
 public:
  Columns(duckdb_data_chunk chunk, const std::vector<std::size_t>& outputs) {
    for (const std::size_t output : outputs) {
      duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, output);
      columns_.push_back(
          {vector, static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector)), nullptr});
    }
  }
  void put(idx_t row, const Fields& fields) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      const Field& field = fields[i];
      if (!field.data) {
        set_null(column, row);
      } else if (field.size <= kShort) {
        put_short(column.texts[row], field);
      } else {
        duckdb_vector_assign_string_element_len(column.vector, row, field.data, field.size);
      }
    }
  }

 private:
  struct Column {
    duckdb_vector vector;
    duckdb_string_t* texts;
    std::uint64_t* validity;
  };
  static void set_null(Column& column, idx_t row) {
    if (!column.validity) {
      duckdb_vector_ensure_validity_writable(column.vector);
      column.validity = duckdb_vector_get_validity(column.vector);
    }
    column.validity[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }
  std::vector<Column> columns_;
};

// Rows of one block at most: so a chunk is never larger than a block.
void fill(duckdb_function_info info, duckdb_data_chunk chunk) {
  auto& blocks = *static_cast<Blocks*>(duckdb_function_get_init_data(info));
  auto& local = *static_cast<Local*>(duckdb_function_get_local_init_data(info));
  try {
    const idx_t most = duckdb_vector_size();
    Columns columns(chunk, local.outputs);
    idx_t rows = 0;
    while (rows == 0) {
      if (!local.within) {
        if (!blocks.next(local.block)) break;
        std::visit([&](auto& records) { records.begin(local.block.text()); }, local.records);
      }
      local.within = std::visit(
          [&](auto& records) {
            for (; rows < most; ++rows) {
              const Fields* fields = records.next();
              if (!fields) return false;
              columns.put(rows, *fields);
            }
            return true;
          },
          local.records);
    }
    if (rows == 0 && blocks.failed())
      return duckdb_function_set_error(info, "a source can't be read");
    duckdb_data_chunk_set_size(chunk, rows);
  } catch (...) {
    duckdb_function_set_error(info, "out of memory");
  }
}

}  // namespace

bool add_rows_function(_duckdb_connection* connection, const string& name, std::set<string> files,
                       Reading* reading) {
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, name.c_str());
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_logical_type texts = duckdb_create_list_type(text);
  duckdb_table_function_add_parameter(function, text);
  for (int i = 0; i < 2; ++i) duckdb_table_function_add_parameter(function, texts);
  duckdb_destroy_logical_type(&texts);
  duckdb_destroy_logical_type(&text);
  duckdb_table_function_set_extra_info(function, new Allowed{std::move(files), reading},
                                       destroy<Allowed>);
  duckdb_table_function_set_bind(function, bind);
  duckdb_table_function_set_init(function, begin);
  duckdb_table_function_set_local_init(function, begin_thread);
  duckdb_table_function_set_function(function, fill);
  duckdb_table_function_supports_projection_pushdown(function, true);
  const bool ok = duckdb_register_table_function(connection, function) == DuckDBSuccess;
  duckdb_destroy_table_function(&function);
  return ok;
}

}  // namespace discreet::engine::duckdb
