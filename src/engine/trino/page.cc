#include "discreet/engine/trino/page.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace discreet::engine::trino {
namespace {

using std::string;
using Json = nlohmann::json;

// Where in the page we are. Every object and array that begins takes us from one place to another;
// what isn't known is skipped with all that is in it.
enum class Place {
  kOutside,  // before the page's one object
  kPage,
  kStats,
  kError,
  kColumns,  // the array
  kColumn,   // one of its objects
  kData,     // the array of rows
  kRow,
  kSkipped,
};

// nlohmann's parser without a tree: it calls these for each token, and stops where one is false.
class Handler final : public nlohmann::json_sax<Json> {
 public:
  Handler(const std::vector<CellType>& expected, Page& page) : expected_(expected), page_(page) {}

  bool null() override {
    if (place() == Place::kRow) return add(Cell());
    return place() != Place::kData && place() != Place::kColumns && place() != Place::kOutside;
  }
  bool boolean(bool value) override {
    return place() == Place::kRow ? add_read(value) : is_unread();
  }
  bool number_integer(number_integer_t value) override {
    if (place() == Place::kRow) return add_read(static_cast<std::int64_t>(value));
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (place() == Place::kRow) {
      if (value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
        return add_read(static_cast<std::int64_t>(value));
      return add_read(static_cast<double>(value));  // of a real; a whole number has no such form
    }
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*digits*/) override {
    return place() == Place::kRow ? add_read(value) : number(value);
  }
  bool string(string_t& value) override {
    switch (place()) {
      case Place::kRow:
        return add_read(std::string_view(value));
      case Place::kPage:
        if (key_ == "id") return set(page_.id, value);
        if (key_ == "nextUri") return set(page_.next_uri, value);
        return is_unread();
      case Place::kStats:
        if (key_ == "state") return set(page_.state, value);
        return is_unread();
      case Place::kError:
        if (key_ == "errorName") page_.error = value;
        return true;
      case Place::kColumn:
        if (key_ == "type") type_ = value;
        return true;
      case Place::kOutside:
      case Place::kColumns:
      case Place::kData:
        return false;
      case Place::kSkipped:
        break;
    }
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }

  bool key(string_t& value) override {
    key_ = value;
    return true;
  }
  bool start_object(std::size_t /*elements*/) override {
    switch (place()) {
      case Place::kOutside:
        return enter(Place::kPage);
      case Place::kPage:
        if (key_ == "stats") return enter(Place::kStats);
        if (key_ == "error") {
          page_.error = "";
          return enter(Place::kError);
        }
        return is_unread() && enter(Place::kSkipped);
      case Place::kColumns:
        type_.clear();
        return enter(Place::kColumn);
      case Place::kStats:
      case Place::kError:
      case Place::kColumn:
      case Place::kSkipped:
        return enter(Place::kSkipped);
      case Place::kData:
      case Place::kRow:
        break;
    }
    return false;
  }
  bool end_object() override {
    if (place() == Place::kColumn) {
      const auto type = cell_type(type_);
      if (!type || columns_ >= expected_.size() || expected_[columns_] != *type) return false;
      ++columns_;
    }
    places_.pop_back();
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    switch (place()) {
      case Place::kPage:
        if (key_ == "columns") {
          if (page_.has_columns) return false;
          page_.has_columns = true;
          return enter(Place::kColumns);
        }
        // Rows mean something only once it is said what of.
        if (key_ == "data")
          return page_.has_columns && !has_data_ && (has_data_ = true) && enter(Place::kData);
        return is_unread() && enter(Place::kSkipped);
      case Place::kData:
        in_row_ = 0;
        return enter(Place::kRow);
      case Place::kStats:
      case Place::kError:
      case Place::kColumn:
      case Place::kSkipped:
        return enter(Place::kSkipped);
      case Place::kOutside:
      case Place::kColumns:
      case Place::kRow:
        break;
    }
    return false;
  }
  bool end_array() override {
    if (place() == Place::kRow && in_row_ != expected_.size()) return false;
    if (place() == Place::kColumns && columns_ != expected_.size()) return false;
    places_.pop_back();
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  Place place() const { return places_.empty() ? Place::kOutside : places_.back(); }
  bool enter(Place place) {
    // The causes of an error nest, so there is some room; a hostile text would go on for ever.
    constexpr std::size_t kDeepest = 200;
    places_.push_back(place);
    return places_.size() <= kDeepest;
  }
  // A value of the page under a name that we read must not be of another form than ours.
  bool is_unread() const {
    if (place() == Place::kPage)
      return key_ != "id" && key_ != "nextUri" && key_ != "columns" && key_ != "data" &&
             key_ != "stats" && key_ != "error";
    if (place() == Place::kStats) return key_ != "state" && key_ != "progressPercentage";
    if (place() == Place::kColumn) return key_ != "type";
    return place() == Place::kError || place() == Place::kSkipped;
  }
  // Texts that we send back, or compare: short.
  static bool set(std::string& to, const std::string& value) {
    constexpr std::size_t kLongest = 4096;
    if (!to.empty() || value.size() > kLongest) return false;
    to = value;
    return true;
  }
  bool number(double value) {
    if (place() == Place::kStats && key_ == "progressPercentage") {
      if (!(value >= 0 && value <= 100)) return false;
      page_.percent = value;
      return true;
    }
    return is_unread();
  }
  bool add(Cell cell) {
    if (in_row_ >= expected_.size()) return false;
    ++in_row_;
    page_.cells.push_back(std::move(cell));
    return true;
  }
  template <class T>
  bool add_read(const T& value) {
    if (in_row_ >= expected_.size()) return false;
    auto cell = read_cell(expected_[in_row_], value);
    return cell && add(std::move(*cell));
  }

  const std::vector<CellType>& expected_;
  Page& page_;
  std::vector<Place> places_;
  std::string key_, type_;
  std::size_t columns_ = 0, in_row_ = 0;
  bool has_data_ = false;
};

}  // namespace

std::optional<Page> Reader::read(std::string_view json) const {
  Page page;
  Handler handler(expected_, page);
  if (!Json::sax_parse(json.begin(), json.end(), &handler)) return std::nullopt;
  if (page.id.empty()) return std::nullopt;
  return page;
}

}  // namespace discreet::engine::trino
