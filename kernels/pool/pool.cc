#include "kernels/pool/pool.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/shared/data_movement/data_movement.h"

namespace synap_internal {
namespace {

constexpr int64_t kMaxAverageTaps = int64_t{1} << 22;

// pool_c5
absl::Status CheckType(const TensorType& x) {
  if (x.dtype == DataType::kFloat32 ||
      (x.dtype == DataType::kUint8 && x.quant.scheme == QuantScheme::kAsymmetricAffine)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("x is ", Name(x.dtype), " (", Name(x.quant.scheme),
                   "), expected float32 or uint8 (asymmetric_affine)"));
}

// pool_c2, pool_c6
absl::Status CheckKernel(const Pool& pool) {
  const int64_t height = pool.window.rows.taps, width = pool.window.columns.taps;
  for (const int64_t extent : {height, width}) {
    if (extent < 1 || extent > kMaxWindow) {
      return absl::InvalidArgumentError(
          absl::StrCat("a kernel extent is ", extent, ", expected 1..", kMaxWindow));
    }
  }
  if (pool.average && height * width > kMaxAverageTaps) {
    return absl::InvalidArgumentError(absl::StrCat("a kernel of ", height, "x", width,
                                                   " is too large to average, expected at most ",
                                                   kMaxAverageTaps, " elements"));
  }
  return pool.window.CheckSteps();
}

// Everything but the output's quantizer.
absl::StatusOr<Pool> ParsePool(const InferContext& context, bool average) {
  const TensorType& x = context.inputs[0];  // pool_c1
  if (x.shape.rank() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("x is [", x.shape.ToString(), "], expected [N,H,W,C]"));
  }
  AttributeReader reader(context.attributes);
  Pool pool;
  pool.window = Window::Read(reader);
  const std::vector<int64_t> kernel = reader.RequiredInts("kernel", 2);
  pool.ceil_mode = reader.Int("ceil_mode", 0) != 0;
  pool.average = average;
  if (average) pool.count_include_pad = reader.Int("count_include_pad", 0) != 0;
  RETURN_IF_ERROR(reader.Finish());
  pool.window.rows.taps = kernel[0];
  pool.window.columns.taps = kernel[1];
  RETURN_IF_ERROR(CheckType(x));
  RETURN_IF_ERROR(CheckKernel(pool));
  RETURN_IF_ERROR(pool.window.CheckPads());  // pool_c3
  // pool_c4
  ASSIGN_OR_RETURN(const int64_t height,
                   OutputExtent(pool.window.rows, x.shape[1], pool.ceil_mode));
  ASSIGN_OR_RETURN(const int64_t width,
                   OutputExtent(pool.window.columns, x.shape[2], pool.ceil_mode));
  pool.x = x.shape;
  pool.output = Shape{x.shape[0], height, width, x.shape[3]};
  pool.quantized = x.dtype == DataType::kUint8;
  pool.x_quant = x.quant;
  RETURN_IF_ERROR(pool.output.Validate());
  return pool;
}

absl::StatusOr<std::vector<TensorType>> InferMax(const InferContext& context) {
  ASSIGN_OR_RETURN(const Pool pool, ParsePool(context, false));
  return std::vector<TensorType>{{context.inputs[0].dtype, pool.output, pool.x_quant}};
}

absl::StatusOr<std::vector<TensorType>> InferAverage(const InferContext& context) {
  ASSIGN_OR_RETURN(const Pool pool, ParsePool(context, true));
  return std::vector<TensorType>{{context.inputs[0].dtype, pool.output, {}}};
}

// pool_c7
absl::Status CheckOutput(const PrepareContext& context, bool average) {
  if (!average) return CheckStoredAlike(context);
  const TensorType& output = context.outputs[0];
  if (output.dtype == context.inputs[0].dtype && CheckType(output).ok()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("no kernel from ", Name(context.inputs[0].dtype),
                                               " to ", Name(output.dtype), " (",
                                               Name(output.quant.scheme), ")"));
}

absl::StatusOr<Kernel> PreparePool(const PrepareContext& context, bool average) {
  ASSIGN_OR_RETURN(Pool pool, ParsePool({context.inputs, context.attributes}, average));
  RETURN_IF_ERROR(CheckOutput(context, average));
  pool.output_quant = context.outputs[0].quant;
  if (context.path == KernelPath::kFast && pool.output.elements() > 0) return PoolKernel(pool);
  Kernel kernel;
  kernel.run = [pool](const KernelArgs& args) {
    RunPoolReference(pool, args.inputs[0], args.outputs[0]);
  };
  return kernel;
}

absl::StatusOr<Kernel> PrepareMax(const PrepareContext& context) {
  return PreparePool(context, false);
}

absl::StatusOr<Kernel> PrepareAverage(const PrepareContext& context) {
  return PreparePool(context, true);
}

double AveragedElements(const TensorType&, const TensorType&, const Attributes& attributes) {
  double taps = 1;
  for (const int64_t extent : AttributeReader(attributes).RequiredInts("kernel", 2)) {
    taps *= static_cast<double>(extent);
  }
  return taps;
}

}  // namespace

int64_t CountTaps(const WindowAxis& axis, int64_t o, int64_t input, bool padded) {
  const int64_t begin = padded ? -axis.pad_begin : 0;
  const int64_t end = padded ? input + axis.pad_end : input;
  // Taps t with begin <= first + t * dilation < end.
  const int64_t first = axis.Position(o, 0);
  const auto below = [&](int64_t bound) {
    const int64_t room = bound - first;
    const int64_t taps = room <= 0 ? 0 : (room + axis.dilation - 1) / axis.dilation;
    return std::min(taps, axis.taps);
  };
  return below(end) - below(begin);
}

float AverageMultiplier(const Pool& pool, int64_t count) {
  return static_cast<float>(
      static_cast<double>(pool.x_quant.scale()) /
      (static_cast<double>(pool.output_quant.scale()) * static_cast<double>(count)));
}

absl::Span<const OpDef> PoolOps() {
  static const auto* const ops = new std::vector<OpDef>{
      OpDef{.name = "max_pool2d",
            .layer_type = "PoolingLayer2",
            .operands = {OperandRole::kActivation},
            .infer = InferMax,
            .prepare = PrepareMax,
            .quant_rule = QuantRule::kSameAsInput,
            .pools = true,
            .picks_values = [](const Attributes&) { return true; }},
      OpDef{.name = "avg_pool2d",
            .layer_type = "PoolingLayer2",
            .operands = {OperandRole::kActivation},
            .infer = InferAverage,
            .prepare = PrepareAverage,
            .pools = true,
            .averaged_elements = AveragedElements},
  };
  return *ops;
}

}  // namespace synap_internal
