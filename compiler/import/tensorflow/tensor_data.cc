#include "compiler/import/tensorflow/tensor_data.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/bfloat16.h"
#include "base/rounding.h"
#include "base/status_macros.h"

namespace synap_internal::tensorflow_import {
namespace {

using tensorflow::TensorProto;

// Reads the values of one tensor, whatever form they have: `To` is how they flow,
// `Stored` how tensor_content has them.
template <typename To>
class ValueReader {
 public:
  ValueReader(const TensorProto& tensor, const Shape& shape,
              const std::shared_ptr<const void>& owner, GraphBuilder& builder)
      : tensor_(tensor), elements_(shape.elements()), owner_(owner), builder_(builder) {}

  template <typename Stored, typename Field, typename Convert>
  absl::StatusOr<Constant> Read(const Field& field, Convert convert) {
    const std::string& content = tensor_.tensor_content();
    if (!content.empty()) {
      const int64_t expected = elements_ * static_cast<int64_t>(sizeof(Stored));
      if (static_cast<int64_t>(content.size()) != expected) {
        return absl::InvalidArgumentError(
            absl::StrCat("its value has ", content.size(), " bytes, expected ", expected));
      }
      const auto* begin = reinterpret_cast<const uint8_t*>(content.data());
      if (std::is_same_v<Stored, To> && IsAligned(begin)) {
        return Constant{owner_, {begin, content.size()}};
      }
      return Converted(elements_, [&](int64_t i) {
        Stored stored;
        std::memcpy(&stored, begin + i * static_cast<int64_t>(sizeof(Stored)), sizeof(stored));
        return convert(stored);
      });
    }
    if (field.size() > elements_) {
      return absl::InvalidArgumentError(
          absl::StrCat("its value has ", field.size(), " elements, expected ", elements_));
    }
    return Converted(elements_, [&](int64_t i) {
      if (field.empty()) return To{};
      const int64_t last = field.size() - 1;
      return convert(static_cast<Stored>(field.Get(static_cast<int>(i < last ? i : last))));
    });
  }

 private:
  static bool IsAligned(const uint8_t* data) {
    return reinterpret_cast<uintptr_t>(data) % alignof(To) == 0;
  }

  template <typename At>
  absl::StatusOr<Constant> Converted(int64_t count, At at) {
    RETURN_IF_ERROR(builder_.Charge(count * static_cast<int64_t>(sizeof(To))));
    std::vector<uint8_t> bytes(static_cast<size_t>(count) * sizeof(To));
    for (int64_t i = 0; i < count; ++i) {
      const To value = at(i);
      std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(To), &value, sizeof(value));
    }
    return Constant::Own(std::move(bytes));
  }

  const TensorProto& tensor_;
  const int64_t elements_;
  const std::shared_ptr<const void>& owner_;
  GraphBuilder& builder_;
};

template <typename Stored, typename Field>
absl::StatusOr<Constant> ReadInts(ValueReader<int64_t> reader, const Field& field) {
  return reader.Read<Stored>(field, [](Stored x) { return static_cast<int64_t>(x); });
}

absl::StatusOr<Constant> ReadIntegers(const TensorProto& tensor, ValueReader<int64_t> reader) {
  switch (tensor.dtype()) {
    case tensorflow::DT_INT64:
      return ReadInts<int64_t>(reader, tensor.int64_val());
    case tensorflow::DT_UINT64:
      return ReadInts<uint64_t>(reader, tensor.uint64_val());
    case tensorflow::DT_UINT32:
      return ReadInts<uint32_t>(reader, tensor.uint32_val());
    case tensorflow::DT_INT16:
      return ReadInts<int16_t>(reader, tensor.int_val());
    case tensorflow::DT_UINT16:
      return ReadInts<uint16_t>(reader, tensor.int_val());
    case tensorflow::DT_INT8:
      return ReadInts<int8_t>(reader, tensor.int_val());
    case tensorflow::DT_UINT8:
      return ReadInts<uint8_t>(reader, tensor.int_val());
    default:
      return ReadInts<int32_t>(reader, tensor.int_val());
  }
}

absl::StatusOr<Constant> ReadFloats(const TensorProto& tensor, ValueReader<float> reader) {
  switch (tensor.dtype()) {
    case tensorflow::DT_HALF:
      return reader.Read<uint16_t>(tensor.half_val(), HalfToFloat);
    case tensorflow::DT_BFLOAT16:
      return reader.Read<uint16_t>(tensor.half_val(), BfloatToFloat);
    case tensorflow::DT_DOUBLE:
      return reader.Read<double>(tensor.double_val(),
                                 [](double x) { return static_cast<float>(x); });
    default:
      return reader.Read<float>(tensor.float_val(), [](float x) { return x; });
  }
}

}  // namespace

absl::StatusOr<DataType> FlowDataType(tensorflow::DataType type) {
  switch (type) {
    case tensorflow::DT_FLOAT:
    case tensorflow::DT_HALF:
    case tensorflow::DT_BFLOAT16:
    case tensorflow::DT_DOUBLE:
      return DataType::kFloat32;
    case tensorflow::DT_INT64:
    case tensorflow::DT_INT32:
    case tensorflow::DT_INT16:
    case tensorflow::DT_INT8:
    case tensorflow::DT_UINT64:
    case tensorflow::DT_UINT32:
    case tensorflow::DT_UINT16:
    case tensorflow::DT_UINT8:
      return DataType::kInt64;
    case tensorflow::DT_BOOL:
      return DataType::kBool;
    default:
      return absl::UnimplementedError(absl::StrCat("type ",
                                                   tensorflow::DataType_IsValid(type)
                                                       ? tensorflow::DataType_Name(type)
                                                       : std::to_string(static_cast<int>(type)),
                                                   " can't be imported"));
  }
}

absl::StatusOr<TensorData> ReadTensor(const TensorProto& tensor,
                                      const std::shared_ptr<const void>& owner,
                                      GraphBuilder& builder) {
  std::vector<int64_t> dims;
  for (const auto& dim : tensor.tensor_shape().dim()) dims.push_back(dim.size());
  TensorData data;
  ASSIGN_OR_RETURN(data.type.dtype, FlowDataType(tensor.dtype()));
  data.type.shape = Shape(std::move(dims));
  RETURN_IF_ERROR(data.type.shape.Validate());
  const Shape& shape = data.type.shape;
  if (data.type.dtype == DataType::kFloat32) {
    ASSIGN_OR_RETURN(data.constant, ReadFloats(tensor, {tensor, shape, owner, builder}));
  } else if (data.type.dtype == DataType::kInt64) {
    ASSIGN_OR_RETURN(data.constant, ReadIntegers(tensor, {tensor, shape, owner, builder}));
  } else {
    ValueReader<uint8_t> reader(tensor, shape, owner, builder);
    ASSIGN_OR_RETURN(data.constant, reader.Read<int8_t>(tensor.bool_val(), [](int8_t x) {
      return static_cast<uint8_t>(x != 0);
    }));
  }
  return data;
}

}  // namespace synap_internal::tensorflow_import
