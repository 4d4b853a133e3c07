#include "kernels/attributes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

template <typename T>
const T* AttributeReader::Find(absl::string_view name, absl::string_view expected) {
  asked_.emplace_back(name);
  const auto it = attributes_.find(name);
  if (it == attributes_.end()) return nullptr;
  const T* value = std::get_if<T>(&it->second);
  if (value == nullptr) {
    Fail(absl::StrCat("attribute '", name, "' is ", ToString(it->second), ", expected ", expected));
  }
  return value;
}

bool AttributeReader::Require(absl::string_view name) {
  if (attributes_.find(name) != attributes_.end()) return true;
  Fail(absl::StrCat("attribute '", name, "' is missing"));
  return false;
}

void AttributeReader::Fail(std::string message) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(std::move(message));
}

int64_t AttributeReader::Int(absl::string_view name, int64_t fallback) {
  const int64_t* value = Find<int64_t>(name, "an integer");
  return value == nullptr ? fallback : *value;
}

float AttributeReader::Float(absl::string_view name, float fallback) {
  const auto it = attributes_.find(name);
  if (it != attributes_.end() && std::holds_alternative<int64_t>(it->second)) {
    asked_.emplace_back(name);
    return static_cast<float>(std::get<int64_t>(it->second));
  }
  const float* value = Find<float>(name, "a number");
  return value == nullptr ? fallback : *value;
}

std::string AttributeReader::String(absl::string_view name, absl::string_view fallback) {
  const std::string* value = Find<std::string>(name, "a string");
  return value == nullptr ? std::string(fallback) : *value;
}

std::vector<int64_t> AttributeReader::Ints(absl::string_view name, int size,
                                           std::vector<int64_t> fallback) {
  const std::vector<int64_t>* value = Find<std::vector<int64_t>>(name, "a list of integers");
  if (value == nullptr) return fallback;
  if (size >= 0 && value->size() != static_cast<size_t>(size)) {
    Fail(absl::StrCat("attribute '", name, "' has ", value->size(), " values, expected ", size));
    return fallback;
  }
  return *value;
}

std::vector<float> AttributeReader::Floats(absl::string_view name, int size,
                                           std::vector<float> fallback) {
  const std::vector<float>* value = Find<std::vector<float>>(name, "a list of numbers");
  if (value == nullptr) return fallback;
  if (size >= 0 && value->size() != static_cast<size_t>(size)) {
    Fail(absl::StrCat("attribute '", name, "' has ", value->size(), " values, expected ", size));
    return fallback;
  }
  return *value;
}

Attributes AttributeReader::Prefixed(absl::string_view prefix) {
  Attributes prefixed;
  for (const auto& [name, value] : attributes_) {
    if (!absl::StartsWith(name, prefix)) continue;
    asked_.push_back(name);
    prefixed.emplace(name.substr(prefix.size()), value);
  }
  return prefixed;
}

int64_t AttributeReader::RequiredInt(absl::string_view name) {
  return Require(name) ? Int(name, 0) : 0;
}

std::string AttributeReader::RequiredString(absl::string_view name) {
  return Require(name) ? String(name, "") : "";
}

std::vector<int64_t> AttributeReader::RequiredInts(absl::string_view name, int size) {
  std::vector<int64_t> fallback(static_cast<size_t>(std::max(size, 0)));
  return Require(name) ? Ints(name, size, fallback) : fallback;
}

absl::Status AttributeReader::Finish() {
  for (const auto& [name, value] : attributes_) {
    if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) {
      Fail(absl::StrCat("unknown attribute '", name, "'"));
    }
  }
  return status_;
}

std::string FloatToString(float value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, result.ptr);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

namespace {

struct Printer {
  std::string operator()(int64_t value) const { return absl::StrCat(value); }
  std::string operator()(float value) const { return FloatToString(value); }
  std::string operator()(const std::string& value) const {
    return absl::StrCat("\"", absl::CEscape(value), "\"");
  }
  std::string operator()(const std::vector<int64_t>& values) const {
    return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
  }
  std::string operator()(const std::vector<float>& values) const {
    const auto format = [](std::string* out, float value) { *out += FloatToString(value); };
    return absl::StrCat("[", absl::StrJoin(values, ", ", format), "]");
  }
};

}  // namespace

std::string ToString(const AttributeValue& value) { return std::visit(Printer(), value); }

}  // namespace synap_internal
