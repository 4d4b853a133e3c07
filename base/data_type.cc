#include "base/data_type.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

struct TypeRow {
  absl::string_view name;
  size_t size;
};

// Indexed by DataType.
constexpr std::array<TypeRow, kDataTypeCount> kTypes = {{
    {"invalid", 0},
    {"bool", 1},
    {"int8", 1},
    {"uint8", 1},
    {"int16", 2},
    {"uint16", 2},
    {"int32", 4},
    {"uint32", 4},
    {"int64", 8},
    {"float16", 2},
    {"float32", 4},
}};

const TypeRow& Row(DataType type) {
  const size_t index = static_cast<size_t>(type);
  return kTypes[index < kTypes.size() ? index : 0];
}

}  // namespace

size_t SizeOf(DataType type) { return Row(type).size; }

absl::string_view Name(DataType type) { return Row(type).name; }

absl::StatusOr<DataType> ParseDataType(absl::string_view name) {
  for (size_t i = 1; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<DataType>(i);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", name,
                   "' is not a data type, expected bool, int8, uint8, int16, uint16, int32, "
                   "uint32, int64, float16 or float32"));
}

}  // namespace synap_internal
