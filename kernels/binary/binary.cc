#include "kernels/binary/binary.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "kernels/shared/broadcast/broadcast.h"

namespace synap_internal {
namespace {

// Elements of a task, and of a repeated short operand.
constexpr int64_t kBlock = 16384;
constexpr int64_t kRepeated = 1024;

bool IsComparison(BinaryFunction function) {
  return function == BinaryFunction::kEqual || function == BinaryFunction::kLess ||
         function == BinaryFunction::kGreater;
}

bool TakesClamp(BinaryFunction function) {
  return function == BinaryFunction::kAdd || function == BinaryFunction::kSub ||
         function == BinaryFunction::kMul;
}

bool TakesType(BinaryFunction function, DataType type) {
  switch (type) {
    case DataType::kFloat32:
    case DataType::kUint8:
      return true;
    case DataType::kInt32:
    case DataType::kInt64:
      return function != BinaryFunction::kPow;
    case DataType::kBool:
      return function == BinaryFunction::kEqual;
    default:
      return false;
  }
}

absl::StatusOr<Clamp> ReadClamp(BinaryFunction function, DataType type,
                                const Attributes& attributes) {
  AttributeReader reader(attributes);
  Clamp clamp;
  if (TakesClamp(function)) {
    clamp.min = reader.Float("min", clamp.min);
    clamp.max = reader.Float("max", clamp.max);
  }
  RETURN_IF_ERROR(reader.Finish());  // binary_c4: other functions know no min and max
  if (!(clamp.min <= clamp.max)) {
    return absl::InvalidArgumentError(absl::StrCat("min is ", FloatToString(clamp.min),
                                                   " and max is ", FloatToString(clamp.max),
                                                   ", expected min <= max (binary_c4)"));
  }
  const bool integers = type == DataType::kInt32 || type == DataType::kInt64;
  if (integers && !attributes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("min and max with ", Name(type), " operands, expected none (binary_c4)"));
  }
  return clamp;
}

template <BinaryFunction kFunction>
absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& a = context.inputs[0];
  const TensorType& b = context.inputs[1];
  if (a.dtype != b.dtype) {
    return absl::InvalidArgumentError(absl::StrCat("operands of types ", Name(a.dtype), " and ",
                                                   Name(b.dtype),
                                                   ", expected the same (binary_c1)"));
  }
  if (!TakesType(kFunction, a.dtype)) {
    return absl::InvalidArgumentError(absl::StrCat("operands of type ", Name(a.dtype),
                                                   ", which this op does not take (binary_c2)"));
  }
  RETURN_IF_ERROR(ReadClamp(kFunction, a.dtype, context.attributes).status());
  const std::vector<Shape> shapes = {a.shape, b.shape};
  absl::StatusOr<Shape> shape = BroadcastShapes(shapes);
  if (!shape.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(shape.status().message(), " (binary_c3)"));
  }
  RETURN_IF_ERROR(shape->Validate());
  return std::vector<TensorType>{
      {IsComparison(kFunction) ? DataType::kBool : a.dtype, *std::move(shape), {}}};
}

template <BinaryFunction kFunction>
absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  ASSIGN_OR_RETURN(const Clamp clamp,
                   ReadClamp(kFunction, context.inputs[0].dtype, context.attributes));
  return PrepareBinary(kFunction, clamp, context);
}

bool IsAffine(const TensorType& type) {
  return type.dtype == DataType::kUint8 && type.quant.quantized() &&
         type.quant.scheme != QuantScheme::kPerChannelSymmetric;
}

// Scales and zero points, after checking that there is a kernel for the types.
absl::StatusOr<BinaryParams> MakeParams(BinaryFunction function, const Clamp& clamp,
                                        const PrepareContext& context) {
  const TensorType& a = context.inputs[0];
  const TensorType& b = context.inputs[1];
  const TensorType& out = context.outputs[0];
  const DataType expected = IsComparison(function) ? DataType::kBool : a.dtype;
  if (out.dtype != expected || a.dtype != b.dtype || !TakesType(function, a.dtype)) {
    return absl::UnimplementedError(absl::StrCat("no kernel for ", Name(a.dtype), " and ",
                                                 Name(b.dtype), " to ", Name(out.dtype)));
  }
  BinaryParams params{.function = function, .clamp = clamp};
  if (a.dtype != DataType::kUint8) return params;
  if (!IsAffine(a) || !IsAffine(b) || (!IsComparison(function) && !IsAffine(out))) {
    return absl::UnimplementedError("no kernel for uint8 without a quantizer per tensor");
  }
  params.a_scale = a.quant.scale();
  params.b_scale = b.quant.scale();
  params.a_zero_point = a.quant.zero_point();
  params.b_zero_point = b.quant.zero_point();
  if (IsComparison(function)) return params;
  params.out_scale = out.quant.scale();
  params.out_zero_point = out.quant.zero_point();
  return params;
}

