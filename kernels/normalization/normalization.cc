#include "kernels/normalization/normalization.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/convert/convert.h"
#include "kernels/shared/virtual_lanes.h"

namespace synap_internal {
namespace {

using normalization::Factors;
using normalization::kBias;
using normalization::kScale;
using normalization::Params;

// Elements of a task over rows of neighbours.
constexpr int64_t kBlock = 4096;
// Rows next to each other that are done together, and steps of them in one buffer.
constexpr int64_t kColumns = 32;
constexpr int64_t kSteps = 256;
static_assert(kChain % kSteps == 0, "buffers are parts of a chain");

bool TakesType(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kUint8 || type == DataType::kInt16;
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  if (!TakesType(x.dtype)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "x of type ", Name(x.dtype), ", expected float32, uint8 or int16 (normalization_c1)"));
  }
  RETURN_IF_ERROR(normalization::ReadParams(context.inputs, context.attributes).status());
  return std::vector<TensorType>{{x.dtype, x.shape, {}}};
}

// One side of the op: its quantizer, and the conversion between it and floats.
struct Side {
  DataType type = DataType::kFloat32;
  convert::Quantizer quantizer;
  convert::Run run = nullptr;  // null for float32

  size_t size() const { return SizeOf(type); }
};

absl::StatusOr<Side> SideOf(const TensorType& type, bool is_input, KernelPath path) {
  Side side{type.dtype, {}, nullptr};
  if (type.dtype == DataType::kFloat32) return side;
  const QuantParams& quant = type.quant;
  if (!TakesType(type.dtype) || !quant.quantized() ||
      quant.scheme == QuantScheme::kPerChannelSymmetric) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for ", Name(type.dtype), " without a quantizer per tensor"));
  }
  side.quantizer = {quant.scale(), quant.zero_point()};
  const DataType from = is_input ? type.dtype : DataType::kFloat32;
  const DataType to = is_input ? DataType::kFloat32 : type.dtype;
  side.run = path == KernelPath::kFast ? convert::FindQuantize(from, to) : nullptr;
  if (side.run == nullptr) side.run = convert::ReferenceQuantize(from, to);
  return side;
}

// Immutable while it runs.
struct Plan {
  Params params;
  normalization::VectorLoops loops;
  Side x, y;

  // n elements of x from `at` on.
  void Load(const KernelArgs& args, int64_t at, int64_t n, float* to) const {
    const uint8_t* from = args.input<uint8_t>(0) + static_cast<size_t>(at) * x.size();
    if (x.run != nullptr) {
      x.run(x.quantizer, {}, from, to, n);
    } else {
      std::memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
    }
  }

  void Store(const float* from, int64_t n, int64_t at, const KernelArgs& args) const {
    uint8_t* to = args.output<uint8_t>(0) + static_cast<size_t>(at) * y.size();
    if (y.run != nullptr) {
      y.run({}, y.quantizer, from, to, n);
    } else {
      std::memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
    }
  }
};

constexpr float kOne = 1, kZero = 0;  // of absent factors

const float* ScaleOf(const Params& params, const KernelArgs& args) {
  return params.scale.present ? args.input<float>(kScale) : nullptr;
}

const float* BiasOf(const Params& params, const KernelArgs& args) {
  return params.bias.present ? args.input<float>(kBias) : nullptr;
}

// Rows of neighbours.

// A row's place in x, and its moments.
struct Row {
  int64_t o;
  float mean, inverse;
};

// As far as each factor is one number, or a vector. x and y may be the same.
void FinishRow(const Plan& plan, const KernelArgs& args, const Row& row, const float* x, float* y) {
  const Params& params = plan.params;
  const float* scale = ScaleOf(params, args);
  const float* bias = BiasOf(params, args);
  int64_t part = params.length;
  for (const Factors* factors : {&params.scale, &params.bias}) {
    if (factors->present && !factors->is_vector()) part = std::min(part, factors->repeat);
  }
  for (int64_t k = 0; k < params.length; k += part) {
    plan.loops.finish(x + k, part, row.mean, row.inverse,
                      scale == nullptr ? &kOne : scale + params.scale.Offset(row.o, k, 0),
                      bias == nullptr ? &kZero : bias + params.bias.Offset(row.o, k, 0), params,
                      y + k);
  }
}

// Rows of a task, and those of them that are done together.
int64_t RowsOfTask(const Params& params) { return std::max<int64_t>(1, kBlock / params.length); }
constexpr int64_t kRows = 16;

