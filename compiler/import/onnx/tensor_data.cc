#include "compiler/import/onnx/tensor_data.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/narrow_types.h"

namespace synap_internal::onnx_import {
namespace {

using onnx::TensorProto;

// Weights from this size on are freed one by one.
constexpr size_t kLargeBytes = size_t{1} << 16;

constexpr char kSegmented[] = "segmented data can't be imported";

constexpr StoredTypeRow<int> kStoredTypes[] = {
    {TensorProto::BOOL, StoredType::kBool},         {TensorProto::INT8, StoredType::kInt8},
    {TensorProto::UINT8, StoredType::kUint8},       {TensorProto::INT16, StoredType::kInt16},
    {TensorProto::UINT16, StoredType::kUint16},     {TensorProto::INT32, StoredType::kInt32},
    {TensorProto::UINT32, StoredType::kUint32},     {TensorProto::INT64, StoredType::kInt64},
    {TensorProto::UINT64, StoredType::kUint64},     {TensorProto::FLOAT16, StoredType::kFloat16},
    {TensorProto::BFLOAT16, StoredType::kBfloat16}, {TensorProto::FLOAT, StoredType::kFloat32},
    {TensorProto::DOUBLE, StoredType::kFloat64},
};

absl::StatusOr<StoredType> StoredTypeOf(int onnx_type) {
  return FindStoredType(kStoredTypes, onnx_type, OnnxTypeName);
}

DataType ImportedType(StoredType type) {
  return type == StoredType::kInt32 ? DataType::kInt64 : NearestType(type);
}

template <typename T, typename Field>
Constant AllElements(const Field& field) {
  return FieldElements<T>(field, static_cast<size_t>(field.size()));
}

// The typed fields as they would stand in raw_data.
Constant FieldBytes(const TensorProto& tensor, StoredType type) {
  switch (type) {
    case StoredType::kFloat32:
      return AllElements<float>(tensor.float_data());
    case StoredType::kFloat64:
      return AllElements<double>(tensor.double_data());
    case StoredType::kInt64:
      return AllElements<int64_t>(tensor.int64_data());
    case StoredType::kUint64:
      return AllElements<uint64_t>(tensor.uint64_data());
    case StoredType::kUint32:
      return AllElements<uint32_t>(tensor.uint64_data());
    default:
      return VisitStored(
          type, [&](auto element) { return AllElements<decltype(element)>(tensor.int32_data()); });
  }
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
  return range;
}

}  // namespace

std::string OnnxTypeName(int onnx_type) {
  return onnx::TensorProto_DataType_IsValid(onnx_type)
             ? onnx::TensorProto_DataType_Name(static_cast<TensorProto::DataType>(onnx_type))
             : absl::StrCat("number ", onnx_type);
}

absl::StatusOr<DataType> ImportedDataType(int onnx_type) {
  ASSIGN_OR_RETURN(const StoredType type, StoredTypeOf(onnx_type));
  return ImportedType(type);
}

TensorReader::TensorReader(Model model) : model_(std::move(model)) {
  if (model_.proto == nullptr) return;
  for (TensorProto& tensor : *model_.proto->mutable_graph()->mutable_initializer()) {
    if (tensor.raw_data().size() < kLargeBytes) continue;
    large_.emplace(&tensor, tensor.release_raw_data());
  }
}

absl::StatusOr<TensorData> TensorReader::Read(const TensorProto& tensor) {
  ASSIGN_OR_RETURN(const StoredType type, StoredTypeOf(tensor.data_type()));
  TensorData data;
  data.type.dtype = ImportedType(type);
  data.type.shape = Shape(std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end()));
  RETURN_IF_ERROR(data.type.shape.Validate());
  if (tensor.has_segment()) return absl::UnimplementedError(kSegmented);
  ASSIGN_OR_RETURN(Constant raw, RawBytes(tensor, &type));
  // Checked before anything is allocated that depends on the dimensions.
  RETURN_IF_ERROR(CheckByteCount(data.type.shape, type, raw.bytes.size()));
  ASSIGN_OR_RETURN(data.constant, ConvertElements(type, data.type.dtype, std::move(raw)));
  return data;
}

absl::StatusOr<TensorData> TensorReader::ReadWeights(const TensorProto& tensor) {
  if (!IsNarrowType(tensor.data_type())) return Read(tensor);
  const Shape shape(std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end()));
  RETURN_IF_ERROR(shape.Validate());
  if (tensor.has_segment()) return absl::UnimplementedError(kSegmented);
  ASSIGN_OR_RETURN(const Constant raw, RawBytes(tensor, nullptr));
  return UnpackNarrow(tensor.data_type(), shape, raw.bytes);
}

absl::StatusOr<Constant> TensorReader::RawBytes(const TensorProto& tensor, const StoredType* type) {
  if (tensor.data_location() == TensorProto::EXTERNAL) return ExternalBytes(tensor);
  if (const auto large = large_.find(&tensor); large != large_.end()) {
    const std::shared_ptr<const std::string> bytes = std::move(large->second);
    large_.erase(large);
    return Constant{bytes, {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}};
  }
  if (!tensor.has_raw_data()) {
    // Fields of narrow types have a byte in each element.
    return type == nullptr ? AllElements<uint8_t>(tensor.int32_data()) : FieldBytes(tensor, *type);
  }
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
    ASSIGN_OR_RETURN(const std::string path, ExternalDataPath(model_, location));
    ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path));
    file = std::make_shared<const MappedFile>(std::move(mapped));
  }
  return file;
}

}  // namespace synap_internal::onnx_import
