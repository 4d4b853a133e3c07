#include "runtime/bundle/json.h"

#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

constexpr size_t kMaxBytes = size_t{16} << 20;
// An ordered object compares each new name with all others, which would be slow for
// a hostile file.
constexpr int64_t kMaxMembers = 20000;
constexpr int kMaxDepth = 64;

absl::Status Unexpected(absl::string_view what, const Json& value, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      what, " is ", value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60),
      ", expected ", expected));
}

}  // namespace

absl::StatusOr<Json> ParseJsonObject(absl::string_view text) {
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON text has ", text.size(), " bytes, expected at most ", kMaxBytes));
  }
  int64_t members = 0;
  bool too_much = false;
  const Json::parser_callback_t limit = [&](int depth, Json::parse_event_t event, Json&) {
    if (event == Json::parse_event_t::key) ++members;
    too_much = too_much || depth > kMaxDepth || members > kMaxMembers;
    return !too_much;
  };
  Json json = Json::parse(text.begin(), text.end(), limit, /*allow_exceptions=*/false);
  if (too_much) {
    return absl::InvalidArgumentError(absl::StrCat("JSON text is too large, expected at most ",
                                                   kMaxMembers, " members and ", kMaxDepth,
                                                   " levels"));
  }
  if (!json.is_object()) return absl::InvalidArgumentError("not a JSON object");
  return json;
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