void RunRows(const Plan& plan, const KernelArgs& args) {
  const Params& params = plan.params;
  const int64_t n = params.length, rows = RowsOfTask(params);
  args.pool->ParallelFor((params.outer + rows - 1) / rows, [&](int64_t task, int worker) {
    const int64_t begin = task * rows, end = std::min(params.outer, begin + rows);
    auto* buffer = reinterpret_cast<float*>(args.WorkerScratch(worker));
    const float* x = plan.x.run != nullptr ? buffer : args.input<float>(0) + begin * n;
    float* y = plan.y.run != nullptr ? buffer : args.output<float>(0) + begin * n;
    if (plan.x.run != nullptr) plan.Load(args, begin * n, (end - begin) * n, buffer);
    for (int64_t first = begin; first < end; first += kRows) {
      const int64_t count = std::min(kRows, end - first);
      float mean[kRows], inverse[kRows];
      plan.loops.moments(x + (first - begin) * n, count, params, mean, inverse);
      for (int64_t r = 0; r < count; ++r) {
        const int64_t at = (first + r - begin) * n;
        FinishRow(plan, args, {first + r, mean[r], inverse[r]}, x + at, y + at);
      }
    }
    if (plan.y.run != nullptr) plan.Store(buffer, (end - begin) * n, begin * n, args);
  });
}

// Rows next to each other.

// Up to kColumns rows of x: [o, :, begin] to [o, :, begin + width).
struct Columns {
  const Plan& plan;
  const KernelArgs& args;
  int64_t o, begin, width;
  float* buffer;  // kSteps * width

  // Moves steps [k, k + steps) between the buffer and x or the output, which hold them in one piece
  // if there are no other rows.
  template <typename F>
  void ForEachPiece(int64_t k, int64_t steps, F move) const {
    const int64_t inner = plan.params.inner;
    const int64_t at = (o * plan.params.length + k) * inner + begin;
    if (width == inner) return move(at, steps * width, buffer);
    for (int64_t i = 0; i < steps; ++i) move(at + i * inner, width, buffer + i * width);
  }
  void Load(int64_t k, int64_t steps) const {
    ForEachPiece(k, steps, [&](int64_t at, int64_t n, float* to) { plan.Load(args, at, n, to); });
  }
  void Store(int64_t k, int64_t steps) const {
    ForEachPiece(k, steps,
                 [&](int64_t at, int64_t n, const float* from) { plan.Store(from, n, at, args); });
  }

  // Sums of the rows by add(steps, sums), which adds the buffer's. Blocks are those of reduce_mean.
  template <typename F>
  void Sum(F add, float* totals) const {
    const int64_t length = plan.params.length;
    for (int64_t block = 0; block < length; block += kChain) {
      const int64_t end = std::min(length, block + kChain);
      float sums[kColumns] = {};
      for (int64_t k = block; k < end; k += kSteps) {
        const int64_t steps = std::min(kSteps, end - k);
        Load(k, steps);
        add(steps, sums);
      }
      for (int64_t c = 0; c < width; ++c) {
        totals[c] = block == 0 ? sums[c] : LaneSum(totals[c], sums[c]);
      }
    }
  }
};

// The factors of one step of some columns: a part of the operand, or one number for all of them.
class StepFactors {
 public:
  StepFactors(const Factors& factors, const float* values, float absent)
      : factors_(factors), values_(values) {
    std::fill(std::begin(same_), std::end(same_), absent);
  }

  const float* At(int64_t o, int64_t k, int64_t begin) {
    if (!factors_.present) return same_;
    const float* values = values_ + factors_.Offset(o, k, begin);
    if (factors_.inner > 1) return values;
    if (k % factors_.repeat == 0) std::fill(std::begin(same_), std::end(same_), *values);
    return same_;
  }

 private:
  const Factors& factors_;
  const float* values_;
  float same_[kColumns];
};