// Reference over one run, for functions without a vectorized run.
template <typename Out, typename In, bool kAAdvances, bool kBAdvances, typename F>
void ScalarLoop(const void* a, const void* b, void* out, const binary::Rows& rows, F function) {
  const In* pa = static_cast<const In*>(a);
  const In* pb = static_cast<const In*>(b);
  Out* to = static_cast<Out*>(out);
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t k = 0; k < rows.length; ++k) {
      const int64_t i = row * rows.stride + k;
      to[i] = static_cast<Out>(function(pa[kAAdvances ? i : 0], pb[kBAdvances ? i : 0]));
    }
  }
}

template <typename Out, bool kAAdvances, bool kBAdvances>
void ScalarRun(const BinaryParams& p, const void* a, const void* b, void* out,
               const binary::Rows& rows) {
  ScalarLoop<Out, float, kAAdvances, kBAdvances>(
      a, b, out, rows, [&p](float x, float y) { return EvaluateBinary(p.function, x, y); });
}

binary::Run ScalarRunOf(bool compares, binary::Mode mode) {
  switch (mode) {
    case binary::kAStays:
      return compares ? &ScalarRun<uint8_t, false, true> : &ScalarRun<float, false, true>;
    case binary::kBStays:
      return compares ? &ScalarRun<uint8_t, true, false> : &ScalarRun<float, true, false>;
    default:
      return compares ? &ScalarRun<uint8_t, true, true> : &ScalarRun<float, true, true>;
  }
}

binary::Mode ModeOf(const BroadcastLoop& loop) {
  if (loop.step(0) == 0) return binary::kAStays;
  return loop.step(1) == 0 ? binary::kBStays : binary::kBothAdvance;
}

// What a run gives each pair of uint8, [a][b].
std::vector<uint8_t> AllPairs(const BinaryParams& params, binary::Run run) {
  std::array<uint8_t, 256> a, b;
  std::iota(b.begin(), b.end(), uint8_t{0});
  std::vector<uint8_t> all(a.size() * b.size());
  for (size_t value = 0; value < a.size(); ++value) {
    a.fill(static_cast<uint8_t>(value));
    run(params, a.data(), b.data(), &all[value * b.size()], {static_cast<int64_t>(b.size())});
  }
  return all;
}

// `x` that many floats up or down.
float Moved(float x, int floats) {
  const float to =
      floats < 0 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  for (int i = 0; i < std::abs(floats); ++i) x = std::nextafter(x, to);
  return x;
}

// Finding a short sum takes as long as some hundred thousand elements.
constexpr int64_t kLeastShortSum = 16384;

// A prepared loop over runs. Immutable while it runs.
struct Plan {
  BinaryParams params;
  BroadcastLoop loop;
  int64_t elements = 0;
  size_t in_size = 0;  // bytes of an element
  size_t out_size = 0;
  binary::Run run = nullptr;
  // For [M, C] with a short operand of C elements: number of copies of that operand
  // in scratch memory, so that runs are long. 0 in all other cases.
  int64_t repeats = 0;
  size_t repeated_operand = 0;

  size_t scratch_bytes() const { return static_cast<size_t>(repeats * loop.dims.back()) * in_size; }
};

const uint8_t* At(const KernelArgs& args, size_t operand, int64_t index, size_t size) {
  return args.input<uint8_t>(operand) + static_cast<size_t>(index) * size;
}

