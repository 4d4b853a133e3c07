#include "compiler/import/stored_elements.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/bfloat16.h"
#include "base/rounding.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

// Each element, of type `From`, as `convert` gives it.
template <typename From, typename Convert>
Constant Converted(absl::Span<const uint8_t> stored, Convert convert) {
  std::vector<decltype(convert(From()))> values(stored.size() / sizeof(From));
  for (size_t i = 0; i < values.size(); ++i) {
    From from;
    std::memcpy(&from, stored.data() + i * sizeof(From), sizeof(From));
    values[i] = convert(from);
  }
  return Constant::Own(std::move(values));
}

}  // namespace

absl::Status UnknownType(absl::string_view name) {
  return absl::UnimplementedError(absl::StrCat("data type ", name, " can't be imported"));
}

size_t SizeOf(StoredType type) {
  return VisitStored(type, [](auto element) { return sizeof(element); });
}

DataType NearestType(StoredType type) {
  switch (type) {
    case StoredType::kBool:
      return DataType::kBool;
    case StoredType::kFloat16:
    case StoredType::kBfloat16:
    case StoredType::kFloat32:
    case StoredType::kFloat64:
      return DataType::kFloat32;
    case StoredType::kInt8:
      return DataType::kInt8;
    case StoredType::kUint8:
      return DataType::kUint8;
    case StoredType::kInt16:
      return DataType::kInt16;
    case StoredType::kUint16:
      return DataType::kUint16;
    case StoredType::kInt32:
      return DataType::kInt32;
    case StoredType::kUint32:
      return DataType::kUint32;
    case StoredType::kInt64:
    case StoredType::kUint64:
      break;
  }
  return DataType::kInt64;
}

DataType WideType(StoredType type) {
  const DataType nearest = NearestType(type);
  return IsFloat(nearest) || nearest == DataType::kBool ? nearest : DataType::kInt64;
}

absl::Status CheckByteCount(const Shape& shape, StoredType type, size_t bytes) {
  const auto size = static_cast<int64_t>(SizeOf(type));
  const int64_t expected = shape.elements() * size;
  if (static_cast<int64_t>(bytes) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("has ", bytes, " bytes of data, expected ",
                                                 expected, " for shape ", shape.ToString(),
                                                 " with elements of ", size, " bytes"));
}

absl::StatusOr<Constant> ConvertElements(StoredType from, DataType to, Constant stored,
                                         GraphBuilder* charged) {
  const absl::Span<const uint8_t> bytes = stored.bytes;
  const bool same = SizeOf(from) == SizeOf(to) && from != StoredType::kBool;
  if (same && reinterpret_cast<uintptr_t>(bytes.data()) % SizeOf(to) == 0) return stored;
  if (charged != nullptr) {
    RETURN_IF_ERROR(
        charged->Charge(static_cast<int64_t>(bytes.size() / SizeOf(from) * SizeOf(to))));
  }
  if (same) return Constant::Of(bytes);
  switch (from) {
    case StoredType::kBool:
      return Converted<uint8_t>(bytes, [](uint8_t x) { return uint8_t{x != 0}; });
    case StoredType::kFloat16:
      return Converted<uint16_t>(bytes, HalfToFloat);
    case StoredType::kBfloat16:
      return Converted<uint16_t>(bytes, BfloatToFloat);
    case StoredType::kFloat64:
      return Converted<double>(bytes, [](double x) { return static_cast<float>(x); });
    default:
      return VisitStored(from, [&](auto element) {
        return Converted<decltype(element)>(bytes, [](auto x) { return static_cast<int64_t>(x); });
      });
  }
}

absl::StatusOr<QuantParams> StoredQuantizer(std::vector<float> scales,
                                            const std::vector<int64_t>& zero_points, int32_t axis) {
  if (!zero_points.empty() && zero_points.size() != scales.size()) {
    return absl::InvalidArgumentError(absl::StrCat("has ", scales.size(), " scales and ",
                                                   zero_points.size(),
                                                   " zero points, expected as many of each"));
  }
  for (const int64_t zero_point : zero_points) {
    constexpr int64_t kLimit = 1 << 16;
    if (zero_point < -kLimit || zero_point > kLimit) {
      return absl::InvalidArgumentError(
          absl::StrCat("has zero point ", zero_point, ", expected at most 2^16 in magnitude"));
    }
    if (zero_point != 0 && scales.size() > 1) {
      return absl::UnimplementedError(absl::StrCat(
          "has scales for each channel and a zero point of ", zero_point, ", expected 0"));
    }
  }
  if (scales.size() > 1) return QuantParams::PerChannel(std::move(scales), axis);
  return QuantParams::Affine(scales[0],
                             zero_points.empty() ? 0 : static_cast<int32_t>(zero_points[0]));
}

}  // namespace synap_internal
