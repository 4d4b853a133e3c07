#include "kernels/softmax/softmax.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/convert/convert.h"

namespace synap {
namespace {

// Floats of a task's scratch memory, unless one row is longer.
constexpr int64_t kBlock = 4096;
// Columns that are gathered at once: a cache line of floats.
constexpr int64_t kColumns = 16;

absl::StatusOr<int64_t> ReadAxis(const TensorType& x, const Attributes& attributes) {
  AttributeReader reader(attributes);
  const int64_t axis = reader.Int("axis", -1);
  RETURN_IF_ERROR(reader.Finish());
  const auto rank = static_cast<int64_t>(x.shape.rank());
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " of x of shape ",
                                                 x.shape.ToString(), ", expected one in [", -rank,
                                                 ", ", rank, ") (softmax_c2)"));
}

bool TakesType(DataType type) { return type == DataType::kFloat32 || type == DataType::kUint8; }

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  if (context.inputs.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(context.inputs.size(), " operands, expected 1"));
  }
  const TensorType& x = context.inputs[0];
  if (!TakesType(x.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("x of type ", Name(x.dtype), ", expected float32 or uint8 (softmax_c1)"));
  }
  RETURN_IF_ERROR(ReadAxis(x, context.attributes).status());
  return std::vector<TensorType>{{x.dtype, x.shape, {}}};
}

// x is [outer, length, inner]; rows run along `length`. Immutable while it runs.
struct Plan {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  softmax::Row row = nullptr;
  // Null for floats.
  convert::Run dequantize = nullptr;
  convert::Run quantize = nullptr;
  convert::Quantizer in, out;
  int64_t rows = 1;  // of a task

  bool bytes() const { return quantize != nullptr; }
  size_t scratch_bytes() const {
    // Floats, and behind them one byte for each.
    return inner > 1 || bytes() ? static_cast<size_t>(rows * length) * (sizeof(float) + 1) : 0;
  }
};

// Rows next to each other, inner == 1.
void RunRows(const Plan& plan, const KernelArgs& args) {
  args.pool->ParallelFor((plan.outer + plan.rows - 1) / plan.rows, [&](int64_t task, int worker) {
    const int64_t begin = task * plan.rows * plan.length;
    const int64_t rows = std::min(plan.rows, plan.outer - task * plan.rows);
    const float* x = args.input<float>(0) + (plan.bytes() ? 0 : begin);
    float* y = args.output<float>(0) + (plan.bytes() ? 0 : begin);
    if (plan.bytes()) {
      y = reinterpret_cast<float*>(args.WorkerScratch(worker));
      plan.dequantize(plan.in, plan.out, args.input<uint8_t>(0) + begin, y, rows * plan.length);
      x = y;
    }
    for (int64_t r = 0; r < rows; ++r) {
      plan.row(x + r * plan.length, y + r * plan.length, plan.length);
    }
    if (plan.bytes()) {
      plan.quantize(plan.in, plan.out, y, args.output<uint8_t>(0) + begin, rows * plan.length);
    }
  });
}

// to[c][k] = from[k][c]: `count` columns become rows of `length`.
template <typename T>
void Gather(const T* from, int64_t stride, int64_t length, int64_t count, T* to) {
  for (int64_t k = 0; k < length; ++k) {
    for (int64_t c = 0; c < count; ++c) to[c * length + k] = from[k * stride + c];
  }
}

template <typename T>
void Scatter(const T* from, int64_t length, int64_t count, T* to, int64_t stride) {
  for (int64_t k = 0; k < length; ++k) {
    for (int64_t c = 0; c < count; ++c) to[k * stride + c] = from[c * length + k];
  }
}

