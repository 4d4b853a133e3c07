#include "compiler/import/onnx/tensor_data.h"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/bfloat16.h"
#include "base/rounding.h"
#include "base/status_macros.h"

namespace synap_internal::onnx_import {
namespace {

using onnx::TensorProto;

// What is worth an owner of its own.
constexpr size_t kLargeBytes = size_t{1} << 16;

// Bytes of an element in raw and external data; 0 for what isn't supported.
int64_t RawSize(int type) {
  switch (type) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 1;
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return 2;
    case TensorProto::INT32:
    case TensorProto::UINT32:
    case TensorProto::FLOAT:
      return 4;
    case TensorProto::INT64:
    case TensorProto::UINT64:
    case TensorProto::DOUBLE:
      return 8;
    default:
      return 0;
  }
}

template <typename T>
T Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Raw elements of type `From`, each passed through `convert`.
template <typename From, typename Convert>
Constant ConvertRaw(absl::Span<const uint8_t> raw, Convert convert) {
  using To = decltype(convert(From{}));
  std::vector<uint8_t> bytes(raw.size() / sizeof(From) * sizeof(To));
  for (size_t i = 0; i < raw.size() / sizeof(From); ++i) {
    const To value = convert(Load<From>(raw.data() + i * sizeof(From)));
    std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof(To));
  }
  return Constant::Own(std::move(bytes));
}

// Dense bytes in the model's type -> dense bytes in the imported type.
Constant Widen(int type, Constant raw) {
  switch (type) {
    case TensorProto::FLOAT16:
      return ConvertRaw<uint16_t>(raw.bytes, HalfToFloat);
    case TensorProto::BFLOAT16:
      return ConvertRaw<uint16_t>(raw.bytes, BfloatToFloat);
    case TensorProto::DOUBLE:
      return ConvertRaw<double>(raw.bytes, [](double x) { return static_cast<float>(x); });
    case TensorProto::INT32:
      return ConvertRaw<int32_t>(raw.bytes, [](int32_t x) { return int64_t{x}; });
    case TensorProto::BOOL:
      return ConvertRaw<uint8_t>(raw.bytes, [](uint8_t x) { return uint8_t{x != 0}; });
    default:
      break;
  }
  const auto address = reinterpret_cast<uintptr_t>(raw.bytes.data());
  if (address % static_cast<uintptr_t>(RawSize(type)) == 0) return raw;
  return Constant::Own({raw.bytes.begin(), raw.bytes.end()});
}

template <typename To, typename Field>
Constant FromField(const Field& field) {
  std::vector<uint8_t> bytes(static_cast<size_t>(field.size()) * sizeof(To));
  for (int i = 0; i < field.size(); ++i) {
    const To value = static_cast<To>(field.Get(i));
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(To), &value, sizeof(To));
  }
  return Constant::Own(std::move(bytes));
}

// The typed fields as they would stand in raw_data.
Constant FieldBytes(const TensorProto& tensor) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return FromField<float>(tensor.float_data());
    case TensorProto::DOUBLE:
      return FromField<double>(tensor.double_data());
    case TensorProto::INT64:
      return FromField<int64_t>(tensor.int64_data());
    case TensorProto::UINT64:
      return FromField<uint64_t>(tensor.uint64_data());
    case TensorProto::UINT32:
      return FromField<uint32_t>(tensor.uint64_data());
    case TensorProto::INT32:
      return FromField<int32_t>(tensor.int32_data());
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return FromField<uint16_t>(tensor.int32_data());
    default:
      return FromField<uint8_t>(tensor.int32_data());
  }
}

// Refuses what would leave the model's folder. Symbolic links are followed: a
// build sandbox is made of them.
absl::Status CheckLocation(absl::string_view location) {
  const bool absolute = absl::StartsWith(location, "/");
  for (absl::string_view part : absl::StrSplit(location, absl::ByAnyChar("/\\"))) {
    if (part == ".." || absolute || location.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("external data location '", location, "' is not below the model's folder"));
    }
  }
  return absl::OkStatus();
}

struct ExternalRange {
  std::string location;
  int64_t offset = 0;
  int64_t length = -1;  // -1: not said
};

absl::StatusOr<ExternalRange> ReadRange(const TensorProto& tensor) {
  ExternalRange range;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") range.location = entry.value();
    int64_t* number = entry.key() == "offset"   ? &range.offset
                      : entry.key() == "length" ? &range.length
                                                : nullptr;
    if (number == nullptr) continue;
    if (!absl::SimpleAtoi(entry.value(), number) || *number < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "external data ", entry.key(), " is '", entry.value(), "', expected a number of bytes"));
    }
  }
  RETURN_IF_ERROR(CheckLocation(range.location));
  return range;
}

}  // namespace