void RunBlocks(const Plan& plan, const KernelArgs& args) {
  const int64_t blocks = (plan.elements + kBlock - 1) / kBlock;
  args.pool->ParallelFor(blocks, [&](int64_t block, int) {
    const int64_t end = std::min(plan.elements, (block + 1) * kBlock);
    ForEachRun<2>(plan.loop, block * kBlock, end,
                  [&](int64_t at, const std::array<int64_t, 2>& offsets, int64_t length) {
                    plan.run(plan.params, At(args, 0, offsets[0], plan.in_size),
                             At(args, 1, offsets[1], plan.in_size),
                             args.output<uint8_t>(0) + static_cast<size_t>(at) * plan.out_size,
                             binary::Rows{length});
                  });
  });
}

void RunRepeated(const Plan& plan, const KernelArgs& args) {
  const int64_t channels = plan.loop.dims[1];
  const int64_t rows = plan.loop.dims[0];
  // Whole groups of `repeats` rows, kBlock elements or a little less.
  const int64_t block_rows = kBlock / (channels * plan.repeats) * plan.repeats;
  args.pool->ParallelFor((rows + block_rows - 1) / block_rows, [&](int64_t block, int worker) {
    uint8_t* repeated = args.WorkerScratch(worker);
    const size_t row_bytes = static_cast<size_t>(channels) * plan.in_size;
    for (int64_t i = 0; i < plan.repeats; ++i) {
      std::memcpy(repeated + static_cast<size_t>(i) * row_bytes, args.inputs[plan.repeated_operand],
                  row_bytes);
    }
    const int64_t last = std::min(rows, (block + 1) * block_rows);
    for (int64_t row = block * block_rows; row < last; row += plan.repeats) {
      const void* operands[2] = {repeated, repeated};
      operands[1 - plan.repeated_operand] =
          At(args, 1 - plan.repeated_operand, row * channels, plan.in_size);
      plan.run(plan.params, operands[0], operands[1],
               args.output<uint8_t>(0) + static_cast<size_t>(row * channels) * plan.out_size,
               binary::Rows{std::min(plan.repeats, last - row) * channels});
    }
  });
}

// Sets repeats where the loop is [M, C], both operands advance along C and one
// of them is the same in each row.
void ChooseRepeats(Plan& plan) {
  const BroadcastLoop& loop = plan.loop;
  if (loop.dims.size() != 2 || ModeOf(loop) != binary::kBothAdvance) return;
  for (size_t k = 0; k < 2; ++k) {
    const bool repeats = loop.strides[k][0] == 0 && loop.strides[1 - k][0] == loop.dims[1];
    if (!repeats || loop.dims[1] * 2 > kRepeated) continue;
    plan.repeats = kRepeated / loop.dims[1];
    plan.repeated_operand = k;
  }
}

}  // namespace

namespace binary {

absl::optional<ShortSum> FindShortSum(const BinaryParams& params, Run run) {
  const bool is_sum = params.function == BinaryFunction::kAdd;
  if (!is_sum && params.function != BinaryFunction::kSub) return absl::nullopt;
  const double a_by = double{params.a_scale} / params.out_scale;
  const double b_by = (is_sum ? 1 : -1) * double{params.b_scale} / params.out_scale;
  const double start = -(a_by * params.a_zero_point + b_by * params.b_zero_point);
  constexpr double kMost = 1 << 20;  // of what keeps sums of bytes far within an int32
  if (!(std::abs(a_by) < kMost && std::abs(b_by) < kMost)) return absl::nullopt;
  const std::vector<uint8_t> expected = AllPairs(params, run);
  BinaryParams brief = params;
  // The definition has roundings of its own, so that sums near the middle of two integers may go
  // either way: where the nearest floats differ from it in a pair or two, their neighbours may not.
  for (const int start_step : {0, 1, -1, 2, -2}) {
    for (const int a_step : {0, 1, -1}) {
      for (const int b_step : {0, 1, -1}) {
        brief.short_sum = ShortSum{Moved(static_cast<float>(a_by), a_step),
                                   Moved(static_cast<float>(b_by), b_step),
                                   Moved(static_cast<float>(start), start_step)};
        if (AllPairs(brief, run) == expected) return brief.short_sum;
      }
    }
  }
  return absl::nullopt;
}

}  // namespace binary

