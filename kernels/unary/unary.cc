#include "kernels/unary/unary.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/lookup/lookup.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a task

Clamp ReadClamp(AttributeReader& reader) {
  const Clamp unbounded;
  return {reader.Float("min", unbounded.min), reader.Float("max", unbounded.max)};
}

absl::StatusOr<UnaryParams> ReadClip(const Attributes& attributes) {
  AttributeReader reader(attributes);
  const Clamp limits = ReadClamp(reader);
  const UnaryParams params{UnaryFunction::kClip, limits.min, limits.max};
  RETURN_IF_ERROR(reader.Finish());
  if (params.alpha <= params.beta) return params;
  return absl::InvalidArgumentError(absl::StrCat("min is ", FloatToString(params.alpha),
                                                 " and max is ", FloatToString(params.beta),
                                                 ", expected min <= max (unary_c2)"));
}

absl::StatusOr<UnaryParams> ReadParams(UnaryFunction function, const Attributes& attributes) {
  if (function == UnaryFunction::kClip) return ReadClip(attributes);
  AttributeReader reader(attributes);
  UnaryParams params{function};
  switch (function) {
    case UnaryFunction::kLeakyRelu:
      params.alpha = reader.Float("alpha", 0.01f);
      break;
    case UnaryFunction::kElu:
      params.alpha = reader.Float("alpha", 1.0f);
      break;
    case UnaryFunction::kHardSigmoid:
      params.alpha = reader.Float("alpha", 0.2f);
      params.beta = reader.Float("beta", 0.5f);
      break;
    case UnaryFunction::kGelu:
      if (reader.Int("approximate", 0) != 0) params.function = UnaryFunction::kGeluApproximate;
      break;
    default:
      break;
  }
  RETURN_IF_ERROR(reader.Finish());
  if (std::isfinite(params.alpha) && std::isfinite(params.beta)) return params;
  return absl::InvalidArgumentError(absl::StrCat("alpha is ", FloatToString(params.alpha),
                                                 " and beta is ", FloatToString(params.beta),
                                                 ", expected finite numbers (unary_c3)"));
}

bool TakesIntegers(UnaryFunction function) {
  return function == UnaryFunction::kAbs || function == UnaryFunction::kNeg ||
         function == UnaryFunction::kSign || function == UnaryFunction::kSquare;
}

bool TakesType(UnaryFunction function, DataType type) {
  if (function == UnaryFunction::kLogicalNot) return type == DataType::kBool;
  if (type == DataType::kInt32 || type == DataType::kInt64) return TakesIntegers(function);
  return type == DataType::kFloat32 || type == DataType::kUint8;
}

template <UnaryFunction kFunction>
absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  if (!TakesType(kFunction, x.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("x of type ", Name(x.dtype), ", which this op does not take (unary_c1)"));
  }
  RETURN_IF_ERROR(ReadParams(kFunction, context.attributes).status());
  return std::vector<TensorType>{{x.dtype, x.shape, {}}};
}

// A kernel that calls run over blocks of the elements.
template <typename T>
Kernel BlockKernel(void (*run)(const UnaryParams&, const T*, T*, int64_t),
                   const UnaryParams& params, int64_t elements) {
  return Kernel{[run, params, elements](const KernelArgs& args) {
    args.pool->ParallelFor((elements + kBlock - 1) / kBlock, [&](int64_t block, int) {
      const int64_t begin = block * kBlock;
      run(params, args.input<T>(0) + begin, args.output<T>(0) + begin,
          std::min(kBlock, elements - begin));
    });
  }};
}

bool IsAffine(const QuantParams& quant) {
  return quant.quantized() && quant.scheme != QuantScheme::kPerChannelSymmetric;
}

ByteTable NotTable() {
  ByteTable table = {};
  table[0] = 1;
  return table;
}

template <UnaryFunction kFunction>
absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  ASSIGN_OR_RETURN(const UnaryParams params, ReadParams(kFunction, context.attributes));
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  if (x.dtype != out.dtype || !TakesType(kFunction, x.dtype)) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for ", Name(x.dtype), " to ", Name(out.dtype)));
  }
  const bool fast = context.path == KernelPath::kFast;
  const int64_t elements = out.shape.elements();
  switch (x.dtype) {
    case DataType::kFloat32:
      return BlockKernel<float>(fast ? unary::FindRun(params.function) : &unary::Reference, params,
                                elements);
    case DataType::kInt32:
      return BlockKernel<int32_t>(&unary::ReferenceInt32, params, elements);
    case DataType::kInt64:
      return BlockKernel<int64_t>(&unary::ReferenceInt64, params, elements);
    case DataType::kBool:
      return MakeLookupKernel(NotTable(), elements, context.path);
    default:
      break;
  }
  if (!IsAffine(x.quant) || !IsAffine(out.quant)) {
    return absl::UnimplementedError("no kernel for uint8 without a quantizer per tensor");
  }
  return MakeLookupKernel(unary::ReferenceTable(params, x.quant, out.quant), elements,
                          context.path);
}

template <UnaryFunction kFunction>
OpDef Define(absl::string_view name) {
  return OpDef{.name = name,
               .operands = {OperandRole::kActivation},
               .infer = &Infer<kFunction>,
               .prepare = &Prepare<kFunction>,
               .in_place = true,
               .elementwise = true,
               .stays_real = true};
}

