#include "kernels/stand_in.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/aligned_memory.h"
#include "base/status_macros.h"
#include "kernels/convert/convert.h"
#include "kernels/operands.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a task
constexpr int32_t kSignBit = 128;  // from int8 to uint8
constexpr uint64_t kSignBits = 0x8080808080808080u;

bool IsPerTensor(const QuantParams& quant) {
  return quant.quantized() && quant.scheme != QuantScheme::kPerChannelSymmetric;
}

void FlipSigns(const uint8_t* from, uint8_t* to, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, from + i, sizeof(bytes));
    bytes ^= kSignBits;
    std::memcpy(to + i, &bytes, sizeof(bytes));
  }
  for (; i < n; ++i) to[i] = static_cast<uint8_t>(from[i] ^ kSignBit);
}

// Conversion of elements to another type that holds the same numbers.
// REQUIRES: one of the types is the other's stand-in.
class Conversion {
 public:
  Conversion(const TensorType& from, const TensorType& to, KernelPath path)
      : from_(from.dtype), to_(to.dtype), elements_(from.shape.elements()) {
    const bool fast = path == KernelPath::kFast;
    const bool half = from_ == DataType::kFloat16 || to_ == DataType::kFloat16;
    if (half) {
      cast_ = fast ? convert::FindCast(from_, to_) : &convert::ReferenceCast;
    } else if (SizeOf(from_) != 1) {
      quantize_ = fast ? convert::FindQuantize(from_, to_) : convert::ReferenceQuantize(from_, to_);
      const QuantParams& quant = from.quant.quantized() ? from.quant : to.quant;
      quantizer_ = {quant.scale(), quant.zero_point()};
    }
  }

  int64_t blocks() const { return (elements_ + kBlock - 1) / kBlock; }

  void RunBlock(int64_t block, const void* from, void* to) const {
    const int64_t begin = block * kBlock;
    const int64_t n = std::min(kBlock, elements_ - begin);
    const auto* x = static_cast<const uint8_t*>(from) + begin * static_cast<int64_t>(SizeOf(from_));
    auto* y = static_cast<uint8_t*>(to) + begin * static_cast<int64_t>(SizeOf(to_));
    if (cast_ != nullptr) {
      cast_(from_, to_, x, y, n);
    } else if (quantize_ != nullptr) {
      quantize_(quantizer_, quantizer_, x, y, n);
    } else {
      FlipSigns(x, y, n);
    }
  }

 private:
  DataType from_;
  DataType to_;
  int64_t elements_;
  convert::Cast cast_ = nullptr;
  convert::Run quantize_ = nullptr;
  convert::Quantizer quantizer_;
};

std::vector<TensorType> StandIns(const OpDef& op, absl::Span<const TensorType> types) {
  std::vector<TensorType> stand_ins;
  for (const TensorType& type : types) stand_ins.push_back(StandIn(op, type));
  return stand_ins;
}

// An operand or a result that is converted to or from its stand-in type.
struct Converted {
  size_t index;
  Conversion conversion;   // to the stand-in for operands, from it for results
  size_t offset;           // of the stand-in's data in the shared memory
  AlignedMemory constant;  // the stand-in's data, if the operand is constant
};

// A kernel over stand-ins, and the conversions around it.
struct Plan {
  Kernel kernel;
  std::vector<Converted> inputs;
  std::vector<Converted> outputs;
  size_t shared_bytes = 0;  // of the stand-ins' data
  // Arguments of `kernel`; set by each run. Runs don't overlap.
  std::vector<const void*> input_data;
  std::vector<void*> output_data;

  size_t Reserve(size_t bytes) {
    return std::exchange(shared_bytes, shared_bytes + AlignedMemory::RoundUp(bytes));
  }
};

void ConvertAll(const Conversion& conversion, const void* from, void* to, ThreadPool& pool) {
  pool.ParallelFor(conversion.blocks(),
                   [&](int64_t block, int) { conversion.RunBlock(block, from, to); });
}

void Run(Plan& plan, const KernelArgs& args) {
  std::copy(args.inputs.begin(), args.inputs.end(), plan.input_data.begin());
  std::copy(args.outputs.begin(), args.outputs.end(), plan.output_data.begin());
  for (const Converted& input : plan.inputs) {
    const void*& data = plan.input_data[input.index];
    if (input.constant.data() != nullptr) {
      data = input.constant.data();
      continue;
    }
    uint8_t* stand_in = args.shared + input.offset;
    ConvertAll(input.conversion, data, stand_in, *args.pool);
    data = stand_in;
  }
  for (const Converted& output : plan.outputs) {
    plan.output_data[output.index] = args.shared + output.offset;
  }
  plan.kernel.run({plan.input_data, plan.output_data, args.pool, args.scratch, args.scratch_stride,
                   args.shared + plan.shared_bytes});
  for (const Converted& output : plan.outputs) {
    ConvertAll(output.conversion, args.shared + output.offset, args.outputs[output.index],
               *args.pool);
  }
}

