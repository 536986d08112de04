#include "discreet/policy/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/policy/names.h"
#include "discreet/policy/toml_text.h"

namespace discreet::policy {

using std::string;

namespace {

const DraftColumn* find(const DraftTable& table, std::string_view name) {
  for (const DraftColumn& column : table.columns)
    if (same_name(column.name, name)) return &column;
  return nullptr;
}

// What is left of a name that says "the id of a …": visit of visit_id, visitId, visit_key. Empty
// where it says no such thing; `id` alone is every table's own.
string stem_of(const string& name) {
  const string small = lower(name);
  for (const char* suffix : {"_id", "_uuid", "_key"})
    if (small.ends_with(suffix)) return small.substr(0, small.size() - string(suffix).size());
  const bool camel = name.size() > 2 && (name.ends_with("Id") || name.ends_with("ID")) &&
                     std::islower(static_cast<unsigned char>(name[name.size() - 3])) != 0;
  return camel ? small.substr(0, small.size() - 2) : "";
}

// Is `word` what one row of this table is called: visit of visits, city of cities?
bool names_row_of(const string& word, const string& table) {
  if (word.empty()) return false;
  const string small = lower(table);
  return small == word || small == word + "s" || small == word + "es" ||
         (word.back() == 'y' && small == word.substr(0, word.size() - 1) + "ies");
}

struct Candidate {
  Link link;
  bool named;  // after the other table
};

std::vector<Candidate> candidates(const Draft& draft, const DraftTable& table) {
  std::vector<Candidate> out;
  for (const DraftTable& other : draft.tables) {
    if (!other.is_in()) continue;
    for (const DraftColumn& column : table.columns) {
      const DraftColumn* there = find(other, column.name);
      if (there == nullptr || !column.unreadable.empty() || !there->unreadable.empty()) continue;
      const string stem = stem_of(column.name);
      const bool named = names_row_of(stem.empty() ? lower(column.name) : stem, other.name);
      if (named || !stem.empty()) out.push_back({{column.name, other.name, there->name}, named});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.named && !b.named; });
  return out;
}

// The columns that lead to people, by name, and what type all tables can agree on: a link or a join
// needs the same one at both ends.
std::map<string, Type> common_types(const Draft& draft) {
  std::map<string, std::set<Type>> found;
  std::set<string> leading;
  for (const DraftTable& table : draft.tables) {
    if (!table.key.empty()) leading.insert(lower(table.key));
    if (table.link) leading.insert(lower(table.link->column));
  }
  for (const DraftTable& table : draft.tables) {
    if (!table.is_in()) continue;
    for (const DraftColumn& column : table.columns)
      if (leading.contains(lower(column.name)) && column.type)
        // as the catalog has it: nobody is told apart by a rounded number
        found[lower(column.name)].insert(*column.type == Type::kDouble ? Type::kText
                                                                       : *column.type);
  }
  std::map<string, Type> out;
  for (const string& name : leading) {
    const auto& types = found[name];
    out[name] = types.size() == 1 ? *types.begin() : Type::kText;
  }
  return out;
}

string link_text(const Link& link) {
  return fmt::format("link = {{ column = {}, to = {} }}", toml_text(link.column),
                     toml_text(link.table + "." + link.target));
}

// "key" of the type that others have too, where the file alone would be read as another.
string type_line(const string& name, std::optional<Type> stored, Type common) {
  const Type read = !stored || *stored == Type::kDouble ? Type::kText : *stored;
  if (read == common) return "";
  return fmt::format("columns.{} = {{ type = \"{}\" }}   # the same in every table that has it\n",
                     toml_key(name), name_of(common));
}

// What an owner could say of a column, as a comment; a range that was measured, as it is.
string column_line(const DraftColumn& column, const Measured& measured) {
  const string name = toml_key(column.name);
  if (!column.unreadable.empty())
    return fmt::format("# {} is {}\n", toml_text(column.name), printable(column.unreadable));
  for (const auto& [measured_name, range] : measured.ranges)
    if (same_name(measured_name, column.name))
      return fmt::format("columns.{} = {{ range = {} }}\n", name,
                         range_text(range, column.type.value_or(Type::kDouble)));
  if (!column.type) return fmt::format("# columns.{} = {{ type = \"text\" }}\n", name);
  const std::string_view type = name_of(*column.type);
  if (is_number(*column.type))
    return fmt::format("# columns.{} = {{ range = [LOWEST, HIGHEST] }}   # {}\n", name, type);
  if (is_time(*column.type))
    return fmt::format("# columns.{} = {{ range = [\"EARLIEST\", \"LATEST\"] }}   # {}\n", name,
                       type);
  if (*column.type == Type::kText)
    return fmt::format("# columns.{} = {{ values = [\"ONE\", \"ANOTHER\"] }}   # {}\n", name, type);
  return fmt::format("# columns.{} = {{ hidden = true }}   # {}\n", name, type);
}

string bound_line(const char* name, const std::optional<std::int64_t>& measured,
                  const string& what) {
  if (measured) return fmt::format("{} = {}   # {}\n", name, *measured, what);
  return fmt::format("# {} = N   # {}\n", name, what);
}

string table_text(const Draft& draft, const DraftTable& table, const std::map<string, Type>& common,
                  const Measured& measured) {
  string out =
      fmt::format("[tables.{}]\nsource = {}\n", toml_key(table.name), toml_text(table.source));
  if (!table.key.empty())
    out += fmt::format("key = {}   # a row belongs to the {} in this column\n",
                       toml_text(table.key), printable(draft.unit));
  if (!table.has_header)
    out +=
        "# JSON has no header, and rows are not read here: that its rows have the key was taken "
        "for granted.\n# Name the columns that may be asked about:\n"
        "# columns.NAME = { type = \"text\" }\n";
  if (table.link) {
    out += fmt::format(
        "{}   # a row belongs to the {} of the row of {} that has the same\n"
        "# if its rows are about nobody, write public = true instead of the link\n",
        link_text(*table.link), printable(draft.unit), table.link->table);
    for (const Link& other : table.other_links) out += fmt::format("# or {}\n", link_text(other));
  }
  if (!measured.how.empty()) out += fmt::format("# {}\n", measured.how);
  out += bound_line("max_rows", measured.max_rows,
                    fmt::format("rows that one {} may count with in an answer; unless said, each "
                                "question finds out what fits",
                                printable(draft.unit)));
  out += bound_line(
      "max_groups", measured.max_groups,
      fmt::format("or: groups of an answer that one {} may count in …", printable(draft.unit)));
  out += bound_line("max_rows_per_group", measured.max_rows_per_group,
                    "… and rows that it may have in each");
  out += bound_line("rows_per_unit", {},
                    fmt::format("only where you promise that no {} has more rows than this",
                                printable(draft.unit)));
  if (!table.has_header)
    if (const auto leads = common.find(lower(table.key)); leads != common.end())
      out += type_line(table.key, std::nullopt, leads->second);
  for (const DraftColumn& column : table.columns) {
    const auto leads = common.find(lower(column.name));
    out += leads == common.end() || !column.unreadable.empty()
               ? column_line(column, measured)
               : type_line(column.name, column.type, leads->second);
  }
  return out;
}

// A table that has no way to the key: what is missing, and the lines to begin with.
string left_out(const Draft& draft, const DraftTable& table) {
  string out =
      fmt::format("# [tables.{}]\n# source = {}\n", toml_key(table.name), toml_text(table.source));
  if (!table.unreadable.empty())
    return out + fmt::format("# It is left out: {}.\n", printable(table.unreadable));
  string others;
  for (const DraftTable& other : draft.tables)
    if (other.is_in()) others += (others.empty() ? "" : ", ") + other.name;
  out += fmt::format(
      "# It is left out, for it isn't said whose rows these are: there is no column {} in it, and "
      "no column named like an id\n# that is also in {}. Write one of these two, and take the # "
      "away:\n# link = {{ column = \"COLUMN\", to = \"TABLE.COLUMN\" }}\n# public = true   # if "
      "its rows are about nobody\n# Its columns:",
      quote(draft.key), others);
  for (const DraftColumn& column : table.columns) out += " " + toml_text(column.name);
  return out + "\n";
}

}  // namespace

Status connect(Draft& draft) {
  std::vector<string> names, sources;
  bool any = false;
  for (DraftTable& table : draft.tables) {
    if (!table.unreadable.empty()) continue;
    sources.push_back(quote(table.source));
    for (const DraftColumn& column : table.columns) names.push_back(column.name);
    const DraftColumn* column = find(table, draft.key);
    if (column != nullptr && !column->unreadable.empty())
      return bad_parameter("key", fmt::format("the column {} of {} is {}", quote(column->name),
                                              quote(table.source), column->unreadable));
    if (column != nullptr) table.key = column->name;
    if (!table.has_header) table.key = draft.key;
    any = any || table.is_in();
  }
  if (!any) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return bad_parameter(
        "key", fmt::format("found no column {} in {}", quote(draft.key), fmt::join(sources, ", ")),
        did_you_mean(draft.key, names));
  }
  // From the key outwards, a step at a time: the shortest way is taken, and none goes in a circle.
  for (bool more = true; more;) {
    more = false;
    std::vector<std::pair<DraftTable*, std::vector<Candidate>>> step;
    for (DraftTable& table : draft.tables)
      if (!table.is_in() && table.unreadable.empty())
        step.emplace_back(&table, candidates(draft, table));
    for (auto& [table, found] : step) {
      if (found.empty()) continue;
      table->link = found.front().link;
      for (std::size_t i = 1; i < found.size(); ++i) table->other_links.push_back(found[i].link);
      more = true;
    }
  }
  return {};
}

