#include "base/data_type.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace synap_internal {
namespace {

constexpr bool RowsAreInOrder() {
  for (size_t i = 0; i < kDataTypeCount; ++i) {
    if (kDataTypes[i].type != static_cast<DataType>(i)) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

}  // namespace

absl::StatusOr<DataType> ParseDataType(absl::string_view name) {
  std::string names;
  for (const DataTypeRow& row : kDataTypes) {
    if (row.type == DataType::kInvalid) continue;
    if (row.name == name) return row.type;
    absl::StrAppend(&names, names.empty() ? "" : ", ", row.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not a data type, expected one of ", names));
}

IntegerRange RangeOf(DataType type) {
  const DataTypeRow& row = RowOf(type);
  CHECK(row.type != DataType::kInvalid && !row.is_float);
  return row.range;
}

}  // namespace synap_internal
