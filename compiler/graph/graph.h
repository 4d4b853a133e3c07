// Intermediate representation: a directed acyclic graph of ops over typed
// tensors. Every stage from import to compile uses this one form; what a stage
// adds (quantizers, say) is in the tensors' types.
#ifndef COMPILER_GRAPH_GRAPH_H_
#define COMPILER_GRAPH_GRAPH_H_

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "kernels/op_def.h"

namespace synap_internal {

// Dense little-endian data, kept alive by `owner`: a vector, a mapped file or
// the parsed model. Copies share the bytes.
struct Constant {
  std::shared_ptr<const void> owner;
  absl::Span<const uint8_t> bytes;

  // Takes over the memory of `values`.
  template <typename T = uint8_t>
  static Constant Own(std::vector<T> values) {
    auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    const auto* begin = reinterpret_cast<const uint8_t*>(owned->data());
    const size_t bytes = owned->size() * sizeof(T);
    return Constant{std::move(owned), {begin, bytes}};
  }
  template <typename T>
  static Constant Of(absl::Span<const T> values) {
    return Own(std::vector<T>(values.begin(), values.end()));
  }
};

struct Op;

struct Tensor {
  std::string name;  // unique in the graph, never empty
  TensorType type;
  // Set for constants only; bytes.size() == type.bytes().
  std::shared_ptr<const Constant> constant;
  // Null for constants and graph inputs.
  Op* producer = nullptr;
  // One entry for each operand that reads this tensor, in no particular order.
  std::vector<Op*> users;

  bool is_constant() const { return constant != nullptr; }
  bool is_float_constant() const { return is_constant() && type.dtype == DataType::kFloat32; }
  // The constant's elements. REQUIRES: is_constant() and T is the dtype's type.
  // Constants are aligned for T.
  template <typename T>
  absl::Span<const T> values() const {
    return {reinterpret_cast<const T*>(constant->bytes.data()), constant->bytes.size() / sizeof(T)};
  }
};

struct Op {
  const OpDef* def = nullptr;
  Attributes attributes;
  std::vector<Tensor*> inputs;  // null: an absent optional operand
  std::vector<Tensor*> outputs;
  // Names of the imported nodes that this op came from; users address layers by
  // them. Never empty after import (an inserted conversion has its producer's).
  std::vector<std::string> origins;

  // What the op is, by its traits. Nothing asks for names: two ops may share a trait.
  bool Is(LinearForm form) const { return def->linear == form; }
  bool Is(Movement movement) const { return def->movement == movement; }
  bool Is(Arithmetic arithmetic) const { return def->arithmetic == arithmetic; }
  bool Is(Probability probability) const { return def->probability == probability; }
  bool Is(TypeConversion conversion) const { return def->conversion == conversion; }
  Tensor* input(size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }
  Tensor* output() const { return outputs[0]; }
  // The layer's name in messages and metafiles: the first origin or, without any, the output.
  const std::string& LayerName() const {
    return origins.empty() ? output()->name : origins.front();
  }
  // "conv2d 'Conv_0'", for messages.
  std::string Label() const;
};

// Owns its tensors and ops; pointers to them stay valid until they are removed.
// Ops are kept in an order in which producers come before users. Not
// thread-safe.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  std::string name;
  // Axis order of rank 4 inputs and outputs, "nchw" or "nhwc"; ops themselves
  // are NHWC.
  std::string layout = "nchw";
  // The quantizers came with the model, and all of them are applied.
  bool own_quantizers = false;
  std::vector<Tensor*> inputs;
  // May name one tensor twice, an input or a constant.
  std::vector<Tensor*> outputs;
  // [n,4] as (y, x, height, width): the anchors of a detection that was cut off the network's
  // end, the value of the metafile's ${ANCHORS}. No op reads them. Empty: the network has none.
  std::vector<float> anchors;
  // How applications read the outputs where the metafile doesn't say it: the format string of
  // output 0, for instance of a detection whose end was cut off. Empty: unknown.
  std::string format;

  const std::list<Op>& ops() const { return ops_; }
  std::list<Op>& ops() { return ops_; }
  const std::list<Tensor>& tensors() const { return tensors_; }
  std::list<Tensor>& tensors() { return tensors_; }

