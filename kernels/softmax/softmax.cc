#include "kernels/softmax/softmax.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "kernels/convert/convert.h"
#include "kernels/permuted_attributes.h"

namespace synap_internal {
namespace {

// Elements of a task.
constexpr int64_t kBlock = 4096;
// Rows longer than this fill vectors by themselves.
constexpr int64_t kLongRow = 64;

struct Rows {
  int64_t axis;
  bool normalize;
};

template <bool kLog>
absl::StatusOr<Rows> ReadRows(const TensorType& x, const Attributes& attributes) {
  AttributeReader reader(attributes);
  const int64_t axis = reader.Int("axis", -1);
  const bool normalize = kLog || reader.Int("normalize", 1) != 0;
  RETURN_IF_ERROR(reader.Finish());
  ASSIGN_OR_RETURN(const int64_t resolved, ResolveAxis(axis, x.shape.rank()));  // softmax_c2
  return Rows{resolved, normalize};
}

bool TakesType(DataType type) { return type == DataType::kFloat32 || type == DataType::kUint8; }

template <bool kLog>
absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  if (!TakesType(x.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("x of type ", Name(x.dtype), ", expected float32 or uint8 (softmax_c1)"));
  }
  RETURN_IF_ERROR(ReadRows<kLog>(x, context.attributes).status());
  return std::vector<TensorType>{{x.dtype, x.shape, {}}};
}

// Immutable while it runs.
struct Plan {
  softmax::Params params;
  softmax::VectorLoops loops;
  // Null for floats.
  convert::Run dequantize = nullptr;
  convert::Run quantize = nullptr;
  convert::Quantizer in, out;