void RunColumn(const Columns& columns) {
  const Plan& plan = columns.plan;
  const Params& params = plan.params;
  const int64_t width = columns.width;
  float mean[kColumns] = {}, inverse[kColumns];
  const auto sum = [&](auto add, float* totals) {
    columns.Sum([&](int64_t steps, float* sums) { add(columns.buffer, steps, width, mean, sums); },
                totals);
  };
  if (params.center) {
    float sums[kColumns];
    sum(plan.loops.add, sums);
    for (int64_t c = 0; c < width; ++c) mean[c] = sums[c] / static_cast<float>(params.length);
  }
  sum(plan.loops.add_squares, inverse);
  for (int64_t c = 0; c < width; ++c) inverse[c] = InverseDeviation(params, inverse[c]);
  StepFactors scale(params.scale, ScaleOf(params, columns.args), 1);
  StepFactors bias(params.bias, BiasOf(params, columns.args), 0);
  // As many steps as have the same factors.
  const bool same = params.scale.length == 1 && params.bias.length == 1;
  for (int64_t k = 0; k < params.length; k += kSteps) {
    const int64_t steps = std::min(kSteps, params.length - k);
    const int64_t part = same ? steps : 1;
    columns.Load(k, steps);
    for (int64_t i = 0; i < steps; i += part) {
      float* values = columns.buffer + i * width;
      plan.loops.finish_steps(values, part, width, mean, inverse,
                              scale.At(columns.o, k + i, columns.begin),
                              bias.At(columns.o, k + i, columns.begin), params, values);
    }
    columns.Store(k, steps);
  }
}

void RunColumns(const Plan& plan, const KernelArgs& args) {
  const Params& params = plan.params;
  const int64_t tiles = (params.inner + kColumns - 1) / kColumns;
  args.pool->ParallelFor(params.outer * tiles, [&](int64_t task, int worker) {
    const int64_t begin = task % tiles * kColumns;
    RunColumn({plan, args, task / tiles, begin, std::min(kColumns, params.inner - begin),
               reinterpret_cast<float*>(args.WorkerScratch(worker))});
  });
}

// All of x as floats in shared memory.
void RunReference(const Plan& plan, const KernelArgs& args) {
  const Params& params = plan.params;
  const int64_t elements = params.outer * params.length * params.inner;
  auto* values = reinterpret_cast<float*>(args.shared);
  plan.Load(args, 0, elements, values);
  for (int64_t o = 0; o < params.outer; ++o) {
    for (int64_t i = 0; i < params.inner; ++i) {
      ReferenceRow(params, ScaleOf(params, args), BiasOf(params, args), o, i,
                   values + o * params.length * params.inner + i);
    }
  }
  plan.Store(values, elements, 0, args);
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  Plan plan;
  ASSIGN_OR_RETURN(plan.params, normalization::ReadParams(context.inputs, context.attributes));
  ASSIGN_OR_RETURN(plan.x, SideOf(x, /*is_input=*/true, context.path));
  ASSIGN_OR_RETURN(plan.y, SideOf(context.outputs[0], /*is_input=*/false, context.path));
  if (x.shape.elements() == 0) return Kernel{[](const KernelArgs&) {}};
  const auto floats = [](int64_t n) { return static_cast<size_t>(n) * sizeof(float); };
  Kernel kernel;
  if (context.path == KernelPath::kReference) {
    kernel.shared_bytes = floats(x.shape.elements());
    kernel.run = [plan](const KernelArgs& args) { RunReference(plan, args); };
    return kernel;
  }
  plan.loops = normalization::FindVectorLoops();
  if (plan.params.inner == 1) {
    const bool converts = plan.x.run != nullptr || plan.y.run != nullptr;
    kernel.scratch_bytes = converts ? floats(RowsOfTask(plan.params) * plan.params.length) : 0;
    kernel.run = [plan](const KernelArgs& args) { RunRows(plan, args); };
  } else {
    kernel.scratch_bytes = floats(kSteps * kColumns);
    kernel.run = [plan](const KernelArgs& args) { RunColumns(plan, args); };
  }
  return kernel;
}

// Two sums, two products, a difference and a sum.
OpCost Cost(absl::Span<const TensorType> inputs, absl::Span<const TensorType>) {
  return {.macs = 0, .ops = 6 * inputs[0].shape.elements()};
}

}  // namespace

absl::Span<const OpDef> NormalizationOps() {
  static const auto* const ops = new std::vector<OpDef>{
      OpDef{.name = "normalization",
            .operands = {OperandRole::kActivation, OperandRole::kReal, OperandRole::kReal},
            .required = 1,
            .own_types = OwnTypes::kFloat32Uint8Int16,
            .infer = &Infer,
            .prepare = &Prepare,
            .cost = &Cost,
            .fused_clamp = true,
            .normalizes = true},
  };
  return *ops;
}

}  // namespace synap_internal