template <UnaryFunction kFunction>
OpDef DefineInRange(absl::string_view name, float min, float max) {
  OpDef op = Define<kFunction>(name);
  op.quant_rule = QuantRule::kFixedRange;
  op.fixed_min = min;
  op.fixed_max = max;
  return op;
}

OpDef DefineLogicalNot() {
  OpDef op = Define<UnaryFunction::kLogicalNot>("logical_not");
  op.quant_rule = QuantRule::kNotQuantized;
  op.stays_real = false;
  return op;
}

OpDef DefineSigmoid() {
  OpDef op = DefineInRange<UnaryFunction::kSigmoid>("sigmoid", 0, 1);
  op.probability = Probability::kSigmoid;
  return op;
}

template <UnaryFunction kFunction>
OpDef DefineClamp(absl::string_view name, Clamp (*clamp)(const Attributes&)) {
  OpDef op = Define<kFunction>(name);
  op.clamp = clamp;
  return op;
}

Clamp LimitsOfRelu(const Attributes&) { return {.min = 0}; }
Clamp LimitsOfRelu6(const Attributes&) { return {0, 6}; }
Clamp LimitsOfClip(const Attributes& attributes) {
  AttributeReader reader(attributes);
  return ReadClamp(reader);
}

struct Row {
  UnaryFunction function;
  OpDef op;
};

template <UnaryFunction kFunction>
Row MakeRow(absl::string_view name) {
  return {kFunction, Define<kFunction>(name)};
}

template <UnaryFunction kFunction>
Row MakeRow(absl::string_view name, float min, float max) {
  return {kFunction, DefineInRange<kFunction>(name, min, max)};
}

const std::vector<Row>& Rows() {
  static const auto* const rows = new std::vector<Row>{
      {UnaryFunction::kRelu, DefineClamp<UnaryFunction::kRelu>("relu", &LimitsOfRelu)},
      {UnaryFunction::kRelu6, DefineClamp<UnaryFunction::kRelu6>("relu6", &LimitsOfRelu6)},
      {UnaryFunction::kClip, DefineClamp<UnaryFunction::kClip>("clip", &LimitsOfClip)},
      MakeRow<UnaryFunction::kLeakyRelu>("leaky_relu"),
      {UnaryFunction::kSigmoid, DefineSigmoid()},
      MakeRow<UnaryFunction::kHardSigmoid>("hard_sigmoid", 0, 1),
      MakeRow<UnaryFunction::kTanh>("tanh", -1, 1),
      MakeRow<UnaryFunction::kSilu>("silu"),
      MakeRow<UnaryFunction::kHardSwish>("hard_swish"),
      MakeRow<UnaryFunction::kGelu>("gelu"),
      MakeRow<UnaryFunction::kErf>("erf", -1, 1),
      MakeRow<UnaryFunction::kElu>("elu"),
      MakeRow<UnaryFunction::kMish>("mish"),
      MakeRow<UnaryFunction::kSoftplus>("softplus"),
      MakeRow<UnaryFunction::kExp>("exp"),
      MakeRow<UnaryFunction::kLog>("log"),
      MakeRow<UnaryFunction::kSqrt>("sqrt"),
      MakeRow<UnaryFunction::kRsqrt>("rsqrt"),
      MakeRow<UnaryFunction::kReciprocal>("reciprocal"),
      MakeRow<UnaryFunction::kSquare>("square"),
      MakeRow<UnaryFunction::kAbs>("abs"),
      MakeRow<UnaryFunction::kNeg>("neg"),
      MakeRow<UnaryFunction::kSign>("sign"),
      MakeRow<UnaryFunction::kFloor>("floor"),
      MakeRow<UnaryFunction::kCeil>("ceil"),
      MakeRow<UnaryFunction::kRound>("round"),
      MakeRow<UnaryFunction::kSin>("sin", -1, 1),
      MakeRow<UnaryFunction::kCos>("cos", -1, 1),
      MakeRow<UnaryFunction::kTan>("tan"),
      MakeRow<UnaryFunction::kAsin>("asin"),
      MakeRow<UnaryFunction::kAcos>("acos"),
      MakeRow<UnaryFunction::kAtan>("atan"),
      MakeRow<UnaryFunction::kSinh>("sinh"),
      MakeRow<UnaryFunction::kCosh>("cosh"),
      MakeRow<UnaryFunction::kAsinh>("asinh"),
      MakeRow<UnaryFunction::kAcosh>("acosh"),
      MakeRow<UnaryFunction::kAtanh>("atanh"),
      {UnaryFunction::kLogicalNot, DefineLogicalNot()},
  };
  return *rows;
}

}  // namespace

absl::Span<const OpDef> UnaryOps() {
  static const auto* const ops = [] {
    auto* made = new std::vector<OpDef>();
    for (const Row& row : Rows()) made->push_back(row.op);
    return made;
  }();
  return *ops;
}

absl::StatusOr<UnaryParams> FloatUnary(absl::string_view name, const Attributes& attributes) {
  for (const Row& row : Rows()) {
    if (row.op.name != name || row.function == UnaryFunction::kLogicalNot) continue;
    return ReadParams(row.function, attributes);
  }
  return absl::NotFoundError(
      absl::StrCat("'", name, "' is no function of one operand, expected one such as relu"));
}

}  // namespace synap_internal
