#include "compiler/export/onnx/graph_writer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "compiler/export/onnx/node_attributes.h"

namespace synap_internal::onnx_export {
namespace {

void SetType(const std::string& name, DataType type, const Shape& shape,
             onnx::ValueInfoProto& info) {
  info.set_name(name);
  auto* tensor = info.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(OnnxType(type));
  auto* dims = tensor->mutable_shape();  // present for a scalar, too
  for (const int64_t dim : shape.dims()) dims->add_dim()->set_dim_value(dim);
}

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

Shape ListShape(size_t size) { return Shape({static_cast<int64_t>(size)}); }

}  // namespace

int OnnxType(DataType type) {
  switch (type) {
    case DataType::kBool:
      return onnx::TensorProto::BOOL;
    case DataType::kInt8:
      return onnx::TensorProto::INT8;
    case DataType::kUint8:
      return onnx::TensorProto::UINT8;
    case DataType::kInt16:
      return onnx::TensorProto::INT16;
    case DataType::kUint16:
      return onnx::TensorProto::UINT16;
    case DataType::kInt32:
      return onnx::TensorProto::INT32;
    case DataType::kUint32:
      return onnx::TensorProto::UINT32;
    case DataType::kInt64:
      return onnx::TensorProto::INT64;
    case DataType::kFloat16:
      return onnx::TensorProto::FLOAT16;
    case DataType::kFloat32:
      return onnx::TensorProto::FLOAT;
    case DataType::kInvalid:
      break;
  }
  CHECK(false);
}

std::string GraphWriter::Unique(const std::string& base, Names& names) {
  const auto [entry, is_new] = names.try_emplace(base, 0);
  if (is_new) return base;
  // The entry moves when others are added.
  for (int number = entry->second + 1;; ++number) {
    std::string name = absl::StrCat(base, ".", number);
    if (!names.try_emplace(name, 0).second) continue;
    names[base] = number;
    return name;
  }
}

void GraphWriter::AddInput(const std::string& name, DataType type, const Shape& shape) {
  SetType(name, type, shape, *graph_.add_input());
}

void GraphWriter::AddOutput(const std::string& name, DataType type, const Shape& shape) {
  SetType(name, type, shape, *graph_.add_output());
}

void GraphWriter::Describe(const std::string& name, DataType type, const Shape& shape) {
  SetType(name, type, shape, *graph_.add_value_info());
}

void GraphWriter::AddInitializer(const std::string& name, DataType type, const Shape& shape,
                                 absl::Span<const uint8_t> bytes) {
  NewInitializer(name, type, shape)
      .set_raw_data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

onnx::TensorProto& GraphWriter::NewInitializer(const std::string& name, DataType type,
                                               const Shape& shape) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(OnnxType(type));
  for (const int64_t dim : shape.dims()) tensor.add_dims(dim);
  return tensor;
}

std::string GraphWriter::AddInts(const std::string& base, const std::vector<int64_t>& values) {
  std::string name = UniqueValue(base);
  // As numbers: RKNN-Toolkit2 2.5.0 writes into a Pad's operand, and can't where it is raw bytes.
  NewInitializer(name, DataType::kInt64, ListShape(values.size()))
      .mutable_int64_data()
      ->Add(values.begin(), values.end());
  return name;
}

std::string GraphWriter::AddFloats(const std::string& base, const std::vector<float>& values) {
  std::string name = UniqueValue(base);
  AddInitializer(name, DataType::kFloat32, ListShape(values.size()), BytesOf(values));
  return name;
}

std::string GraphWriter::AddScalar(const std::string& base, int64_t value) {
  std::string name = UniqueValue(base);
  AddInitializer(name, DataType::kInt64, Shape(), BytesOf(std::vector<int64_t>{value}));
  return name;
}

std::string GraphWriter::AddScalar(const std::string& base, float value) {
  std::string name = UniqueValue(base);
  AddInitializer(name, DataType::kFloat32, Shape(), BytesOf(std::vector<float>{value}));
  return name;
}

void GraphWriter::AddNode(absl::string_view op_type, const std::string& label,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs, const Attributes& attributes,
                          const std::vector<std::string>& origins) {
  onnx::NodeProto* node = graph_.add_node();
  node->set_op_type(std::string(op_type));
  node->set_name(Unique(label, nodes_));
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  if (origins.size() > 1) node->set_doc_string(absl::StrCat("of ", absl::StrJoin(origins, ", ")));
  AddAttributes(attributes, *node);
}

}  // namespace synap_internal::onnx_export
