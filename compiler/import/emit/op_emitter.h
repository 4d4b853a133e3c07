// Adds the ops of one node of a model to the graph, for every framework.
#ifndef COMPILER_IMPORT_EMIT_OP_EMITTER_H_
#define COMPILER_IMPORT_EMIT_OP_EMITTER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/graph_builder.h"

namespace synap_internal {

// Operands of an op. Emitting ops may be among them, so that calls nest as expressions do; the
// first of their errors becomes that of the op.
struct OpInputs {
  // NOLINTNEXTLINE(google-explicit-constructor): a list in braces is the argument.
  OpInputs(std::initializer_list<Emitted> inputs) : OpInputs(std::vector<Emitted>(inputs)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  OpInputs(const std::vector<Emitted>& inputs);
  // NOLINTNEXTLINE(google-explicit-constructor)
  OpInputs(std::vector<Tensor*> inputs) : tensors(std::move(inputs)) {}

  absl::StatusOr<std::vector<Tensor*>> tensors = std::vector<Tensor*>();
};

// x, w and, where there is one, the bias.
inline OpInputs WithBias(const Emitted& x, const Emitted& w, const Emitted& bias) {
  return IsGiven(bias) ? OpInputs{x, w, bias} : OpInputs{x, w};
}

// Not thread-safe.
class OpEmitter {
 public:
  // `builder` must outlive this. `origin`: the node's name in messages and reports; `name`: that of
  // its first output.
  OpEmitter(GraphBuilder& builder, std::string origin, std::string name);
  virtual ~OpEmitter() = default;

  GraphBuilder& builder() { return builder_; }
  const std::string& origin() const { return origin_; }
  // The name of the first output and a suffix, for intermediate tensors.
  virtual std::string Name(absl::string_view suffix = "") const;

  // Emits an op whose output is called Name(suffix).
  Emitted Emit(absl::string_view op, OpInputs inputs, Attributes attributes = {},
               absl::string_view suffix = "");
  Emitted Reshape(const Emitted& x, std::vector<int64_t> shape, absl::string_view suffix = "");
  Emitted Transpose(const Emitted& x, std::vector<int64_t> perm, absl::string_view suffix = "");
  // x as `type`; x itself if it has that type.
  Emitted Cast(const Emitted& x, DataType type, absl::string_view suffix = "");
  // factor * x; x itself for 1.
  Emitted Scale(const Emitted& x, float factor, absl::string_view suffix = "");
  // The parts joined along `axis`; a single part as it is.
  Emitted Concat(OpInputs parts, int64_t axis, absl::string_view suffix = "");
  // A constant of rank 0, of float32 or int64.
  Tensor* Scalar(float value, absl::string_view suffix) {
    return builder_.AddScalar(Name(suffix), value);
  }
  Tensor* Integer(int64_t value, absl::string_view suffix) {
    return builder_.AddScalar(Name(suffix), value);
  }
  // A constant of the elements of `shape`, row-major, named Name(suffix).
  template <typename T>
  Tensor* Values(Shape shape, std::vector<T> values, absl::string_view suffix = "") {
    return builder_.AddValues(Name(suffix), std::move(shape), std::move(values));
  }
  Tensor* Bools(Shape shape, std::vector<uint8_t> values, absl::string_view suffix = "") {
    return builder_.graph().AddConstant(Name(suffix), {DataType::kBool, std::move(shape), {}},
                                        Constant::Own(std::move(values)));
  }
  // Takes a constant of such elements off the builder's budget. InvalidArgument for a shape that is
  // out of bounds, ResourceExhausted if less is left.
  template <typename T>
  absl::Status ChargeValues(const Shape& shape) {
    const absl::Status valid = shape.Validate();
    return valid.ok() ? builder_.Charge(shape.elements() * int64_t{sizeof(T)}) : valid;
  }
  // Zeros of a type and shape, likewise. InvalidArgument for a shape that is out of bounds,
  // ResourceExhausted beyond the builder's budget.
  Emitted Zeros(const TensorType& type, absl::string_view suffix);
  // The emitter for step `number` of what the node is unrolled into: each step has its own names,
  // since finding the next free name would take as long as there are steps before.
  OpEmitter Step(int64_t number) const;

 private:
  virtual Emitted DoEmit(absl::string_view op, std::vector<Tensor*> op_inputs,
                         Attributes attributes, absl::string_view suffix);

  GraphBuilder& builder_;
  const std::string origin_;
  const std::string name_;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_OP_EMITTER_H_
