#include "compiler/import/torchscript/tensor_data.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/bfloat16.h"
#include "base/rounding.h"
#include "base/status_macros.h"

namespace synap_internal::torchscript_import {
namespace {

using Proto = torchscript::Tensor;

size_t StoredSize(Proto::Type type) {
  switch (type) {
    case Proto::BOOL:
    case Proto::UINT8:
    case Proto::INT8:
      return 1;
    case Proto::INT16:
    case Proto::FLOAT16:
    case Proto::BFLOAT16:
      return 2;
    case Proto::INT32:
    case Proto::FLOAT32:
      return 4;
    case Proto::INT64:
    case Proto::FLOAT64:
      return 8;
    default:
      return 0;
  }
}

absl::StatusOr<Shape> ReadShape(const Proto& tensor) {
  Shape shape(std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end()));
  RETURN_IF_ERROR(shape.Validate());
  const size_t size = StoredSize(tensor.type());
  if (size == 0) {
    return absl::UnimplementedError(
        absl::StrCat("constants of type ", tensor.type_name(), " can't be imported"));
  }
  const int64_t expected = shape.elements() * static_cast<int64_t>(size);
  if (static_cast<int64_t>(tensor.data().size()) == expected) return shape;
  return absl::InvalidArgumentError(absl::StrCat("a constant ", shape.ToString(), " has ",
                                                 tensor.data().size(), " bytes, expected ",
                                                 expected));
}

Constant Shared(const Proto& tensor, const std::shared_ptr<const void>& owner) {
  return {owner, {reinterpret_cast<const uint8_t*>(tensor.data().data()), tensor.data().size()}};
}

template <typename Stored, typename To, typename Convert>
absl::StatusOr<Constant> Converted(const Proto& tensor, GraphBuilder& builder, Convert convert) {
  const size_t count = tensor.data().size() / sizeof(Stored);
  RETURN_IF_ERROR(builder.Charge(static_cast<int64_t>(count * sizeof(To))));
  std::vector<uint8_t> bytes(count * sizeof(To));
  for (size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, tensor.data().data() + i * sizeof(Stored), sizeof(stored));
    const To value = convert(stored);
    std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof(value));
  }
  return Constant::Own(std::move(bytes));
}

template <typename Stored>
absl::StatusOr<Constant> Widened(const Proto& tensor, GraphBuilder& builder) {
  return Converted<Stored, int64_t>(tensor, builder, [](Stored x) { return int64_t{x}; });
}

absl::StatusOr<Constant> ReadIntegers(const Proto& tensor, GraphBuilder& builder) {
  switch (tensor.type()) {
    case Proto::UINT8:
      return Widened<uint8_t>(tensor, builder);
    case Proto::INT8:
      return Widened<int8_t>(tensor, builder);
    case Proto::INT16:
      return Widened<int16_t>(tensor, builder);
    case Proto::INT32:
      return Widened<int32_t>(tensor, builder);
    default:
      return Widened<int64_t>(tensor, builder);
  }
}

// The parser's strings are aligned well enough for what malloc aligns them for.
bool IsAligned(const Proto& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data().data()) % alignof(float) == 0;
}

absl::StatusOr<Constant> ReadFloats(const Proto& tensor, const std::shared_ptr<const void>& owner,
                                    GraphBuilder& builder) {
  switch (tensor.type()) {
    case Proto::FLOAT16:
      return Converted<uint16_t, float>(tensor, builder, HalfToFloat);
    case Proto::BFLOAT16:
      return Converted<uint16_t, float>(tensor, builder, BfloatToFloat);
    case Proto::FLOAT64:
      return Converted<double, float>(tensor, builder,
                                      [](double x) { return static_cast<float>(x); });
    default:
      if (IsAligned(tensor)) return Shared(tensor, owner);
      return Converted<float, float>(tensor, builder, [](float x) { return x; });
  }
}

absl::StatusOr<QuantParams> ReadQuantizer(const Proto& tensor) {
  if (tensor.scales_size() != tensor.zero_points_size()) {
    return absl::InvalidArgumentError(absl::StrCat("a constant has ", tensor.scales_size(),
                                                   " scales and ", tensor.zero_points_size(),
                                                   " zero points"));
  }
  if (tensor.scales_size() == 1) {
    return QuantParams::Affine(static_cast<float>(tensor.scales(0)),
                               static_cast<int32_t>(tensor.zero_points(0)));
  }
  for (const int64_t zero_point : tensor.zero_points()) {
    if (zero_point == 0) continue;
    return absl::UnimplementedError(
        absl::StrCat("weights with a zero point of ", zero_point, " for a channel, expected 0"));
  }
  std::vector<float> scales;
  for (const double scale : tensor.scales()) scales.push_back(static_cast<float>(scale));
  return QuantParams::PerChannel(std::move(scales), static_cast<int32_t>(tensor.axis()));
}

}  // namespace

absl::StatusOr<TensorData> ReadTensor(const Proto& tensor, const std::shared_ptr<const void>& owner,
                                      GraphBuilder& builder) {
  TensorData data;
  ASSIGN_OR_RETURN(data.type.shape, ReadShape(tensor));
  if (tensor.scales_size() > 0) {
    const bool known = tensor.type() == Proto::UINT8 || tensor.type() == Proto::INT8;
    if (!known) {
      return absl::UnimplementedError(
          absl::StrCat("quantized constants of type ", tensor.type_name(), " can't be imported"));
    }
    data.type.dtype = tensor.type() == Proto::UINT8 ? DataType::kUint8 : DataType::kInt8;
    ASSIGN_OR_RETURN(data.type.quant, ReadQuantizer(tensor));
    RETURN_IF_ERROR(data.type.quant.Validate(data.type.dtype, data.type.shape));
    data.constant = Shared(tensor, owner);
    return data;
  }
  switch (tensor.type()) {
    case Proto::BOOL: {
      data.type.dtype = DataType::kBool;
      // Bytes of a file may be anything.
      ASSIGN_OR_RETURN(data.constant, (Converted<uint8_t, uint8_t>(
                                          tensor, builder, [](uint8_t x) { return x != 0; })));
      return data;
    }
    case Proto::FLOAT16:
    case Proto::BFLOAT16:
    case Proto::FLOAT32:
    case Proto::FLOAT64: {
      data.type.dtype = DataType::kFloat32;
      ASSIGN_OR_RETURN(data.constant, ReadFloats(tensor, owner, builder));
      return data;
    }
    default: {
      data.type.dtype = DataType::kInt64;
      ASSIGN_OR_RETURN(data.constant, ReadIntegers(tensor, builder));
      return data;
    }
  }
}

}  // namespace synap_internal::torchscript_import
