// Operators of TorchScript and the functions that map them, in a file for each kind (activation.cc,
// ...).
#ifndef COMPILER_IMPORT_TORCHSCRIPT_OP_TABLE_H_
#define COMPILER_IMPORT_TORCHSCRIPT_OP_TABLE_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/torchscript/node_context.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// Form in which a mapping gets quantized tensors among its arguments.
enum class Quantized {
  kSame,  // as real numbers; its results get the first one's quantizer again
  kOwn,   // as they are
};

// The memory that a result may share, and its type. A view is made again after a write to that
// memory, which would be wrong for a copy; models that change kViewOrCopy or what it was made of,
// and read the other one later, are refused.
enum class Result {
  kNew,
  kAlike,        // new, of the first argument's type whatever the others are
  kView,         // it shares that of the first argument, or item by item if that is a list
  kOrderedView,  // a view of all elements of the first argument, in their order
  kViewOrCopy,   // a view or, if strides, type or device of the first argument ask for it, a copy
  kOperand,      // it is the first argument itself, or an item of that
};

// Whether the result may share the memory of the first argument without being that itself.
constexpr bool IsView(Result result) {
  return result == Result::kView || result == Result::kOrderedView || result == Result::kViewOrCopy;
}

struct OpMapping {
  using Function = absl::Status (*)(NodeContext& node);

  // A row may leave out that it has Quantized::kSame, that it has Result::kNew, and limits.
  constexpr OpMapping(absl::string_view name, size_t arguments, Function function, Quantized form,
                      Result memory, absl::string_view what = "")
      : op(name), min(arguments), map(function), quantized(form), result(memory), limits(what) {}
  constexpr OpMapping(absl::string_view name, size_t arguments, Function function,
                      absl::string_view what = "")
      : OpMapping(name, arguments, function, Quantized::kSame, Result::kNew, what) {}
  constexpr OpMapping(absl::string_view name, size_t arguments, Function function, Quantized form,
                      absl::string_view what = "")
      : OpMapping(name, arguments, function, form, Result::kNew, what) {}
  constexpr OpMapping(absl::string_view name, size_t arguments, Function function, Result memory,
                      absl::string_view what = "")
      : OpMapping(name, arguments, function, Quantized::kSame, memory, what) {}

  // "aten::relu" stands for aten::relu_ too.
  absl::string_view op;
  // The smallest number of arguments.
  size_t min;
  // Emits ops for the node and sets its outputs. Errors are without the node.
  Function map;
  Quantized quantized;
  Result result;
  absl::string_view limits;  // op_limits.h
};

const OperatorTable<OpMapping>& Operators();
// Null if the operator isn't supported.
const OpMapping* FindMapping(absl::string_view kind);

// The row for operands of which some are complex; null if the operator isn't supported for them.
const OpMapping* FindComplexMapping(absl::string_view kind);

// What the operator of a row gives for these arguments, in the place of the node.
absl::StatusOr<std::vector<Value>> RunAs(NodeContext& node, const OpMapping& mapping,
                                         std::vector<Value> arguments);
// The first of these, a tensor, by the operator's kind. REQUIRES: it has a row.
Emitted EmitOperator(NodeContext& node, absl::string_view kind, std::vector<Value> arguments);

// "aten::relu_" -> "aten::relu"; empty if the kind doesn't work in place.
absl::string_view WithoutInPlace(absl::string_view kind);
// Whether what the operator gives may share the memory of its first argument.
bool IsView(absl::string_view kind);
// Whether what the operator gives may be its first argument itself, or an item of that.
bool GivesOperand(absl::string_view kind);
// Whether it changes its first argument, or one of those that WritesToOut tells of.
bool Writes(absl::string_view kind);
bool WritesToList(absl::string_view kind);
// Whether it changes an argument that is there for its results: "aten::add.out".
bool WritesToOut(absl::string_view kind);

// What several kinds say of the shape that their operators read.
inline constexpr char kImages[] = "[N,C,H,W]";

// Rows of each kind, in the file of its name.
using Mappings = absl::Span<const OpMapping>;
Mappings ActivationMappings();
Mappings ArrangementMappings();
Mappings AttentionMappings();
Mappings BinaryFunctionMappings();
Mappings BitwiseMappings();
Mappings ClassLossMappings();
Mappings ComplexMappings();
Mappings ComplexOperandMappings();
Mappings ConstantMappings();
Mappings ConversionMappings();
Mappings ConvolutionMappings();
Mappings DiagonalMappings();
Mappings DifferenceMappings();
Mappings ElementwiseMappings();
Mappings EmbeddingBagMappings();
Mappings FourierMappings();
Mappings IndexingMappings();
Mappings InverseMappings();
Mappings LossMappings();
Mappings MatmulMappings();
Mappings NormMappings();
Mappings NormalizationMappings();
Mappings OrderMappings();
Mappings PoolingMappings();
Mappings ProductMappings();
Mappings PythonMappings();
Mappings QuantizationMappings();
Mappings RecurrentMappings();
Mappings ReductionMappings();
Mappings ResizeMappings();
Mappings SamplingMappings();
Mappings ScanMappings();
Mappings ScatterMappings();
Mappings SearchMappings();
Mappings SequenceMappings();
Mappings ShapeMappings();
Mappings SliceMappings();
Mappings SpecialMappings();
Mappings StatisticsMappings();
Mappings StftMappings();
Mappings StridedMappings();
Mappings ValueDependentMappings();
Mappings WindowMappings();

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_OP_TABLE_H_
