#include "compiler/import/pt2/json_value.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::pt2_import {
namespace {

constexpr size_t kMaxBytes = size_t{256} << 20;
constexpr int kMaxDepth = 64;

absl::Status Unexpected(absl::string_view what, const Json* value, absl::string_view expected) {
  const std::string found =
      value == nullptr ? "missing" : value->dump(-1, ' ', false, Json::error_handler_t::replace);
  return absl::InvalidArgumentError(
      absl::StrCat("'", what, "' is ", found.substr(0, 60), ", expected ", expected));
}

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text) {
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", text.size(), " bytes, expected at most ", kMaxBytes));
  }
  bool too_deep = false;
  const Json::parser_callback_t limit = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  Json json = Json::parse(text.begin(), text.end(), limit, /*allow_exceptions=*/false);
  if (too_deep) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is nested too deeply, expected at most ", kMaxDepth, " levels"));
  }
  if (!json.is_object()) return absl::InvalidArgumentError("it is not a JSON object");
  return json;
}

const Json* Find(const Json& object, absl::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(std::string(name));
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

absl::StatusOr<const Json*> GetObject(const Json& object, absl::string_view name) {
  const Json* value = Find(object, name);
  if (value == nullptr || !value->is_object()) return Unexpected(name, value, "an object");
  return value;
}

absl::StatusOr<const Json*> GetArray(const Json& object, absl::string_view name) {
  const Json* value = Find(object, name);
  if (value == nullptr || !value->is_array()) return Unexpected(name, value, "a list");
  return value;
}

absl::StatusOr<std::string> GetText(const Json& object, absl::string_view name) {
  const Json* value = Find(object, name);
  if (value == nullptr || !value->is_string()) return Unexpected(name, value, "a string");
  return value->get<std::string>();
}

absl::StatusOr<int64_t> GetInteger(const Json& object, absl::string_view name) {
  const Json* value = Find(object, name);
  if (value == nullptr) return Unexpected(name, value, "an integer");
  return IntegerOf(*value, name);
}

absl::StatusOr<int64_t> IntegerOf(const Json& value, absl::string_view what) {
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() &&
                      value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()});
  if (!fits) return Unexpected(what, &value, "an integer");
  return value.get<int64_t>();
}

absl::StatusOr<double> RealOf(const Json& value, absl::string_view what) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return Unexpected(what, &value, "a number");
}

}  // namespace synap_internal::pt2_import
