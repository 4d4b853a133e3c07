// Definition of an op: its operands, its kernels and its traits.
//
// Every op is a row of data and functions (an OpDef). kernels/ops.bzl lists the folders, and the
// registry (kernels/registry.h) is generated from that list. The compiler asks an op's traits,
// never its name, so that a new op works in every pass that its traits admit it to.
//
// Layouts: ops over images read and write NHWC; weights are [O, KH, KW, I]. Importers insert
// transposes where a model has another layout.
#ifndef KERNELS_OP_DEF_H_
#define KERNELS_OP_DEF_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "kernels/attributes.h"

namespace synap_internal {

// Use of an operand. The quantizer, the compiler and the text IR ask.
enum class OperandRole : uint8_t {
  kActivation,  // data that flows
  kWeight,      // constant, quantized from its own values
  kBias,        // constant, int32 with scale = input scale * weight scale
  kIndex,       // integers that are never quantized
  kTable,       // a 256-entry uint8 table, made by the compiler
  kReal,        // float32 whatever the type of the data that flows
};

// Source of the quantization parameters of an op's outputs.
enum class QuantRule : uint8_t {
  kOwnRange,      // the statistics of the output tensor
  kSameAsInput,   // operand 0, whose values the op moves or chooses (reshape, max pooling)
  kFixedRange,    // mathematics: OpDef::fixed_min/max (sigmoid: 0..1)
  kNotQuantized,  // none: the output is never quantized (indices, comparisons, dequantize)
};

// Sums of products. All but kMatrices sum inputs times constant weights, have a bias, and say in
// OpDef::weight_channels which dimension of the weights counts output channels.
enum class LinearForm : uint8_t {
  kNone,
  kDense,       // x[..., K] by weights[O, K]
  kWindow,      // an output sums a window of the image; weights [O, KH, KW, I / groups]
  kDepthwise,   // an output sums a window of its own channel; weights [1, KH, KW, C]
  kTransposed,  // an input is spread over a window of the output; weights [O, KH, KW, I / groups]
  kMatrices,    // a[..., M, K] by b[..., K, N], both flowing: no weights, no bias
};

// Ops whose output holds values of their operands and computes none. With kReshape, kTranspose and
// kSlice it holds elements of operand 0, each at most once (moves_data).
enum class Movement : uint8_t {
  kNone,
  kReshape,    // all elements in the same order, in other dimensions
  kTranspose,  // the dimensions in the order of the attribute "perm"
  kSlice,      // some positions of each dimension: attributes "starts", "sizes", "steps"
  kBroadcast,  // operand 0 repeated along dimensions of 1
  kConcat,     // all elements of all operands, one after the other along the attribute "axis"
  kPad,        // operand 0 with a border: attributes "pads" (begins, then ends), "mode", "value"
};

// Functions of the elements of several operands, which broadcast, that passes have algebra for.
enum class Arithmetic : uint8_t {
  kNone,
  kSum,
  kDifference,  // operand 0 minus operand 1
  kProduct,
  kQuotient,  // operand 0 over operand 1
  kMaximum,
  kSelection,  // operand 1 where operand 0 is true, else operand 2
};

// Functions from scores (logits) to probabilities.
enum class Probability : uint8_t {
  kNone,
  kSigmoid,     // of each score alone: 1 / (1 + e^-x)
  kSoftmax,     // of the scores along the attribute "axis": e^x / sum(e^x)
  kLogSoftmax,  // the logarithm of that
};

// Changes of a tensor's data type or quantizer.
enum class TypeConversion : uint8_t {
  kNone,
  kQuantize,    // real numbers to integers
  kDequantize,  // integers to real numbers
  kRequantize,  // integers to those of another quantizer
  kCast,        // between data types, without a quantizer
};

// Arithmetic of one execution.
struct OpCost {
  int64_t macs = 0;  // multiply-accumulates
  int64_t ops = 0;   // other element operations
};

// Limits of a clamp. As attributes of an op "min" and "max", absent where there is no limit.
struct Clamp {
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

// Implementation that Prepare chooses.
enum class KernelPath : uint8_t {
  kFast,       // Highway, or better where the processor has it
  kReference,  // <op>_reference.cc: scalar, and the definition of the op
};

// Data types that an op's own infer and prepare take for the data that flows. The others run
// in a compute type (kernels/emulated_types.h).
enum class OwnTypes : uint8_t {
  kFloat32Uint8,
  kFloat32Uint8Int16,
  kAny,  // the op moves or converts elements of any type
};

// Arguments of OpDef::infer.
struct InferContext {
  absl::Span<const TensorType> inputs;  // absent optional operands have kInvalid
  const Attributes& attributes;
};

// Arguments of OpDef::prepare. Types have passed infer; outputs have the shapes that infer
// returned, with the data types and quantizers that the graph chose.
struct PrepareContext {
  absl::Span<const TensorType> inputs;
  absl::Span<const TensorType> outputs;
  // constants[i] is operand i's dense data if it is constant (alive as long as
  // the kernel, at least 64-byte aligned), else null.
  absl::Span<const void* const> constants;
  const Attributes& attributes;
  KernelPath path = KernelPath::kFast;
};

// Arguments of Kernel::run. Data is dense, in the declared order of dimensions; inputs and outputs
// are at least 64-byte aligned and don't overlap, except where OpDef::in_place allows an output to
// be input 0 itself.
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

// Prepared op: everything is checked, chosen and packed. `run` can't fail, allocate or lock, and
// may be called from one thread at a time; that of an elementwise op has no state, and may be
// called from several with scratch of their own.
struct Kernel {
  std::function<void(const KernelArgs&)> run;
  size_t scratch_bytes = 0;  // for each worker
  size_t shared_bytes = 0;   // for all of them together
};

struct OpDef {
  absl::string_view name;  // "conv2d"
  // Type of the op's layers in the profile of a board ("Softmax2Layer"); "": "Tensor" and the name
  // in camel case ("TensorTranspose").
  absl::string_view layer_type;
  // Roles of the operands; operands from `required` on are optional. If
  // `variadic`, the last role repeats.
  std::vector<OperandRole> operands;
  int required = 1;
  bool variadic = false;