absl::StatusOr<Kernel> PrepareBinary(BinaryFunction function, const Clamp& clamp,
                                     const PrepareContext& context) {
  ASSIGN_OR_RETURN(const BinaryParams params, MakeParams(function, clamp, context));
  const TensorType& out = context.outputs[0];
  if (out.shape.elements() == 0) return Kernel{[](const KernelArgs&) {}};
  Plan plan{.params = params};
  const std::vector<Shape> shapes = {context.inputs[0].shape, context.inputs[1].shape};
  plan.loop = MakeBroadcastLoop(out.shape, shapes);
  plan.elements = out.shape.elements();
  plan.in_size = SizeOf(context.inputs[0].dtype);
  plan.out_size = SizeOf(out.dtype);
  if (context.path == KernelPath::kFast) {
    const DataType type = context.inputs[0].dtype;
    plan.run = binary::FindRun(function, type, ModeOf(plan.loop));
    if (plan.run != nullptr && type == DataType::kUint8 && plan.elements >= kLeastShortSum &&
        ModeOf(plan.loop) == binary::kBothAdvance) {
      plan.params.short_sum = binary::FindShortSum(params, plan.run);
    }
    if (plan.run == nullptr && type == DataType::kFloat32) {
      plan.run = ScalarRunOf(IsComparison(function), ModeOf(plan.loop));
    }
  }
  if (plan.run == nullptr) {
    const std::vector<TensorType> inputs(context.inputs.begin(), context.inputs.end());
    return Kernel{[params, inputs, out](const KernelArgs& args) {
      binary::Reference(params, inputs, out, args);
    }};
  }
  ChooseRepeats(plan);
  Kernel kernel;
  kernel.scratch_bytes = plan.scratch_bytes();
  kernel.run = [plan = std::move(plan)](const KernelArgs& args) {
    return plan.repeats > 0 ? RunRepeated(plan, args) : RunBlocks(plan, args);
  };
  return kernel;
}

namespace {

Arithmetic ArithmeticOf(BinaryFunction function) {
  switch (function) {
    case BinaryFunction::kAdd:
      return Arithmetic::kSum;
    case BinaryFunction::kSub:
      return Arithmetic::kDifference;
    case BinaryFunction::kMul:
      return Arithmetic::kProduct;
    case BinaryFunction::kDiv:
      return Arithmetic::kQuotient;
    case BinaryFunction::kMaximum:
      return Arithmetic::kMaximum;
    default:
      return Arithmetic::kNone;
  }
}

// Indexed by BinaryFunction.
constexpr absl::string_view kNames[] = {"add", "sub", "mul",   "div",   "minimum", "maximum",
                                        "pow", "mod", "prelu", "equal", "less",    "greater"};

template <BinaryFunction kFunction>
OpDef Define() {
  return OpDef{
      .name = kNames[static_cast<size_t>(kFunction)],
      .operands = {OperandRole::kActivation, OperandRole::kActivation},
      .required = 2,
      .infer = &Infer<kFunction>,
      .prepare = &Prepare<kFunction>,
      .quant_rule = IsComparison(kFunction) ? QuantRule::kNotQuantized : QuantRule::kOwnRange,
      .in_place = !IsComparison(kFunction),
      .elementwise = true,
      .arithmetic = ArithmeticOf(kFunction),
      .fused_clamp = TakesClamp(kFunction),
      .stays_real = !IsComparison(kFunction),
  };
}

}  // namespace

absl::optional<BinaryFunction> FindBinary(absl::string_view name) {
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return absl::nullopt;
  return static_cast<BinaryFunction>(found - std::begin(kNames));
}

absl::Span<const OpDef> BinaryOps() {
  static const auto* const ops = new std::vector<OpDef>{
      Define<BinaryFunction::kAdd>(),     Define<BinaryFunction::kSub>(),
      Define<BinaryFunction::kMul>(),     Define<BinaryFunction::kDiv>(),
      Define<BinaryFunction::kMinimum>(), Define<BinaryFunction::kMaximum>(),
      Define<BinaryFunction::kPow>(),     Define<BinaryFunction::kMod>(),
      Define<BinaryFunction::kEqual>(),   Define<BinaryFunction::kLess>(),
      Define<BinaryFunction::kGreater>(),
  };
  return *ops;
}

}  // namespace synap_internal