string table_name(const string& words) {
  string out;
  for (const char c : words) {
    const auto byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 || byte >= 128 ? c : '_';
  }
  if (out.empty()) return "data";
  return std::isdigit(static_cast<unsigned char>(out.front())) != 0 ? "t_" + out : out;
}

string unit_of(const string& key) {
  string stem = stem_of(key);
  const bool word = !stem.empty() && std::all_of(stem.begin(), stem.end(), [](unsigned char c) {
    return std::isalpha(c) != 0;
  });
  return word ? stem : "person";
}

string write(const Draft& draft, const Measures& measures) {
  string out = fmt::format(
      "# Who is protected, and what may be spent. Columns come from headers and schemas; {}\n"
      "# What only you know stands behind a #: fill it in and take the # away. Of a "
      "column you can say:\n#   type = \"integer\"      or boolean, double, text, date, timestamp, "
      "where the file has no types (CSV, JSON)\n#   range = [0, 5000]     values outside count as "
      "the nearest end; SUM, AVG and quantiles find a range out unless it is said\n#   values = "
      "[\"A\", \"B\"]   if "
      "they are public: each is shown, and no other forms a group\n#   hidden = true         no "
      "query may name it\n\n[policy]\nname = {}\nunit = {}\nbudget = {{ epsilon = {}, delta = {} "
      "}}   # for the life of this data\n# max_epsilon_per_query = EPSILON   # at most this in one "
      "question\n",
      measures.empty() ? "no row was read." : "bounds and ranges were measured privately.",
      toml_text(draft.name), toml_text(draft.unit), toml_number(draft.epsilon),
      toml_number(draft.delta));
  const auto common = common_types(draft);
  for (const DraftTable& table : draft.tables) {
    const auto measured = measures.find(table.name);
    out += "\n";
    out += table.is_in() ? table_text(draft, table, common,
                                      measured == measures.end() ? Measured{} : measured->second)
                         : left_out(draft, table);
  }
  return out;
}

}  // namespace discreet::policy
