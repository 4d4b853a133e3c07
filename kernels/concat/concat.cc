#include "kernels/concat/concat.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/convert/convert.h"
#include "kernels/lookup/lookup.h"
#include "kernels/permuted_attributes.h"
#include "kernels/shared/data_movement/data_movement.h"

namespace synap_internal {
namespace {

// concat_c1.
absl::StatusOr<size_t> ParseAxis(const Attributes& attributes, size_t rank) {
  AttributeReader reader(attributes);
  const int64_t axis = reader.RequiredInt("axis");
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(const int64_t resolved, ResolveAxis(axis, rank));
  return static_cast<size_t>(resolved);
}

// concat_c2 and concat_c3.
absl::Status CheckOperand(const TensorType& x, const TensorType& first, size_t axis) {
  if (x.dtype != first.dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", Name(x.dtype), ", expected ", Name(first.dtype), " as operand 0"));
  }
  bool alike = x.shape.rank() == first.shape.rank();
  for (size_t d = 0; alike && d < x.shape.rank(); ++d) {
    alike = d == axis || x.shape[d] == first.shape[d];
  }
  if (!alike) {
    return absl::InvalidArgumentError(
        absl::StrCat("has shape ", x.shape.ToString(), ", expected that of operand 0, ",
                     first.shape.ToString(), ", except along axis ", axis));
  }
  return RejectPerChannel(x);
}

absl::StatusOr<std::vector<TensorType>> InferConcat(const InferContext& context) {
  const TensorType& first = context.inputs[0];
  ASSIGN_OR_RETURN(const size_t axis, ParseAxis(context.attributes, first.shape.rank()));
  TensorType output{first.dtype, first.shape};
  output.shape[axis] = 0;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const TensorType& x = context.inputs[i];
    RETURN_IF_ERROR(Annotate(CheckOperand(x, first, axis), absl::StrCat("operand ", i)));
    output.shape[axis] += x.shape[axis];
    RETURN_IF_ERROR(output.shape.Validate());
  }
  return std::vector<TensorType>{output};
}

// Part of an operand: bytes [begin, end) of rows [row_begin, row_end).
struct ConcatTask {
  size_t piece;
  int64_t row_begin, row_end;
  int64_t begin, end;
};

std::vector<ConcatTask> SplitIntoTasks(const ConcatPlan& plan) {
  std::vector<ConcatTask> tasks;
  for (size_t i = 0; i < plan.pieces.size(); ++i) {
    const int64_t bytes = plan.pieces[i].bytes;
    if (bytes == 0) continue;
    const int64_t rows = std::max<int64_t>(1, kCopyTaskBytes / bytes);
    for (int64_t row = 0; row < plan.rows; row += rows) {
      for (int64_t byte = 0; byte < bytes; byte += kCopyTaskBytes) {
        tasks.push_back({i, row, std::min(plan.rows, row + rows), byte,
                         std::min(bytes, byte + kCopyTaskBytes)});
      }
    }
  }
  return tasks;
}

void RunTask(const ConcatPlan& plan, const ConcatTask& task, const KernelArgs& args) {
  const ConcatPiece& piece = plan.pieces[task.piece];
  const int64_t rows = task.row_end - task.row_begin;
  const int64_t bytes = task.end - task.begin;
  const uint8_t* input =
      args.input<uint8_t>(task.piece) + task.row_begin * piece.bytes + task.begin;
  uint8_t* output =
      args.output<uint8_t>(0) + task.row_begin * plan.row_bytes + piece.offset + task.begin;
  if (!piece.requantize) {
    return CopyStridedElements(input, piece.bytes, output, plan.row_bytes, bytes, rows);
  }
  if (plan.dtype == DataType::kInt16) {
    const convert::Run run = convert::FindQuantize(plan.dtype, plan.dtype);
    const auto quantizer = [](const QuantParams& quant) {
      return convert::Quantizer{quant.scale(), quant.zero_point()};
    };
    const int64_t elements = bytes / static_cast<int64_t>(sizeof(int16_t));
    for (int64_t row = 0; row < rows; ++row, input += piece.bytes, output += plan.row_bytes) {
      run(quantizer(piece.quant), quantizer(plan.quant), input, output, elements);
    }
    return;
  }
  static const lookup::Function map = lookup::FindFunction();
  const uint8_t* table = piece.table.data();
  // Rows shorter than this are mapped several at once and copied then: reading the table into
  // registers takes as long as mapping some hundred bytes.
  constexpr int64_t kBufferBytes = 4096;
  if (bytes < piece.bytes || bytes > kBufferBytes / 2) {
    for (int64_t row = 0; row < rows; ++row, input += piece.bytes, output += plan.row_bytes) {
      map(table, input, output, bytes);
    }
    return;
  }
  std::array<uint8_t, kBufferBytes> buffer;
  const int64_t rows_at_once = kBufferBytes / bytes;
  for (int64_t row = 0; row < rows; row += rows_at_once) {
    const int64_t count = std::min(rows_at_once, rows - row);
    map(table, input + row * bytes, buffer.data(), count * bytes);
    CopyStridedElements(buffer.data(), bytes, output + row * plan.row_bytes, plan.row_bytes, bytes,
                        count);
  }
}

absl::StatusOr<ConcatPiece> PreparePiece(const TensorType& x, const TensorType& output,
                                         size_t axis) {
  ConcatPiece piece;
  piece.bytes = x.shape.Product(axis, x.shape.rank()) * static_cast<int64_t>(SizeOf(x.dtype));
  piece.requantize = x.quant != output.quant;
  if (!piece.requantize) return piece;
  // concat_c4.
  const bool bytes = x.dtype == DataType::kUint8 || x.dtype == DataType::kInt8;
  const bool known = bytes || x.dtype == DataType::kInt16;
  if (!known || !x.quant.quantized() || !output.quant.quantized()) {
    return absl::UnimplementedError(absl::StrCat("no kernel requantizes ", Name(x.dtype), " (",
                                                 x.quant.ToString(), ") to (",
                                                 output.quant.ToString(), ")"));
  }
  piece.quant = x.quant;
  for (int q = 0; bytes && q < 256; ++q) {
    piece.table[static_cast<size_t>(q)] =
        RequantizeByte(static_cast<uint8_t>(q), x.dtype, x.quant, output.quant);
  }
  return piece;
}

absl::StatusOr<ConcatPlan> MakePlan(const PrepareContext& context) {
  const TensorType& output = context.outputs[0];
  ASSIGN_OR_RETURN(const size_t axis, ParseAxis(context.attributes, output.shape.rank()));
  if (output.dtype != context.inputs[0].dtype) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel from ", Name(context.inputs[0].dtype), " to ", Name(output.dtype)));
  }
  RETURN_IF_ERROR(Annotate(RejectPerChannel(output), "output"));
  ConcatPlan plan{
      .rows = output.shape.Product(0, axis), .dtype = output.dtype, .quant = output.quant};
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    auto piece = PreparePiece(context.inputs[i], output, axis);
    if (!piece.ok()) return Annotate(piece.status(), absl::StrCat("operand ", i));
    piece->offset = plan.row_bytes;
    plan.row_bytes += piece->bytes;
    plan.pieces.push_back(*std::move(piece));
  }
  return plan;
}