void RunColumns(const Plan& plan, const KernelArgs& args) {
  const int64_t tasks = (plan.inner + plan.rows - 1) / plan.rows;
  args.pool->ParallelFor(plan.outer * tasks, [&](int64_t task, int worker) {
    const int64_t column = task % tasks * plan.rows;
    const int64_t count = std::min(plan.rows, plan.inner - column);
    const int64_t begin = task / tasks * plan.length * plan.inner + column;
    auto* rows = reinterpret_cast<float*>(args.WorkerScratch(worker));
    uint8_t* bytes =
        args.WorkerScratch(worker) + static_cast<size_t>(plan.rows * plan.length) * sizeof(float);
    if (plan.bytes()) {
      Gather(args.input<uint8_t>(0) + begin, plan.inner, plan.length, count, bytes);
      plan.dequantize(plan.in, plan.out, bytes, rows, count * plan.length);
    } else {
      Gather(args.input<float>(0) + begin, plan.inner, plan.length, count, rows);
    }
    for (int64_t c = 0; c < count; ++c) {
      plan.row(rows + c * plan.length, rows + c * plan.length, plan.length);
    }
    if (plan.bytes()) {
      plan.quantize(plan.in, plan.out, rows, bytes, count * plan.length);
      Scatter(bytes, plan.length, count, args.output<uint8_t>(0) + begin, plan.inner);
    } else {
      Scatter(rows, plan.length, count, args.output<float>(0) + begin, plan.inner);
    }
  });
}

absl::Status SetQuantizers(const PrepareContext& context, Plan& plan) {
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  const auto is_affine = [](const QuantParams& quant) {
    return quant.quantized() && quant.scheme != QuantScheme::kPerChannelSymmetric;
  };
  if (!is_affine(x.quant) || !is_affine(out.quant)) {
    return absl::UnimplementedError("no kernel for uint8 without a quantizer per tensor");
  }
  const auto find =
      context.path == KernelPath::kFast ? &convert::FindQuantize : &convert::ReferenceQuantize;
  plan.dequantize = find(DataType::kUint8, DataType::kFloat32);
  plan.quantize = find(DataType::kFloat32, DataType::kUint8);
  plan.in = {x.quant.scale(), x.quant.zero_point()};
  plan.out = {out.quant.scale(), out.quant.zero_point()};
  return absl::OkStatus();
}

template <bool kLog>
absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  if (!TakesType(x.dtype) || x.dtype != out.dtype) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(out.dtype)));
  }
  ASSIGN_OR_RETURN(const int64_t axis, ReadAxis(x, context.attributes));
  if (x.shape.elements() == 0) return Kernel{[](const KernelArgs&) {}};
  const auto dimension = static_cast<size_t>(axis);
  Plan plan;
  plan.outer = x.shape.Product(0, dimension);
  plan.length = x.shape[dimension];
  plan.inner = x.shape.Product(dimension + 1, x.shape.rank());
  plan.rows = std::max<int64_t>(1, kBlock / plan.length);
  if (plan.inner > 1) plan.rows = std::min(plan.rows, kColumns);
  if (x.dtype == DataType::kUint8) RETURN_IF_ERROR(SetQuantizers(context, plan));
  if (context.path == KernelPath::kFast) {
    plan.row = softmax::FindRow(kLog);
  } else {
    plan.row = kLog ? &softmax::ReferenceLogRow : &softmax::ReferenceRow;
  }
  Kernel kernel;
  kernel.scratch_bytes = plan.scratch_bytes();
  kernel.run = [plan](const KernelArgs& args) {
    return plan.inner > 1 ? RunColumns(plan, args) : RunRows(plan, args);
  };
  return kernel;
}

// An exponential counts as ten operations.
OpCost Cost(absl::Span<const TensorType> inputs, absl::Span<const TensorType>) {
  return {.macs = 0, .ops = 13 * inputs[0].shape.elements()};
}

}  // namespace

absl::Span<const OpDef> SoftmaxOps() {
  static const auto* const ops = new std::vector<OpDef>{
      OpDef{.name = "softmax",
            .operands = {OperandRole::kActivation},
            .infer = &Infer,
            .prepare = &Prepare<false>,
            .cost = &Cost,
            .quant_rule = QuantRule::kFixedRange,
            .fixed_min = 0,
            .fixed_max = 1},
      OpDef{.name = "log_softmax",
            .operands = {OperandRole::kActivation},
            .infer = &Infer,
            .prepare = &Prepare<true>,
            .cost = &Cost},
  };
  return *ops;
}

}  // namespace synap