  bool bytes() const { return quantize != nullptr; }
  bool long_rows() const { return params.inner == 1 && params.length > kLongRow; }
};

// Rows next to each other; those of uint8 pass through scratch memory.
void RunRows(const Plan& plan, const KernelArgs& args) {
  const int64_t length = plan.params.length;
  const int64_t rows = std::max<int64_t>(1, kBlock / length);
  args.pool->ParallelFor((plan.params.outer + rows - 1) / rows, [&](int64_t task, int worker) {
    const int64_t end = std::min(plan.params.outer, (task + 1) * rows);
    for (int64_t at = task * rows * length; at < end * length; at += length) {
      if (!plan.bytes()) {
        plan.loops.row(args.input<float>(0) + at, args.output<float>(0) + at, length);
        continue;
      }
      auto* row = reinterpret_cast<float*>(args.WorkerScratch(worker));
      plan.dequantize(plan.in, plan.out, args.input<uint8_t>(0) + at, row, length);
      plan.loops.row(row, row, length);
      plan.quantize(plan.in, plan.out, row, args.output<uint8_t>(0) + at, length);
    }
  });
}

// Position of a tile's rows: element k of row r is at begin + k * step + r * row_step.
struct TilePlace {
  int64_t begin, rows, step, row_step;
};

TilePlace PlaceOf(const softmax::Params& params, int64_t tile) {
  if (params.inner == 1) {
    const int64_t row = tile * softmax::kTile;
    return {row * params.length, std::min(softmax::kTile, params.outer - row), 1, params.length};
  }
  const int64_t tiles = (params.inner + softmax::kTile - 1) / softmax::kTile;
  const int64_t column = tile % tiles * softmax::kTile;
  return {tile / tiles * params.length * params.inner + column,
          std::min(softmax::kTile, params.inner - column), params.inner, 1};
}

template <typename T>
void Gather(const T* from, const TilePlace& place, int64_t length, T* tile) {
  for (int64_t k = 0; k < length; ++k) {
    for (int64_t r = 0; r < place.rows; ++r) {
      tile[k * softmax::kTile + r] = from[place.begin + k * place.step + r * place.row_step];
    }
  }
}

template <typename T>
void Scatter(const T* tile, const TilePlace& place, int64_t length, T* to) {
  for (int64_t k = 0; k < length; ++k) {
    for (int64_t r = 0; r < place.rows; ++r) {
      to[place.begin + k * place.step + r * place.row_step] = tile[k * softmax::kTile + r];
    }
  }
}

// Computes rows that are short or not contiguous, kTile of them together. The
// unused rows of a last, partial tile hold old numbers that aren't read.
void RunTiles(const Plan& plan, const KernelArgs& args) {
  const int64_t length = plan.params.length;
  const int64_t size = length * softmax::kTile;
  const int64_t per_row = (plan.params.inner + softmax::kTile - 1) / softmax::kTile;
  const int64_t tiles = plan.params.inner == 1
                            ? (plan.params.outer + softmax::kTile - 1) / softmax::kTile
                            : plan.params.outer * per_row;
  const int64_t group = std::max<int64_t>(1, kBlock / size);
  args.pool->ParallelFor((tiles + group - 1) / group, [&](int64_t task, int worker) {
    auto* tile = reinterpret_cast<float*>(args.WorkerScratch(worker));
    uint8_t* bytes = args.WorkerScratch(worker) + static_cast<size_t>(size) * sizeof(float);
    for (int64_t t = task * group; t < std::min(tiles, (task + 1) * group); ++t) {
      const TilePlace place = PlaceOf(plan.params, t);
      if (plan.bytes()) {
        Gather(args.input<uint8_t>(0), place, length, bytes);
        plan.dequantize(plan.in, plan.out, bytes, tile, size);
        plan.loops.tile(tile, length);
        plan.quantize(plan.in, plan.out, tile, bytes, size);
        Scatter(bytes, place, length, args.output<uint8_t>(0));
      } else {
        Gather(args.input<float>(0), place, length, tile);
        plan.loops.tile(tile, length);
        Scatter(tile, place, length, args.output<float>(0));
      }
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
  plan.params.in_scale = x.quant.scale();
  plan.params.in_zero_point = x.quant.zero_point();
  plan.params.out_scale = out.quant.scale();
  plan.params.out_zero_point = out.quant.zero_point();
  plan.dequantize = convert::FindQuantize(DataType::kUint8, DataType::kFloat32);
  plan.quantize = convert::FindQuantize(DataType::kFloat32, DataType::kUint8);
  plan.in = {x.quant.scale(), x.quant.zero_point()};
  plan.out = {out.quant.scale(), out.quant.zero_point()};
  return absl::OkStatus();
}

Kernel ReferenceKernel(const softmax::Params& params) {
  Kernel kernel;
  kernel.scratch_bytes = static_cast<size_t>(params.length) * sizeof(float);
  kernel.run = [params](const KernelArgs& args) {
    softmax::Reference(params, args.inputs[0], args.outputs[0],
                       reinterpret_cast<float*>(args.WorkerScratch(0)));
  };
  return kernel;
}

template <bool kLog>
absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  if (!TakesType(x.dtype) || x.dtype != out.dtype) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(out.dtype)));
  }
  ASSIGN_OR_RETURN(const Rows rows, ReadRows<kLog>(x, context.attributes));
  if (x.shape.elements() == 0) return Kernel{[](const KernelArgs&) {}};
  const auto dimension = static_cast<size_t>(rows.axis);
  Plan plan;
  plan.params = {.log = kLog,
                 .normalize = rows.normalize,
                 .type = x.dtype,
                 .outer = x.shape.Product(0, dimension),
                 .length = x.shape[dimension],
                 .inner = x.shape.Product(dimension + 1, x.shape.rank())};
  if (x.dtype == DataType::kUint8) RETURN_IF_ERROR(SetQuantizers(context, plan));
  if (context.path == KernelPath::kReference) return ReferenceKernel(plan.params);
  plan.loops = softmax::FindVectorLoops(plan.params);
  Kernel kernel;
  const auto length = static_cast<size_t>(plan.params.length);
  if (plan.long_rows()) {
    kernel.scratch_bytes = plan.bytes() ? length * sizeof(float) : 0;
    kernel.run = [plan](const KernelArgs& args) { RunRows(plan, args); };
  } else {
    kernel.scratch_bytes = length * softmax::kTile * (sizeof(float) + (plan.bytes() ? 1 : 0));
    kernel.run = [plan](const KernelArgs& args) { RunTiles(plan, args); };
  }
  return kernel;
}

// An exponential counts as ten operations.
OpCost Cost(absl::Span<const TensorType> inputs, absl::Span<const TensorType>) {
  return {.macs = 0, .ops = 13 * inputs[0].shape.elements()};
}

std::optional<std::vector<int64_t>> SinkTranspose(absl::Span<const int64_t> perm,
                                                  Attributes& attributes) {
  PermuteDimension(perm, "axis", -1, attributes);
  return std::vector<int64_t>(perm.begin(), perm.end());
}

}  // namespace

absl::Span<const OpDef> SoftmaxOps() {
  static const auto* const ops = new std::vector<OpDef>{
      OpDef{.name = "softmax",
            .layer_type = "Softmax2Layer",
            .operands = {OperandRole::kActivation},
            .infer = &Infer<false>,
            .prepare = &Prepare<false>,
            .cost = &Cost,
            .quant_rule = QuantRule::kFixedRange,
            .fixed_min = 0,
            .fixed_max = 1,
            .probability = Probability::kSoftmax,
            .stays_real = true,
            .sink_transpose = &SinkTranspose},
      OpDef{.name = "log_softmax",
            .operands = {OperandRole::kActivation},
            .infer = &Infer<true>,
            .prepare = &Prepare<true>,
            .cost = &Cost,
            .probability = Probability::kLogSoftmax,
            .stays_real = true,
            .sink_transpose = &SinkTranspose},
  };
  return *ops;
}

}  // namespace synap_internal
