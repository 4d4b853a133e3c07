// What the rest of the project knows about an op. Every op is a row of data and
// functions (an OpDef); kernels/ops.bzl lists the folders, and the registry
// (kernels/registry.h) is generated from that list.
//
// Layouts: ops over images read and write NHWC; weights are [O, KH, KW, I].
// Importers insert transposes where a model means something else.
#ifndef KERNELS_OP_DEF_H_
#define KERNELS_OP_DEF_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "kernels/attributes.h"

namespace synap {

// What an operand is for. The quantizer, the compiler and the text IR ask.
enum class OperandRole : uint8_t {
  kActivation,  // data that flows
  kWeight,      // constant, quantized from its own values
  kBias,        // constant, int32 with scale = input scale * weight scale
  kIndex,       // integers that are never quantized
  kTable,       // a 256-entry uint8 table, made by the compiler
};

// Where the quantization parameters of an op's outputs come from.
enum class QuantRule : uint8_t {
  kOwnRange,      // from the statistics of the output tensor
  kSameAsInput,   // the op moves values (reshape, max pooling): those of operand 0
  kFixedRange,    // mathematically known, OpDef::fixed_min/max (sigmoid: 0..1)
  kNotQuantized,  // the output is never quantized (indices, comparisons, dequantize)
};

// Arithmetic of one execution.
struct OpCost {
  int64_t macs = 0;  // multiply-accumulates
  int64_t ops = 0;   // other element operations
};

// Which implementation Prepare should choose.
enum class KernelPath : uint8_t {
  kFast,       // Highway, or better where the processor has it
  kReference,  // <op>_reference.cc: scalar, and the definition of the op
};

// The data types that an op's own infer and prepare know for the data that flows;
// for other ones another type stands in (kernels/stand_in.h).
enum class OwnTypes : uint8_t {
  kFloat32Uint8,
  kFloat32Uint8Int16,
  kAny,  // the op moves or converts elements, whatever they are
};

// The view that Infer gets.
struct InferContext {
  absl::Span<const TensorType> inputs;  // absent optional operands have kInvalid
  const Attributes& attributes;
};

// The view that Prepare gets. Types have passed Infer; outputs have the shapes
// that Infer gave, with the data types and quantization that the graph chose.
struct PrepareContext {
  absl::Span<const TensorType> inputs;
  absl::Span<const TensorType> outputs;
  // constants[i] is operand i's dense data if it is constant (alive as long as
  // the kernel, at least 64-byte aligned), else null.
  absl::Span<const void* const> constants;
  const Attributes& attributes;
  KernelPath path = KernelPath::kFast;
};

// What a run gets. Data is dense, in the declared order of dimensions; inputs
// and outputs are at least 64-byte aligned and don't overlap, except where
// OpDef::in_place allows an output to be input 0 itself.
struct KernelArgs {
  absl::Span<const void* const> inputs;
  absl::Span<void* const> outputs;
  ThreadPool* pool;
  // Kernel::scratch_bytes for each worker, 64-byte aligned.
  uint8_t* scratch;
  size_t scratch_stride;
  // Kernel::shared_bytes for all workers together, 64-byte aligned.
  uint8_t* shared = nullptr;

  template <typename T>
  const T* input(size_t i) const {
    return static_cast<const T*>(inputs[i]);
  }
  template <typename T>
  T* output(size_t i) const {
    return static_cast<T*>(outputs[i]);
  }
  uint8_t* WorkerScratch(int worker) const {
    return scratch + static_cast<size_t>(worker) * scratch_stride;
  }
};

// A prepared op: everything is checked, chosen and packed. `run` can't fail,
// allocate or lock, and may be called from one thread at a time.
struct Kernel {
  std::function<void(const KernelArgs&)> run;
  size_t scratch_bytes = 0;  // for each worker
  size_t shared_bytes = 0;   // for all of them together
};

struct OpDef {
  absl::string_view name;  // "conv2d"
  // Roles of the operands; operands from `required` on are optional. If
  // `variadic`, the last role repeats.
  std::vector<OperandRole> operands;
  int required = 1;
  bool variadic = false;

  OwnTypes own_types = OwnTypes::kFloat32Uint8;

  // Call InferOp and PrepareOp of kernels/stand_in.h rather than these two: they
  // take all data types.
  //
  // Types of the outputs. Checks everything that can be wrong with operands and
  // attributes; the message says what was found and what was expected (the
  // caller adds the op's name). dtype: what the op gives for these inputs
  // before quantization is chosen (float in, float out); quant is left empty
  // except for kSameAsInput.
  absl::StatusOr<std::vector<TensorType>> (*infer)(const InferContext& context) = nullptr;

  // Chooses and prepares the kernel. Unimplemented for combinations of data
  // types that the op has no kernel for, naming them.
  absl::StatusOr<Kernel> (*prepare)(const PrepareContext& context) = nullptr;

  // Null: one op for each element of output 0.
  OpCost (*cost)(absl::Span<const TensorType> inputs,
                 absl::Span<const TensorType> outputs) = nullptr;

  // The dimension of the kWeight operand that counts output channels, if it may
  // be quantized per channel (int8, kPerChannelSymmetric); else -1.
  int weight_channels = -1;

  QuantRule quant_rule = QuantRule::kOwnRange;
  float fixed_min = 0;  // for kFixedRange
  float fixed_max = 0;
  // Output 0 may use operand 0's memory when both have the same size.
  bool in_place = false;
  // Elements of the output depend on the same element of the inputs only
  // (broadcast included), whatever the order of dimensions: a transpose can
  // move across.
  bool elementwise = false;
};

// Copies of the clamp that conv2d, fully_connected and others fuse: attributes
// "min" and "max", absent = unbounded.
struct Clamp {
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

}  // namespace synap

#endif  // KERNELS_OP_DEF_H_
