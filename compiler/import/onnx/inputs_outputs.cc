#include "compiler/import/onnx/inputs_outputs.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/tensor_data.h"

namespace synap_internal::onnx_import {
namespace {

class ModelGraphBuilder {
 public:
  ModelGraphBuilder(const onnx::GraphProto& graph, const GraphIndex& index)
      : graph_(graph), index_(index) {
    result_.noun = "a tensor or node of the model";
  }

  absl::StatusOr<ModelGraph> Run(bool with_outputs) {
    for (const onnx::ValueInfoProto& input : graph_.input()) Define(input.name());
    for (const onnx::TensorProto& tensor : graph_.initializer()) Define(tensor.name());
    for (const onnx::NodeProto& node : graph_.node()) DefineOutputs(node);
    for (int i = 0; i < graph_.node_size(); ++i) {
      for (const absl::string_view name : ReadsOf(graph_.node(i))) {
        const auto value = values_.find(name);
        if (value != values_.end()) {
          result_.nodes[static_cast<size_t>(i)].reads.push_back(value->second);
        }
      }
    }
    for (const onnx::ValueInfoProto& input : graph_.input()) {
      if (index_.initializers.contains(input.name())) continue;
      result_.inputs.push_back(values_.at(input.name()));
    }
    if (with_outputs) RETURN_IF_ERROR(AddOutputs());
    return std::move(result_);
  }

 private:
  size_t Define(const std::string& name) {
    const auto [it, added] = values_.emplace(name, result_.values.size());
    if (added) result_.values.push_back(name);
    return it->second;
  }

  void DefineOutputs(const onnx::NodeProto& node) {
    std::vector<size_t> makes;
    for (const std::string& output : node.output()) {
      if (!output.empty()) makes.push_back(Define(output));
    }
    if (!makes.empty() && !node.name().empty()) {
      result_.aliases.emplace_back(node.name(), makes[0]);
    }
    result_.nodes.push_back({{}, std::move(makes)});
  }

  absl::Status AddOutputs() {
    for (const onnx::ValueInfoProto& output : graph_.output()) {
      const auto value = values_.find(output.name());
      if (output.name().empty()) return absl::InvalidArgumentError("an output has no name");
      if (value == values_.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("nothing produces the output '", output.name(), "'"));
      }
      result_.outputs.push_back(value->second);
    }
    return absl::OkStatus();
  }

  const onnx::GraphProto& graph_;
  const GraphIndex& index_;
  absl::flat_hash_map<absl::string_view, size_t> values_;
  ModelGraph result_;
};

// The type without the optional around it.
const onnx::TypeProto& Present(const onnx::TypeProto& type) {
  return type.has_optional_type() ? type.optional_type().elem_type() : type;
}

}  // namespace

int ElementTypeOf(const onnx::TypeProto& type) {
  const onnx::TypeProto& present = Present(type);
  return (present.has_sequence_type() ? present.sequence_type().elem_type() : present)
      .tensor_type()
      .elem_type();
}

absl::StatusOr<ModelGraph> ModelGraphOf(const onnx::GraphProto& graph, const GraphIndex& index,
                                        const ImportOptions& options) {
  return ModelGraphBuilder(graph, index).Run(options.outputs.empty());
}

std::optional<OpenShape> ModelShape(const onnx::ValueInfoProto& info) {
  const onnx::TypeProto::Tensor& tensor = Present(info.type()).tensor_type();
  if (!tensor.has_shape()) return std::nullopt;
  OpenShape shape;
  for (const auto& dim : tensor.shape().dim()) {
    // Some exporters write an unknown dimension as 0 or -1.
    shape.push_back(dim.dim_value() > 0 ? std::optional<int64_t>(dim.dim_value()) : std::nullopt);
  }
  return shape;
}

absl::StatusOr<TensorType> InputType(const std::optional<Shape>& given,
                                     const onnx::ValueInfoProto* info) {
  TensorType type;
  type.dtype = DataType::kFloat32;
  if (info != nullptr && info->has_type()) {
    if (!Present(info->type()).has_tensor_type()) {
      return absl::UnimplementedError("has a type other than tensor, expected a tensor");
    }
    const int elements = ElementTypeOf(info->type());
    ASSIGN_OR_RETURN(type.dtype, ImportedDataType(elements));
    if (elements == onnx::TensorProto::INT32) type.dtype = DataType::kInt32;
  }
  ASSIGN_OR_RETURN(type.shape,
                   ResolveInputShape(info == nullptr ? std::nullopt : ModelShape(*info), given));
  return type;
}

}  // namespace synap_internal::onnx_import