absl::StatusOr<Kernel> PrepareConcat(const PrepareContext& context) {
  ASSIGN_OR_RETURN(ConcatPlan plan, MakePlan(context));
  Kernel kernel;
  if (context.path == KernelPath::kReference) {
    kernel.run = [plan = std::move(plan)](const KernelArgs& args) {
      RunConcatReference(plan, args);
    };
    return kernel;
  }
  std::vector<ConcatTask> tasks = SplitIntoTasks(plan);
  kernel.run = [plan = std::move(plan), tasks = std::move(tasks)](const KernelArgs& args) {
    args.pool->ParallelFor(static_cast<int64_t>(tasks.size()), [&](int64_t task, int) {
      RunTask(plan, tasks[static_cast<size_t>(task)], args);
    });
  };
  return kernel;
}

std::optional<std::vector<int64_t>> SinkTranspose(absl::Span<const int64_t> perm,
                                                  Attributes& attributes) {
  PermuteDimension(perm, "axis", 0, attributes);
  return std::vector<int64_t>(perm.begin(), perm.end());
}

}  // namespace

absl::Span<const OpDef> ConcatOps() {
  static const auto* const ops = new std::vector<OpDef>{{
      .name = "concat",
      .operands = {OperandRole::kActivation},
      .variadic = true,
      .own_types = OwnTypes::kAny,
      .infer = InferConcat,
      .prepare = PrepareConcat,
      .quant_rule = QuantRule::kOwnRange,
      .movement = Movement::kConcat,
      .is_identity = [](absl::Span<const TensorType> inputs,
                        const Attributes&) { return inputs.size() == 1; },
      .sink_transpose = SinkTranspose,
  }};
  return *ops;
}

}  // namespace synap_internal
