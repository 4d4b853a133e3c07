#include "compiler/import/onnx/as_operator.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {

absl::StatusOr<Tensor*> EmitAs(NodeContext& node, const std::string& op_type,
                               std::vector<Tensor*> operands,
                               absl::Span<const absl::string_view> own) {
  onnx::NodeProto other;
  other.set_op_type(op_type);
  other.set_name(NodeLabel(node.node()));
  other.add_output(node.Name(".real"));
  for (const Tensor* operand : operands) other.add_input(operand->name);
  for (const onnx::AttributeProto& attribute : node.node().attribute()) {
    if (std::find(own.begin(), own.end(), attribute.name()) != own.end()) continue;
    node.IgnoreAttribute(attribute.name());
    *other.add_attribute() = attribute;
  }
  NodeContext context(other, std::move(operands), node.state());
  RETURN_IF_ERROR(Operators().Find(op_type)->map(context));
  RETURN_IF_ERROR(context.Finish());
  const auto it = node.state().values.find(other.output(0));
  Tensor* output = it->second;
  node.state().values.erase(it);
  return output;
}

}  // namespace synap_internal::onnx_import
