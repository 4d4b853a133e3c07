#include "synap/types.hpp"

#include <cstddef>
#include <ostream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/data_type.h"
#include "runtime/api/api_type.h"
#include "runtime/api/no_throw.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::NoThrow;

template <typename Enum>
struct Name {
  Enum value;
  const char* text;
};

constexpr Name<Layout> kLayouts[] = {
    {Layout::none, "none"}, {Layout::nchw, "nchw"}, {Layout::nhwc, "nhwc"}};
constexpr Name<Security> kSecurities[] = {
    {Security::none, "none"},
    {Security::any, "any"},
    {Security::secure, "secure"},
    {Security::non_secure, "non-secure"},
    {Security::secure_if_input_secure, "secure-if-input-secure"},
};

template <typename Enum, size_t N>
std::ostream& Print(std::ostream& stream, Enum value, const Name<Enum> (&names)[N]) {
  for (const Name<Enum>& name : names) {
    if (name.value == value) return stream << name.text;
  }
  return stream << "invalid";
}

template <typename Enum, size_t N>
bool ParseName(absl::string_view text, const Name<Enum> (&names)[N], Enum& value) {
  for (const Name<Enum>& name : names) {
    if (absl::StripAsciiWhitespace(text) == name.text) {
      value = name.value;
      return true;
    }
  }
  return false;
}

// The fields of "[1,2,3]" or "1,2,3"; empty if a bracket is missing.
std::vector<absl::string_view> Fields(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "[") != absl::ConsumeSuffix(&text, "]")) return {};
  return absl::StrSplit(text, ',');
}

// Parses as many integers as `values` has; changes nothing on failure.
template <size_t N>
bool ParseIntegers(absl::string_view text, int32_t* const (&values)[N]) {
  const std::vector<absl::string_view> fields = Fields(text);
  int32_t parsed[N] = {};
  if (fields.size() != N) return false;
  for (size_t i = 0; i < N; ++i) {
    if (!absl::SimpleAtoi(fields[i], &parsed[i])) return false;
  }
  for (size_t i = 0; i < N; ++i) *values[i] = parsed[i];
  return true;
}

bool ParseShape(absl::string_view text, Shape& value) {
  Shape parsed;
  for (const absl::string_view field : Fields(text)) {
    int32_t dim = 0;
    if (!absl::SimpleAtoi(field, &dim)) return false;
    parsed.push_back(dim);
  }
  if (parsed.empty()) return false;
  value = std::move(parsed);
  return true;
}

bool ParseLandmark(absl::string_view text, Landmark& value) {
  const std::vector<absl::string_view> fields = Fields(text);
  Landmark parsed;
  if (fields.size() != 4 || !absl::SimpleAtoi(fields[0], &parsed.x) ||
      !absl::SimpleAtoi(fields[1], &parsed.y) || !absl::SimpleAtoi(fields[2], &parsed.z) ||
      !absl::SimpleAtof(fields[3], &parsed.visibility)) {
    return false;
  }
  value = parsed;
  return true;
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, DataType value) {
  return stream << ::synap_internal::RowOf(::synap_internal::FromApi(value)).metadata_name;
}

std::ostream& operator<<(std::ostream& stream, Layout value) {
  return Print(stream, value, kLayouts);
}

std::ostream& operator<<(std::ostream& stream, Security value) {
  return Print(stream, value, kSecurities);
}

std::ostream& operator<<(std::ostream& stream, const Shape& value) {
  stream << "[";
  for (size_t i = 0; i < value.size(); ++i) stream << (i == 0 ? "" : ",") << value[i];
  return stream << "]";
}

std::ostream& operator<<(std::ostream& stream, const Dimensions& value) {
  return stream << "[" << value.n << "," << value.h << "," << value.w << "," << value.c << "]";
}

std::ostream& operator<<(std::ostream& stream, const Dim2d& value) {
  return stream << value.x << "," << value.y;
}

std::ostream& operator<<(std::ostream& stream, const Rect& value) {
  return stream << value.origin << "," << value.size;
}

std::ostream& operator<<(std::ostream& stream, const Landmark& value) {
  return stream << value.x << "," << value.y << "," << value.z << "," << value.visibility;
}

bool from_string(const std::string& text, DataType& value) {
  for (const ::synap_internal::DataTypeRow& row : ::synap_internal::kDataTypes) {
    if (row.metadata_name != absl::StripAsciiWhitespace(text)) continue;
    value = ::synap_internal::ToApi(row.type);
    return true;
  }
  return false;
}

bool from_string(const std::string& text, Layout& value) {
  return ParseName(text, kLayouts, value);
}

bool from_string(const std::string& text, Security& value) {
  return ParseName(text, kSecurities, value);
}

bool from_string(const std::string& text, Shape& value) {
  return NoThrow(__func__, false, [&] { return ParseShape(text, value); });
}

bool from_string(const std::string& text, Dimensions& value) {
  return NoThrow(__func__, false, [&] {
    return ParseIntegers(text, {&value.n, &value.h, &value.w, &value.c});
  });
}

bool from_string(const std::string& text, Dim2d& value) {
  return NoThrow(__func__, false, [&] { return ParseIntegers(text, {&value.x, &value.y}); });
}

bool from_string(const std::string& text, Rect& value) {
  return NoThrow(__func__, false, [&] {
    return ParseIntegers(text, {&value.origin.x, &value.origin.y, &value.size.x, &value.size.y});
  });
}

bool from_string(const std::string& text, Landmark& value) {
  return NoThrow(__func__, false, [&] { return ParseLandmark(text, value); });
}

}  // namespace synaptics::synap
