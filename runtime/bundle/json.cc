#include "runtime/bundle/json.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

constexpr size_t kMaxJsonBytes = size_t{16} << 20;
// An ordered object compares each new name with all others, which would be slow for
// a hostile file.
constexpr int64_t kMaxMembers = 20000;
constexpr size_t kMaxDepth = 64;

absl::Status Unexpected(absl::string_view what, const Json& value, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      what, " is ", value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60),
      ", expected ", expected));
}

// Takes the elements out one by one, the innermost first. The depth is that of the parser, at most.
void Clear(Json& json) noexcept {
  if (auto* const array = json.get_ptr<Json::array_t*>(); array != nullptr) {
    for (; !array->empty(); array->pop_back()) Clear(array->back());
  } else if (auto* const object = json.get_ptr<Json::object_t*>(); object != nullptr) {
    for (; !object->empty(); object->pop_back()) Clear(object->back().second);
  }
}

// Makes room for another member. An object that grows by itself copies its members, whose
// originals' destructors allocate.
void Reserve(Json::object_t& object) {
  if (object.size() < object.capacity()) return;
  Json::object_t larger;
  larger.reserve(2 * object.size() + 4);
  for (const auto& [name, value] : object) larger.emplace_back(name, nullptr);
  for (size_t i = 0; i < object.size(); ++i) {
    std::swap(static_cast<Json::object_t::Container&>(larger)[i].second,
              static_cast<Json::object_t::Container&>(object)[i].second);
  }
  object.swap(larger);
}

// Builds a document; stops at the first error, and where the text is too large.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(Json& root) : root_(root) {}

  bool is_too_large() const { return is_too_large_; }

  bool null() override { return Add(nullptr) != nullptr; }
  bool boolean(bool value) override { return Add(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return Add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return Add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override {
    return Add(value) != nullptr;
  }
  bool string(string_t& value) override { return Add(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(Json::value_t::object); }
  bool start_array(size_t) override { return Open(Json::value_t::array); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    name_ = std::move(name);
    is_too_large_ = ++members_ > kMaxMembers;
    return !is_too_large_;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  // `value`: without elements. Returns its place.
  Json* Add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    Reserve(*parent.get_ptr<Json::object_t*>());
    Json& member = parent[name_];
    Clear(member);  // the last of several members of one name counts
    member = std::move(value);
    return &member;
  }

  bool Open(Json::value_t type) {
    open_.push_back(Add(type));
    is_too_large_ = open_.size() > kMaxDepth;
    return !is_too_large_;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  Json& root_;
  std::vector<Json*> open_;  // objects and arrays, the innermost last
  std::string name_;         // of the next member
  int64_t members_ = 0;
  bool is_too_large_ = false;
};

}  // namespace

JsonDocument::~JsonDocument() { Clear(root_); }

absl::StatusOr<JsonDocument> ParseJsonObject(absl::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON text has ", text.size(), " bytes, expected at most ", kMaxJsonBytes));
  }
  JsonDocument document{Json()};
  Builder builder(document.root());
  const bool is_valid = Json::sax_parse(text.begin(), text.end(), &builder);
  if (builder.is_too_large()) {
    return absl::InvalidArgumentError(absl::StrCat("JSON text is too large, expected at most ",
                                                   kMaxMembers, " members and ", kMaxDepth,
                                                   " levels"));
  }
  if (!is_valid || !document.root().is_object()) {
    return absl::InvalidArgumentError("not a JSON object");
  }
  return document;
}

const Json* Member(const Json& object, absl::string_view name) {
  const auto it = object.find(std::string(name));
  return it == object.end() ? nullptr : &*it;
}

absl::StatusOr<int64_t> JsonInteger(const Json& value, absl::string_view what, int64_t min,
                                    int64_t max) {
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() &&
                      value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()});
  const int64_t number = fits ? value.get<int64_t>() : 0;
  if (!fits || number < min || number > max) {
    return Unexpected(what, value, absl::StrCat("an integer from ", min, " to ", max));
  }
  return number;
}

absl::StatusOr<float> JsonNumber(const Json& value, absl::string_view what) {
  const double number = value.is_number() ? value.get<double>() : HUGE_VAL;
  if (!(std::abs(number) <= std::numeric_limits<float>::max())) {
    return Unexpected(what, value, "a number");
  }
  return static_cast<float>(number);
}

absl::StatusOr<std::string> JsonString(const Json& value, absl::string_view what) {
  if (!value.is_string()) return Unexpected(what, value, "a string");
  return value.get<std::string>();
}

std::string PrintJson(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace synap_internal