absl::StatusOr<AlignedMemory> ConvertedConstant(const Conversion& conversion, const void* data,
                                                size_t bytes) {
  AlignedMemory memory(bytes);
  if (memory.data() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("can't allocate ", bytes, " bytes for a converted constant"));
  }
  for (int64_t block = 0; block < conversion.blocks(); ++block) {
    conversion.RunBlock(block, data, memory.data());
  }
  return memory;
}

size_t BytesOf(const TensorType& type) { return static_cast<size_t>(type.bytes()); }

}  // namespace

TensorType StandIn(const OpDef& op, const TensorType& type) {
  const QuantParams& quant = type.quant;
  if (op.own_types == OwnTypes::kAny) return type;
  if (type.dtype == DataType::kFloat16) return {DataType::kFloat32, type.shape, {}};
  if (!IsPerTensor(quant)) return type;
  if (type.dtype == DataType::kInt8) {
    return {DataType::kUint8, type.shape,
            QuantParams::Affine(quant.scale(), quant.zero_point() + kSignBit)};
  }
  if (type.dtype == DataType::kInt16 && op.own_types == OwnTypes::kFloat32Uint8) {
    return {DataType::kFloat32, type.shape, {}};
  }
  return {type.dtype, type.shape, QuantParams::Affine(quant.scale(), quant.zero_point())};
}

absl::StatusOr<std::vector<TensorType>> InferOp(const OpDef& op, const InferContext& context) {
  RETURN_IF_ERROR(CheckOperands(op, context.inputs));
  const std::vector<TensorType> stand_ins = StandIns(op, context.inputs);
  ASSIGN_OR_RETURN(std::vector<TensorType> outputs, op.infer({stand_ins, context.attributes}));
  // An output has the type of the first operand that it was inferred from.
  for (TensorType& output : outputs) {
    for (size_t i = 0; i < stand_ins.size(); ++i) {
      if (stand_ins[i].dtype != output.dtype) continue;
      const TensorType& data = context.inputs[i];
      if (stand_ins[i].dtype == data.dtype && stand_ins[i].quant == data.quant) break;
      output.dtype = data.dtype;
      output.quant = op.quant_rule == QuantRule::kSameAsInput ? data.quant : QuantParams();
      break;
    }
  }
  return outputs;
}

absl::StatusOr<Kernel> PrepareOp(const OpDef& op, const PrepareContext& context) {
  const std::vector<TensorType> inputs = StandIns(op, context.inputs);
  const std::vector<TensorType> outputs = StandIns(op, context.outputs);
  auto plan = std::make_shared<Plan>();
  std::vector<const void*> constants(context.constants.begin(), context.constants.end());
  constants.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype == context.inputs[i].dtype) continue;
    Converted input{i, Conversion(context.inputs[i], inputs[i], context.path), 0, {}};
    if (constants[i] != nullptr) {
      ASSIGN_OR_RETURN(input.constant,
                       ConvertedConstant(input.conversion, constants[i], BytesOf(inputs[i])));
      constants[i] = input.constant.data();
    } else {
      input.offset = plan->Reserve(BytesOf(inputs[i]));
    }
    plan->inputs.push_back(std::move(input));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].dtype == context.outputs[i].dtype) continue;
    plan->outputs.push_back({i, Conversion(outputs[i], context.outputs[i], context.path),
                             plan->Reserve(BytesOf(outputs[i])), AlignedMemory()});
  }
  ASSIGN_OR_RETURN(plan->kernel,
                   op.prepare({inputs, outputs, constants, context.attributes, context.path}));
  if (plan->inputs.empty() && plan->outputs.empty()) return std::move(plan->kernel);
  plan->input_data.resize(inputs.size());
  plan->output_data.resize(outputs.size());
  Kernel kernel;
  kernel.scratch_bytes = plan->kernel.scratch_bytes;
  kernel.shared_bytes = plan->shared_bytes + AlignedMemory::RoundUp(plan->kernel.shared_bytes);
  kernel.run = [plan](const KernelArgs& args) { Run(*plan, args); };
  return kernel;
}

}  // namespace synap_internal