std::string OnnxTypeName(int onnx_type) {
  return onnx::TensorProto_DataType_IsValid(onnx_type)
             ? onnx::TensorProto_DataType_Name(static_cast<TensorProto::DataType>(onnx_type))
             : absl::StrCat("number ", onnx_type);
}

absl::StatusOr<DataType> ImportedDataType(int onnx_type) {
  switch (onnx_type) {
    case TensorProto::FLOAT:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
    case TensorProto::DOUBLE:
      return DataType::kFloat32;
    case TensorProto::INT32:
    case TensorProto::INT64:
    case TensorProto::UINT64:
      return DataType::kInt64;
    case TensorProto::BOOL:
      return DataType::kBool;
    case TensorProto::INT8:
      return DataType::kInt8;
    case TensorProto::UINT8:
      return DataType::kUint8;
    case TensorProto::INT16:
      return DataType::kInt16;
    case TensorProto::UINT16:
      return DataType::kUint16;
    case TensorProto::UINT32:
      return DataType::kUint32;
    default:
      return absl::UnimplementedError(
          absl::StrCat("data type ", OnnxTypeName(onnx_type), " can't be imported"));
  }
}

TensorReader::TensorReader(Model model) : model_(std::move(model)) {
  if (model_.proto == nullptr) return;
  for (TensorProto& tensor : *model_.proto->mutable_graph()->mutable_initializer()) {
    if (tensor.raw_data().size() < kLargeBytes) continue;
    large_.emplace(&tensor, tensor.release_raw_data());
  }
}

absl::StatusOr<TensorData> TensorReader::Read(const TensorProto& tensor) {
  TensorData data;
  ASSIGN_OR_RETURN(data.type.dtype, ImportedDataType(tensor.data_type()));
  data.type.shape = Shape(std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end()));
  RETURN_IF_ERROR(data.type.shape.Validate());
  if (tensor.has_segment()) return absl::UnimplementedError("segmented data can't be imported");
  ASSIGN_OR_RETURN(Constant raw, RawBytes(tensor));
  // Checked before anything is allocated that depends on the dimensions.
  const int64_t expected = data.type.shape.elements() * RawSize(tensor.data_type());
  if (static_cast<int64_t>(raw.bytes.size()) != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", raw.bytes.size(), " bytes of data, expected ", expected, " for ",
                     OnnxTypeName(tensor.data_type()), " ", data.type.shape.ToString()));
  }
  data.constant = Widen(tensor.data_type(), std::move(raw));
  return data;
}

absl::StatusOr<Constant> TensorReader::RawBytes(const TensorProto& tensor) {
  if (tensor.data_location() == TensorProto::EXTERNAL) return ExternalBytes(tensor);
  if (const auto large = large_.find(&tensor); large != large_.end()) {
    const std::shared_ptr<const std::string> bytes = std::move(large->second);
    large_.erase(large);
    return Constant{bytes, {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}};
  }
  if (!tensor.has_raw_data()) return FieldBytes(tensor);
  const auto* begin = reinterpret_cast<const uint8_t*>(tensor.raw_data().data());
  return Constant{model_.proto, {begin, tensor.raw_data().size()}};
}

absl::StatusOr<Constant> TensorReader::ExternalBytes(const TensorProto& tensor) {
  ASSIGN_OR_RETURN(const ExternalRange range, ReadRange(tensor));
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, Map(range.location));
  const auto size = static_cast<int64_t>(file->bytes().size());
  const int64_t length = range.length >= 0 ? range.length : size - range.offset;
  if (range.offset > size || length > size - range.offset) {
    return absl::InvalidArgumentError(
        absl::StrCat("external data at offset ", range.offset, " of length ", length,
                     " is outside of '", range.location, "', which has ", size, " bytes"));
  }
  return Constant{
      file, file->bytes().subspan(static_cast<size_t>(range.offset), static_cast<size_t>(length))};
}

absl::StatusOr<std::shared_ptr<const MappedFile>> TensorReader::Map(const std::string& location) {
  if (model_.folder.empty()) {
    return absl::InvalidArgumentError(
        "refers to external data, which a model in memory can't have");
  }
  std::shared_ptr<const MappedFile>& file = files_[location];
  if (file == nullptr) {
    ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(JoinPath(model_.folder, location)));
    file = std::make_shared<const MappedFile>(std::move(mapped));
  }
  return file;
}

}  // namespace synap_internal::onnx_import
