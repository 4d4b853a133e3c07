#include "kernels/emulated_types.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/aligned_memory.h"
#include "base/status_macros.h"
#include "kernels/emulated_conversion.h"
#include "kernels/emulated_parts.h"
#include "kernels/operands.h"

namespace synap_internal {
namespace {

constexpr int32_t kZeroPointShift = 128;  // from int8 to uint8

bool IsPerTensor(const QuantParams& quant) {
  return quant.quantized() && quant.scheme != QuantScheme::kPerChannelSymmetric;
}

std::vector<TensorType> ComputeTypesOf(const OpDef& op, absl::Span<const TensorType> types) {
  std::vector<TensorType> compute_types;
  for (const TensorType& type : types) compute_types.push_back(ComputeType(op, type));
  return compute_types;
}

// An operand or a result that is converted to or from its compute type.
struct Converted {
  size_t index;
  EmulatedConversion conversion;  // to the compute type for operands, from it for results
  size_t offset;                  // of the converted data in the shared memory
  AlignedMemory constant;         // the converted data, if the operand is constant
};

// A kernel in compute types, and the conversions around it.
struct Plan {
  Kernel kernel;
  std::vector<Converted> inputs;
  std::vector<Converted> outputs;
  size_t shared_bytes = 0;  // of the converted data
  // Arguments of `kernel`; set by each run. Runs don't overlap.
  std::vector<const void*> input_data;
  std::vector<void*> output_data;

  size_t Reserve(size_t bytes) {
    return std::exchange(shared_bytes, shared_bytes + AlignedMemory::RoundUp(bytes));
  }
};

void Run(Plan& plan, const KernelArgs& args) {
  std::copy(args.inputs.begin(), args.inputs.end(), plan.input_data.begin());
  std::copy(args.outputs.begin(), args.outputs.end(), plan.output_data.begin());
  for (const Converted& input : plan.inputs) {
    const void*& data = plan.input_data[input.index];
    if (input.constant.data() != nullptr) {
      data = input.constant.data();
      continue;
    }
    uint8_t* converted = args.shared + input.offset;
    input.conversion.RunAll(data, converted, *args.pool);
    data = converted;
  }
  for (const Converted& output : plan.outputs) {
    plan.output_data[output.index] = args.shared + output.offset;
  }
  plan.kernel.run({plan.input_data, plan.output_data, args.pool, args.scratch, args.scratch_stride,
                   args.shared + plan.shared_bytes});
  for (const Converted& output : plan.outputs) {
    output.conversion.RunAll(args.shared + output.offset, args.outputs[output.index], *args.pool);
  }
}

bool HaveSameTypes(absl::Span<const TensorType> types, absl::Span<const TensorType> compute_types) {
  return std::equal(types.begin(), types.end(), compute_types.begin(), compute_types.end(),
                    [](const TensorType& a, const TensorType& b) { return a.dtype == b.dtype; });
}

size_t BytesOf(const TensorType& type) { return static_cast<size_t>(type.bytes()); }

}  // namespace

TensorType ComputeType(const OpDef& op, const TensorType& type) {
  const QuantParams& quant = type.quant;
  if (op.own_types == OwnTypes::kAny) return type;
  if (type.dtype == DataType::kFloat16) return {DataType::kFloat32, type.shape, {}};
  if (!IsPerTensor(quant)) return type;
  if (type.dtype == DataType::kInt8) {
    return {DataType::kUint8, type.shape,
            QuantParams::Affine(quant.scale(), quant.zero_point() + kZeroPointShift)};
  }
  if (type.dtype == DataType::kInt16 && op.own_types == OwnTypes::kFloat32Uint8) {
    return {DataType::kFloat32, type.shape, {}};
  }
  return {type.dtype, type.shape, QuantParams::Affine(quant.scale(), quant.zero_point())};
}

absl::StatusOr<std::vector<TensorType>> InferOp(const OpDef& op, const InferContext& context) {
  RETURN_IF_ERROR(CheckOperands(op, context.inputs));
  const std::vector<TensorType> compute_types = ComputeTypesOf(op, context.inputs);
  ASSIGN_OR_RETURN(std::vector<TensorType> outputs, op.infer({compute_types, context.attributes}));
  // An output has the type of the first operand that it was inferred from.
  for (TensorType& output : outputs) {
    for (size_t i = 0; i < compute_types.size(); ++i) {
      if (compute_types[i].dtype != output.dtype) continue;
      const TensorType& data = context.inputs[i];
      if (compute_types[i].dtype == data.dtype && compute_types[i].quant == data.quant) break;
      output.dtype = data.dtype;
      output.quant = op.quant_rule == QuantRule::kSameAsInput ? data.quant : QuantParams();
      break;
    }
  }
  return outputs;
}

absl::StatusOr<Kernel> PrepareOp(const OpDef& op, const PrepareContext& context) {
  const ComputeTypes compute_types = {ComputeTypesOf(op, context.inputs),
                                      ComputeTypesOf(op, context.outputs)};
  const auto& [inputs, outputs] = compute_types;
  std::vector<const void*> constants(context.constants.begin(), context.constants.end());
  constants.resize(inputs.size());
  if (HaveSameTypes(context.inputs, inputs) && HaveSameTypes(context.outputs, outputs)) {
    return op.prepare({inputs, outputs, constants, context.attributes, context.path});
  }
  ASSIGN_OR_RETURN(
      std::optional<Kernel> parts,
      PrepareParts(op,
                   {context.inputs, context.outputs, constants, context.attributes, context.path},
                   compute_types));
  if (parts.has_value()) return *std::move(parts);
  auto plan = std::make_shared<Plan>();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype == context.inputs[i].dtype) continue;
    Converted input{i, EmulatedConversion(context.inputs[i], inputs[i], context.path), 0, {}};
    if (constants[i] != nullptr) {
      ASSIGN_OR_RETURN(input.constant, input.conversion.Converted(constants[i]));
      constants[i] = input.constant.data();
    } else {
      input.offset = plan->Reserve(BytesOf(inputs[i]));
    }
    plan->inputs.push_back(std::move(input));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype == context.outputs[i].dtype) continue;
    plan->outputs.push_back({i, EmulatedConversion(outputs[i], context.outputs[i], context.path),
                             plan->Reserve(BytesOf(outputs[i])), AlignedMemory()});
  }
  ASSIGN_OR_RETURN(plan->kernel,
                   op.prepare({inputs, outputs, constants, context.attributes, context.path}));
  plan->input_data.resize(inputs.size());
  plan->output_data.resize(outputs.size());
  Kernel kernel;
  kernel.scratch_bytes = plan->kernel.scratch_bytes;
  kernel.shared_bytes = plan->shared_bytes + AlignedMemory::RoundUp(plan->kernel.shared_bytes);
  kernel.run = [plan](const KernelArgs& args) { Run(*plan, args); };
  return kernel;
}

}  // namespace synap_internal
