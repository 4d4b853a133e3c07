#include "compiler/import/tflite/test_model.h"

#include <cstring>
#include <utility>

#include "compiler/graph/text.h"

namespace synap_internal::tflite_import {
namespace {

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

TestModel& TestModel::Add(TensorSpec tensor) {
  tensors_.push_back(std::move(tensor));
  return *this;
}

TestModel& TestModel::Input(const std::string& name, const Dims& dims, tflite::TensorType type,
                            const Quantizer& quantizer) {
  inputs_.push_back(static_cast<int32_t>(tensors_.size()));
  return Add({name, dims, type, {}, quantizer});
}

TestModel& TestModel::Output(const std::string& name) {
  outputs_.push_back(IndexOf(name));
  return *this;
}

TestModel& TestModel::Floats(const std::string& name, const Dims& dims,
                             const std::vector<float>& values) {
  return Add({name, dims, tflite::TensorType::FLOAT32, BytesOf(values)});
}

TestModel& TestModel::Ints(const std::string& name, const std::vector<int32_t>& values) {
  return Add(
      {name, {static_cast<int32_t>(values.size())}, tflite::TensorType::INT32, BytesOf(values)});
}

TestModel& TestModel::Bytes8(const std::string& name, const Dims& dims,
                             const std::vector<int>& values, tflite::TensorType type,
                             const Quantizer& quantizer) {
  return Add({name, dims, type, {values.begin(), values.end()}, quantizer});
}

TestModel& TestModel::Op(tflite::BuiltinOperator code, const Strings& inputs,
                         const Strings& outputs) {
  return AddOp(code, "", inputs, outputs, [](Builder&) { return Options{}; });
}

TestModel& TestModel::Custom(const std::string& name, const Strings& inputs, const Strings& outputs,
                             const std::vector<int32_t>& options) {
  AddOp(tflite::BuiltinOperator::CUSTOM, name, inputs, outputs, [](Builder&) { return Options{}; });
  ops_.back().custom_options = BytesOf(options);
  return *this;
}

TestModel& TestModel::AddOp(tflite::BuiltinOperator code, const std::string& custom,
                            const Strings& inputs, const Strings& outputs,
                            std::function<Options(Builder&)> options) {
  OpSpec op{code, custom, {}, {}, std::move(options)};
  for (const std::string& input : inputs) op.inputs.push_back(input.empty() ? -1 : IndexOf(input));
  for (const std::string& output : outputs) {
    if (IndexOf(output) < 0) Add({output, {}});
    op.outputs.push_back(IndexOf(output));
  }
  ops_.push_back(std::move(op));
  return *this;
}

int32_t TestModel::IndexOf(const std::string& name) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

TestModel& TestModel::BreakOperand(int32_t index) {
  ops_[0].inputs[0] = index;
  return *this;
}

TestModel& TestModel::Subgraphs(int count) {
  subgraphs_ = count;
  return *this;
}

TestModel& TestModel::Body(const TestModel& body) {
  bodies_.push_back(body);
  return *this;
}

TestModel& TestModel::Signature(const std::string& name, uint32_t subgraph) {
  signatures_.emplace_back(name, subgraph);
  return *this;
}

flatbuffers::Offset<tflite::SubGraph> TestModel::Write(Builder& builder, size_t first_buffer,
                                                       size_t first_code) const {
  std::vector<flatbuffers::Offset<tflite::Tensor>> tensors;
  for (const TensorSpec& spec : tensors_) {
    const Quantizer& from = spec.quantizer;
    const auto quantizer = tflite::CreateQuantizationParametersDirect(builder, &from.scales,
                                                                      &from.zero_points, from.axis);
    const auto sparsity = spec.sparsity ? spec.sparsity(builder) : 0;
    const auto number = static_cast<uint32_t>(first_buffer + tensors.size());
    tensors.push_back(tflite::CreateTensorDirect(builder, &spec.dims, spec.type, number,
                                                 spec.name.c_str(), quantizer, spec.variable,
                                                 sparsity, &spec.signature));
  }
  std::vector<flatbuffers::Offset<tflite::Operator>> operators;
  for (const OpSpec& op : ops_) {
    const Options options = op.options(builder);
    const bool second = options.type_2 != tflite::BuiltinOptions2::NONE;
    operators.push_back(tflite::CreateOperatorDirect(
        builder, static_cast<uint32_t>(first_code + operators.size()), &op.inputs, &op.outputs,
        options.type, second ? 0 : options.offset, &op.custom_options, options.type_2,
        second ? options.offset : 0));
  }
  return tflite::CreateSubGraphDirect(builder, &tensors, &inputs_, &outputs_, &operators, "main");
}

TestModel& TestModel::Metadata(std::vector<uint8_t> bytes) {
  metadata_ = std::move(bytes);
  return *this;
}

std::string TestModel::Bytes() const {
  Builder builder;
  std::vector<const TestModel*> models = {this};
  for (const TestModel& body : bodies_) models.push_back(&body);
  std::vector<flatbuffers::Offset<tflite::Buffer>> buffers = {tflite::CreateBuffer(builder)};
  std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes;
  std::vector<flatbuffers::Offset<tflite::SubGraph>> graphs;
  for (const TestModel* model : models) {
    const size_t first_buffer = buffers.size(), first_code = codes.size();  // buffer 0 is empty
    for (const TensorSpec& tensor : model->tensors_) {
      builder.ForceVectorAlignment(tensor.data.size(), 1, 16);
      buffers.push_back(tflite::CreateBuffer(
          builder, tensor.data.empty() ? 0 : builder.CreateVector(tensor.data)));
    }
    for (const OpSpec& op : model->ops_) {
      const auto old = static_cast<int8_t>(std::min(static_cast<int>(op.code), 127));
      codes.push_back(tflite::CreateOperatorCodeDirect(
          builder, old, op.custom.empty() ? nullptr : op.custom.c_str(), 1, op.code));
    }
    for (int i = 0; i < model->subgraphs_; ++i) {
      graphs.push_back(model->Write(builder, first_buffer, first_code));
    }
  }
  std::vector<flatbuffers::Offset<tflite::SignatureDef>> signatures;
  for (const auto& [name, subgraph] : signatures_) {
    signatures.push_back(
        tflite::CreateSignatureDefDirect(builder, nullptr, nullptr, name.c_str(), subgraph));
  }
  std::vector<flatbuffers::Offset<tflite::Metadata>> metadata;
  if (!metadata_.empty()) {
    metadata.push_back(tflite::CreateMetadataDirect(builder, "TFLITE_METADATA",
                                                    static_cast<uint32_t>(buffers.size())));
    buffers.push_back(tflite::CreateBuffer(builder, builder.CreateVector(metadata_)));
  }
  tflite::FinishModelBuffer(builder, tflite::CreateModelDirect(builder, 3, &codes, &graphs, "test",
                                                               &buffers, &metadata, &signatures));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

absl::StatusOr<ImportedModel> TestModel::Import(const ImportOptions& options) const {
  return ImportTfliteBytes(Bytes(), "test", options);
}

std::string TestModel::Text(const ImportOptions& options) const {
  const absl::StatusOr<ImportedModel> import = Import(options);
  return import.ok() ? PrintGraph(import->graph) : std::string(import.status().message());
}

std::vector<float> TestModel::Run(const std::vector<std::vector<float>>& inputs) const {
  const absl::StatusOr<ImportedModel> import = Import();
  return FirstOutput(import.status(), import.ok() ? &import->graph : nullptr, inputs);
}

}  // namespace synap_internal::tflite_import
