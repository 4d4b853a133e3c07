// Interface of a mapping: the op that it writes, and the functions that write ONNX nodes.
#ifndef COMPILER_EXPORT_ONNX_OP_CONTEXT_H_
#define COMPILER_EXPORT_ONNX_OP_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/export/onnx/dimension_order.h"
#include "compiler/export/onnx/graph_writer.h"
#include "compiler/export/onnx/tensor_views.h"
#include "compiler/graph/graph.h"
#include "kernels/attributes.h"
#include "kernels/op_def.h"

namespace synap_internal::onnx_export {

// One op of one output. Nodes of an op are named after the model's node that it came from; where
// it came from several, its last node is named after the last of them.
class OpContext {
 public:
  using Values = std::vector<std::string>;

  // All must outlive the context.
  OpContext(const Op& op, TensorViews& views, GraphWriter& writer)
      : op_(op), views_(views), writer_(writer), reader_(op.attributes) {}

  const Op& op() const { return op_; }
  TensorViews& views() { return views_; }
  GraphWriter& writer() { return writer_; }
  // The caller finishes it.
  AttributeReader& attributes() { return reader_; }
  const TensorType& type(size_t operand) const { return op_.inputs[operand]->type; }
  const TensorType& output_type() const { return op_.output()->type; }
  int64_t opset() const { return writer_.profile().opset; }
  // Whether the file may have the operator, which can be composed of others (kComposable).
  bool MayHave(absl::string_view op_type) const { return writer_.profile().MayHave(op_type); }

  // The value of an operand's real numbers (of its elements, if it isn't quantized).
  std::string Input(size_t operand) const {
    return Input(operand, IdentityOrder(type(operand).shape.rank()));
  }
  std::string Input(size_t operand, const Order& order) const {
    return views_.Real(op_.inputs[operand], order);
  }
  // The order that costs no transpose: that of the first operand that isn't constant and has the
  // output's rank.
  Order CheapOrder() const;
  // An operand that is broadcast to the output, whose dimensions are in this order.
  std::string Broadcast(size_t operand, const Order& order);

  // A name like the output's for another value; scalars and lists under such names.
  std::string Name(absl::string_view suffix);
  std::string Ints(absl::string_view suffix, const std::vector<int64_t>& values);
  std::string Scalar(absl::string_view suffix, float value);

  // A node without its output.
  struct Node {
    std::string op_type;
    Values inputs;
    Attributes attributes;
  };
  // The node of a reduction (ReduceMean) over these dimensions as the opset has it; one over no
  // dimension is the identity.
  Node Reduction(absl::string_view op_type, const std::string& value,
                 const std::vector<int64_t>& axes, int64_t keep_dims);

  // A node whose only output is a value between two nodes of the op.
  std::string Emit(absl::string_view op_type, const Values& inputs, const Attributes& attributes);
  std::string Emit(const Node& node) { return Emit(node.op_type, node.inputs, node.attributes); }
  // The op's last node, whose output is the op's, of real numbers and in this order.
  void Output(absl::string_view op_type, const Values& inputs, const Attributes& attributes,
              const Order& order);
  // The same, before the clamp of the attributes min and max.
  void OutputClamped(absl::string_view op_type, const Values& inputs, const Attributes& attributes,
                     const Order& order);
  // The same where the node writes stored integers: no quantizer is applied any more.
  void OutputStored(absl::string_view op_type, const Values& inputs, const Attributes& attributes,
                    const Order& order);
  // The op's last nodes: `value` between two limits.
  void OutputBetween(std::string value, Clamp clamp, const Order& order);
  // Min and max as operands of a Clip after `value`; absent ones are "".
  Values ClipOperands(const std::string& value, float min, float max);

 private:
  // Whether the profile wants this output's clamps as layers of their own (ClampForm::kApart).
  bool HasClampsApart() const;
  // The limits that have an effect.
  Clamp Effective(Clamp clamp) const;
  // A limit, quantized as the output is.
  std::string Limit(absl::string_view suffix, float value);
  // The value after a QuantizeLinear and a DequantizeLinear of the output's quantizer.
  std::string Quantized(const std::string& value);
  void AddNode(absl::string_view op_type, const Values& inputs, const std::string& output,
               const Attributes& attributes, bool last);

  const Op& op_;
  TensorViews& views_;
  GraphWriter& writer_;
  AttributeReader reader_;
  int nodes_ = 0;
};

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_OP_CONTEXT_H_