  // Null if no tensor has that name.
  Tensor* FindTensor(absl::string_view tensor_name) const;
  // `base`, or `base` with the smallest suffix ".1", ".2"... that is free.
  std::string UniqueName(absl::string_view base) const;

  // A tensor without producer. REQUIRES: the name is free.
  Tensor* AddTensor(std::string tensor_name, TensorType type);
  // A constant named UniqueName(base_name).
  Tensor* AddConstant(absl::string_view base_name, TensorType type, Constant constant);
  void Rename(Tensor* tensor, std::string new_name);

  // Appends an op, or inserts it before `before`; connects producers and users.
  // REQUIRES: outputs have no producer yet.
  Op* AddOp(Op op, Op* before = nullptr);
  // Infers the types of the outputs and adds the op with fresh tensors that are
  // named after `output_name`. The error names the op.
  absl::StatusOr<Op*> AddInferredOp(absl::string_view op_name, std::vector<Tensor*> op_inputs,
                                    Attributes attributes, std::vector<std::string> origins,
                                    absl::string_view output_name, Op* before = nullptr);

  void SetInput(Op* op, size_t index, Tensor* tensor);
  // Every operand and graph output that is `from` becomes `to`.
  void ReplaceUses(Tensor* from, Tensor* to);
  // REQUIRES: nothing reads the op's outputs. The outputs go as well.
  void RemoveOp(Op* op);
  // Removes ops and constants that no output depends on. Inputs stay. Returns
  // the number of ops removed.
  int RemoveDead();
  bool IsOutput(const Tensor* tensor) const;

  // Orders ops so that producers come first, stably. FailedPrecondition naming
  // an op that is part of a cycle.
  absl::Status Sort();

  Graph Clone() const;

 private:
  // Frees the name for UniqueName.
  void Forget(const std::string& tensor_name);

  std::list<Tensor> tensors_;
  std::list<Op> ops_;
  // Where they are in the lists: a search for each would make passes quadratic in the ops' number.
  std::unordered_map<const Tensor*, std::list<Tensor>::iterator> tensor_places_;
  std::unordered_map<const Op*, std::list<Op>::iterator> op_places_;
  std::map<std::string, Tensor*, std::less<>> by_name_;
  // By base: the first suffix that may be free. Without it, n names of one base would take n^2
  // probes.
  mutable std::map<std::string, int, std::less<>> first_free_;
};

// Whether the output holds elements of operand 0, each at most once, and nothing else (reshape,
// transpose, slice).
bool MovesData(const Op& op);

// Whether the op sums products with weights that are constant and float32.
bool HasRealWeights(const Op& op);

// Role of operand `i`; the last role repeats.
OperandRole RoleOf(const Op& op, size_t i);

// True if the graph's values already have quantizers, as in a model that was
// trained or exported as a quantized one.
bool IsQuantized(const Graph& graph);

// Types of the operands, with kInvalid for absent ones.
std::vector<TensorType> InputTypes(const Op& op);
std::vector<TensorType> OutputTypes(const Op& op);

// Checks what must hold between passes: names, order, connections, sizes of
// constants, quantizers, and that each op's Infer agrees with its outputs'
// types (shape; and data type where nothing is quantized). Internal error with
// the op's label: such a graph comes from a defect of a pass or from a hand-written text.
absl::Status VerifyGraph(const Graph& graph);

// Whether `op` has a kernel for other operands (null for absent ones) and types of
// its outputs: Unimplemented if not, other errors for what it never takes.
absl::Status CanRun(const Op& op, absl::Span<Tensor* const> operands,
                    absl::Span<const TensorType> outputs);

// The constant's dequantized values, float32. REQUIRES: it is quantized, of type uint8,
// int8, int16, int32, or int64 with a zero point of 0.
Constant Dequantized(const Tensor& constant);

// Runs one op whose operands are all constant. Unimplemented if there is no
// kernel for its types.
absl::StatusOr<std::vector<Constant>> EvaluateOp(const Op& op);

// Constant with its tensor type.
struct TypedConstant {
  TensorType type;
  Constant values;
};

// Runs an op that has one output on `operands` in place of its own, all present. `out` has the
// result's data type and quantizer. Operands of an elementwise op are [n] or [1].
absl::StatusOr<Constant> EvaluateFunction(const Op& op, std::vector<TypedConstant> operands,
                                          const TensorType& out);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_GRAPH_H_
