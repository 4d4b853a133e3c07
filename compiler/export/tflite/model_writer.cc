#include "compiler/export/tflite/model_writer.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "compiler/export/tflite/operator_version.h"

namespace synap_internal::tflite_export {
namespace {

constexpr uint32_t kFormatVersion = 3;
constexpr char kSignature[] = "serving_default";
// Runtimes map the file and read weights where they are.
constexpr size_t kDataAlignment = 16;
// What a file takes beyond its constants, generously: names, shapes, tables.
constexpr size_t kRoomForTables = size_t{1} << 26;

using flatbuffers::Offset;

std::vector<int32_t> FileShape(const Shape& shape) {
  return {shape.dims().begin(), shape.dims().end()};
}

// Absent for tensors without a quantizer.
Offset<tflite::QuantizationParameters> WriteQuantizer(const QuantParams& quant,
                                                      FileBuilder& builder) {
  if (!quant.quantized()) return 0;
  std::vector<int64_t> zero_points(quant.scales.size(), 0);
  if (quant.scheme == QuantScheme::kAsymmetricAffine) zero_points[0] = quant.zero_point();
  const bool per_channel = quant.scheme == QuantScheme::kPerChannelSymmetric;
  return tflite::CreateQuantizationParametersDirect(builder, &quant.scales, &zero_points,
                                                    per_channel ? quant.axis : 0);
}

Offset<tflite::Buffer> WriteBuffer(const Constant& data, FileBuilder& builder) {
  builder.ForceVectorAlignment(data.bytes.size(), sizeof(uint8_t), kDataAlignment);
  return tflite::CreateBuffer(builder, builder.CreateVector(data.bytes.data(), data.bytes.size()));
}

}  // namespace

tflite::TensorType FileType(DataType type) {
  switch (type) {
    case DataType::kBool:
      return tflite::TensorType::BOOL;
    case DataType::kInt8:
      return tflite::TensorType::INT8;
    case DataType::kUint8:
      return tflite::TensorType::UINT8;
    case DataType::kInt16:
      return tflite::TensorType::INT16;
    case DataType::kUint16:
      return tflite::TensorType::UINT16;
    case DataType::kInt32:
      return tflite::TensorType::INT32;
    case DataType::kUint32:
      return tflite::TensorType::UINT32;
    case DataType::kInt64:
      return tflite::TensorType::INT64;
    case DataType::kFloat16:
      return tflite::TensorType::FLOAT16;
    case DataType::kFloat32:
      return tflite::TensorType::FLOAT32;
    case DataType::kInvalid:
      break;
  }
  CHECK(false);
}

std::string ModelWriter::UniqueName(const std::string& base) {
  const auto [entry, is_new] = names_.try_emplace(base, 0);
  if (is_new) return base;
  // The entry moves when others are added.
  for (int number = entry->second + 1;; ++number) {
    std::string name = absl::StrCat(base, ".", number);
    if (!names_.try_emplace(name, 0).second) continue;
    names_[base] = number;
    return name;
  }
}

Value ModelWriter::AddTensor(const std::string& name, TensorType type) {
  tensors_.push_back({name, std::move(type), {}, false});
  return static_cast<Value>(tensors_.size()) - 1;
}

Value ModelWriter::AddConstant(const std::string& name, TensorType type, Constant data) {
  tensors_.push_back({name, std::move(type), std::move(data), true});
  return static_cast<Value>(tensors_.size()) - 1;
}

size_t ModelWriter::CodeOf(tflite::BuiltinOperator code, const std::vector<Value>& inputs,
                           const std::vector<Value>& outputs) {
  OperatorTypes types;
  for (const Value input : inputs) {
    types.inputs.push_back(input == kAbsent ? TensorType() : type(input));
  }
  for (const Value output : outputs) types.outputs.push_back(type(output));
  const Code wanted = {code, VersionOf(code, types)};
  const auto known = std::find(codes_.begin(), codes_.end(), wanted);
  if (known != codes_.end()) return static_cast<size_t>(known - codes_.begin());
  codes_.push_back(wanted);
  return codes_.size() - 1;
}

void ModelWriter::AddOperator(tflite::BuiltinOperator code, std::vector<Value> inputs,
                              std::vector<Value> outputs, Options options) {
  const size_t index = CodeOf(code, inputs, outputs);
  operators_.push_back({index, std::move(inputs), std::move(outputs), std::move(options)});
}

Offset<tflite::SubGraph> ModelWriter::WriteGraph(const std::string& name,
                                                 FileBuilder& builder) const {
  std::vector<Offset<tflite::Tensor>> tensors;
  uint32_t buffer = 0;  // number 0 is the empty one
  for (const FileTensor& tensor : tensors_) {
    const auto quantizer = WriteQuantizer(tensor.type.quant, builder);
    const std::vector<int32_t> shape = FileShape(tensor.type.shape);
    tensors.push_back(tflite::CreateTensorDirect(builder, &shape, FileType(tensor.type.dtype),
                                                 tensor.is_constant ? ++buffer : 0,
                                                 tensor.name.c_str(), quantizer));
  }
  std::vector<Offset<tflite::Operator>> operators;
  for (const FileOperator& op : operators_) {
    const OptionsUnion options =
        op.options ? op.options(builder) : WriteDefaultOptions(codes_[op.code].first, builder);
    operators.push_back(tflite::CreateOperatorDirect(builder, static_cast<uint32_t>(op.code),
                                                     &op.inputs, &op.outputs, options.type,
                                                     options.offset));
  }
  return tflite::CreateSubGraphDirect(builder, &tensors, &inputs_, &outputs_, &operators,
                                      name.c_str());
}

Offset<tflite::SignatureDef> ModelWriter::WriteSignature(FileBuilder& builder) const {
  const auto maps = [&](const std::vector<Value>& values) {
    std::vector<Offset<tflite::TensorMap>> written;
    for (const Value value : values) {
      written.push_back(tflite::CreateTensorMapDirect(builder, tensors_[Index(value)].name.c_str(),
                                                      static_cast<uint32_t>(value)));
    }
    return written;
  };
  const auto inputs = maps(inputs_), outputs = maps(outputs_);
  return tflite::CreateSignatureDefDirect(builder, &inputs, &outputs, kSignature, 0);
}

absl::Status ModelWriter::CheckSizes() const {
  size_t bytes = kRoomForTables;
  for (const FileTensor& tensor : tensors_) {
    bytes += tensor.data.bytes.size() + kDataAlignment;
    for (const int64_t dim : tensor.type.shape.dims()) {
      if (dim <= std::numeric_limits<int32_t>::max()) continue;
      return absl::ResourceExhaustedError(absl::StrCat("'", tensor.name, "' is ",
                                                       tensor.type.shape.ToString(),
                                                       ", expected dimensions below 2^31"));
    }
  }
  if (bytes < FLATBUFFERS_MAX_BUFFER_SIZE) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the file has about ", bytes, " bytes, expected less than 2 GiB"));
}

absl::StatusOr<std::string> ModelWriter::Finish(const std::string& graph_name) const {
  RETURN_IF_ERROR(CheckSizes());
  FileBuilder builder;
  std::vector<Offset<tflite::Buffer>> buffers = {tflite::CreateBuffer(builder)};
  for (const FileTensor& tensor : tensors_) {
    if (tensor.is_constant) buffers.push_back(WriteBuffer(tensor.data, builder));
  }
  std::vector<Offset<tflite::OperatorCode>> codes;
  for (const auto& [code, version] : codes_) {
    // Readers from before codes beyond 127 know this field only.
    const auto old = static_cast<int8_t>(std::min(static_cast<int>(code), 127));
    codes.push_back(tflite::CreateOperatorCode(builder, old, 0, version, code));
  }
  const std::vector<Offset<tflite::SubGraph>> graphs = {WriteGraph(graph_name, builder)};
  const std::vector<Offset<tflite::SignatureDef>> signatures = {WriteSignature(builder)};
  const std::string description = absl::StrCat("synap ", kVersion);
  tflite::FinishModelBuffer(
      builder, tflite::CreateModelDirect(builder, kFormatVersion, &codes, &graphs,
                                         description.c_str(), &buffers, nullptr, &signatures));
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

}  // namespace synap_internal::tflite_export