  OwnTypes own_types = OwnTypes::kFloat32Uint8;

  // Call InferOp and PrepareOp of kernels/emulated_types.h rather than these two: they
  // check the number of operands and take all data types.
  //
  // Types of the outputs. Checks everything that can be wrong with operands and
  // attributes; the message says what was found and what was expected (the
  // caller adds the op's name). dtype: what the op returns for these inputs
  // before quantization is chosen (float in, float out); quant is left empty
  // except for kSameAsInput.
  absl::StatusOr<std::vector<TensorType>> (*infer)(const InferContext& context) = nullptr;

  // Chooses and prepares the kernel. Unimplemented for combinations of data
  // types that the op has no kernel for, naming them.
  absl::StatusOr<Kernel> (*prepare)(const PrepareContext& context) = nullptr;

  // Null: one op for each element of output 0.
  OpCost (*cost)(absl::Span<const TensorType> inputs,
                 absl::Span<const TensorType> outputs) = nullptr;

  // The dimension of the kWeight operand that counts output channels, if the op is a weighted sum,
  // whose weights may be quantized per channel (int8, kPerChannelSymmetric); else -1.
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

  // The traits below say no by default.

  LinearForm linear = LinearForm::kNone;
  Movement movement = Movement::kNone;
  Arithmetic arithmetic = Arithmetic::kNone;
  Probability probability = Probability::kNone;
  TypeConversion conversion = TypeConversion::kNone;

  // Takes the attributes "min" and "max", a clamp of its results.
  bool fused_clamp = false;
  // Takes what follows it: a table (operand 3), a residual to add (operand 4), or the attributes
  // "activation" and "activation_..." of a float function.
  bool epilogue = false;
  // Computes values that are better kept as float32 between the last quantized layer and a float
  // output, rather than rounded to 8 bits once more.
  bool stays_real = false;
  // Each output element is the maximum or the average of a window of its own channel.
  bool pools = false;
  // Divides operand 0's values by a power mean of several of them. Takes operand 0 in whatever type
  // it has, and gives any other.
  bool normalizes = false;

  // For an op that is nothing but a clamp of operand 0: its limits.
  Clamp (*clamp)(const Attributes& attributes) = nullptr;

  // Whether output 0 equals operand 0 wherever both have the same type (shape, data type and
  // quantizer).
  bool (*is_identity)(absl::Span<const TensorType> inputs, const Attributes& attributes) = nullptr;

  // Whether every output element is one of operand 0's, or 0, chosen by position or by order: the
  // op does to quantized integers what it does to the real numbers that they stand for.
  bool (*picks_values)(const Attributes& attributes) = nullptr;

  // Moves a transpose of all operands by `perm` (output dimension i is input dimension perm[i])
  // from before the op to after it: makes `attributes` those of the op over the untransposed
  // operands, and returns the permutation of its output. Nullopt if it can't. Elementwise ops need
  // none: they keep their attributes and `perm`.
  std::optional<std::vector<int64_t>> (*sink_transpose)(absl::Span<const int64_t> perm,
                                                        Attributes& attributes) = nullptr;

  // For an op that averages: how many elements of operand 0 an element of output 0 is the mean of.
  double (*averaged_elements)(const TensorType& input, const TensorType& output,
                              const Attributes& attributes) = nullptr;

  // For an op that looks up what operand 0 holds at the indices of operand 1: how many indices
  // operand 0 has.
  int64_t (*index_count)(const TensorType& table, const Attributes& attributes) = nullptr;

  // Sums of inputs times constant weights.
  bool is_weighted_sum() const { return weight_channels >= 0; }
  // A function of one number, element by element.
  bool is_function() const { return elementwise && operands.size() == 1; }
  // Each byte of operand 0 becomes the entry of the table, operand 1, that it indexes.
  bool is_lookup() const {
    return elementwise && operands.size() == 2 && operands[1] == OperandRole::kTable;
  }
  // The output holds elements of operand 0, each at most once, and nothing else.
  bool moves_data() const {
    return movement == Movement::kReshape || movement == Movement::kTranspose ||
           movement == Movement::kSlice;
  }
};

}  // namespace synap_internal

#endif  // KERNELS_OP_DEF_H_
