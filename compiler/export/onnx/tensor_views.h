// ONNX values of a graph's tensors, one for each order of dimensions.
//
// A tensor has a value for each order of its dimensions in which it is read. Where the stored
// elements aren't those of the computation (integers with a quantizer, float16), it has a stored
// value and one of the real numbers, float32. Each is made when it is first asked for. A transpose
// of the graph makes nothing: its output is another view of its operand, so that the graph's NHWC
// and the transposes around it cancel out.
#ifndef COMPILER_EXPORT_ONNX_TENSOR_VIEWS_H_
#define COMPILER_EXPORT_ONNX_TENSOR_VIEWS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compiler/export/onnx/dimension_order.h"
#include "compiler/export/onnx/graph_writer.h"
#include "compiler/graph/graph.h"

namespace synap_internal::onnx_export {

// Whether the stored elements of the type differ from the numbers that ops compute with.
bool IsConverted(const TensorType& type);

// Dense data of that type and shape with its dimensions in another order.
Constant ReorderedConstant(DataType dtype, const Shape& shape, const Constant& constant,
                           const Order& order);

// Not thread-safe.
class TensorViews {
 public:
  // Both must outlive the views. Writes the graph's inputs.
  TensorViews(const Graph& graph, GraphWriter& writer);

  // Whether the op only makes another view of its operand.
  static bool IsView(const Op& op);

  // The value of what is stored, and of the real numbers. REQUIRES: the tensor is constant, an
  // input of the graph, or bound.
  std::string Stored(const Tensor* tensor, const Order& order);
  std::string Real(const Tensor* tensor, const Order& order);

  // The order in which the tensor was made.
  Order NativeOrder(const Tensor* tensor) const;

  // Binds an op's output: returns the name under which a node writes the stored elements.
  std::string Bind(const Tensor* tensor, const Order& order);
  // The same where a value holds the real numbers; writes the conversion to the stored elements.
  // REQUIRES: IsConverted(tensor->type).
  void BindReal(const Tensor* tensor, const Order& order, const std::string& real);

  // The scale and the zero point of a tensor's quantizer as operands of a QuantizeLinear.
  std::vector<std::string> Quantizer(const Tensor* tensor);

  // Writes the graph's outputs.
  void AddOutputs();

 private:
  struct View {
    const Tensor* tensor;  // not the output of a transpose
    Order order;

    friend bool operator<(const View& a, const View& b) {
      return std::make_pair(a.tensor, a.order) < std::make_pair(b.tensor, b.order);
    }
  };

  static View Resolve(const Tensor* tensor, Order order);
  std::string NameOf(const View& view);
  void AddConstant(const View& view, const std::string& name);
  void AddTranspose(const View& view, const std::string& name);
  // An output of the network describes itself.
  void Describe(const std::string& name, DataType type, const Shape& shape);
  // Whether the file holds a quantized tensor as its real numbers.
  bool IsWrittenReal(const Tensor& tensor) const;
  std::string MakeReal(const View& view);
  std::string RealConstant(const View& view);

  const Graph& graph_;
  GraphWriter& writer_;
  absl::flat_hash_set<std::string> output_names_;
  std::map<View, std::string> names_;
  std::map<View, std::string> stored_;
  std::map<View, std::string> real_;
  absl::flat_hash_map<const Tensor*, Order> native_;
  absl::flat_hash_map<const Tensor*, std::vector<std::string>> quantizers_;
};

}  // namespace synap_internal::onnx_export

#endif  // COMPILER_EXPORT_ONNX_TENSOR_VIEWS_H_
