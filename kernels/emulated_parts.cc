#include "kernels/emulated_parts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/aligned_memory.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "kernels/emulated_conversion.h"
#include "kernels/shared/broadcast/broadcast.h"

namespace synap_internal {
namespace {

// Of a part's floats: with the other operands' they stay in the second-level cache.
constexpr int64_t kPartBytes = 16384;
constexpr int64_t kMostRowBytes = 4 * kPartBytes;
constexpr size_t kMostOperands = 3;

// The loop over an elementwise op's output has rows: the positions of its outermost dimension. An
// operand advances if each row has elements of its own, or stays if all rows share them.
bool Advances(absl::Span<const int64_t> strides) { return strides[0] != 0; }

// Shape of `count` rows of an operand with these strides, or of its one row if it stays.
Shape PartOf(const BroadcastLoop& loop, absl::Span<const int64_t> strides, int64_t count) {
  std::vector<int64_t> dims = {Advances(strides) ? count : 1};
  for (size_t d = 1; d < strides.size(); ++d) dims.push_back(strides[d] != 0 ? loop.dims[d] : 1);
  return Shape(std::move(dims));
}

// An operand or the result. Its values in the compute type are made
//   when the kernel is prepared, if it is constant;
//   before the parts, if it stays: in the shared memory;
//   for each part, else: in the worker's scratch.
struct Operand {
  std::optional<EmulatedConversion> conversion;  // none: it is computed as it is
  AlignedMemory constant;                        // in the compute type
  int64_t row_elements = 0;                      // 0: it stays
  int64_t size = 0;                              // bytes of an element
  int64_t computed_size = 0;
  size_t offset = 0;  // of the converted data

  bool IsMadeBefore() const {
    return conversion.has_value() && constant.data() == nullptr && row_elements == 0;
  }
  bool IsMadeForParts() const {
    return conversion.has_value() && constant.data() == nullptr && row_elements > 0;
  }
};

struct Plan {
  int64_t rows = 0;
  int64_t part_rows = 0;
  std::vector<Operand> inputs;
  Operand output;
  size_t part_bytes = 0;    // of a part's converted data, which a worker's scratch begins with
  size_t shared_bytes = 0;  // of what is converted before
  Kernel kernel;            // over part_rows rows
  Kernel last_kernel;       // over those of the last part
  ThreadPool alone{1};      // for the kernels, which run inside of tasks
};

void RunPart(Plan& plan, const KernelArgs& args, int64_t part, uint8_t* scratch) {
  const int64_t begin = part * plan.part_rows;
  const int64_t count = std::min(plan.part_rows, plan.rows - begin);
  std::array<const void*, kMostOperands> inputs = {};
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const Operand& input = plan.inputs[i];
    const int64_t at = begin * input.row_elements;
    if (input.IsMadeForParts()) {
      input.conversion->Run(args.input<uint8_t>(i) + at * input.size, scratch + input.offset,
                            count * input.row_elements);
      inputs[i] = scratch + input.offset;
      continue;
    }
    const uint8_t* data = args.input<uint8_t>(i);
    if (input.constant.data() != nullptr) data = input.constant.data();
    if (input.IsMadeBefore()) data = args.shared + input.offset;
    inputs[i] = data + at * input.computed_size;
  }
  const Operand& output = plan.output;
  uint8_t* const result = args.output<uint8_t>(0) + begin * output.row_elements * output.size;
  void* outputs[] = {output.conversion.has_value() ? scratch + output.offset : result};
  const Kernel& kernel = count == plan.part_rows ? plan.kernel : plan.last_kernel;
  kernel.run({absl::MakeConstSpan(inputs.data(), plan.inputs.size()), absl::MakeSpan(outputs),
              &plan.alone, scratch + plan.part_bytes, 0});
  if (output.conversion.has_value()) {
    output.conversion->Run(outputs[0], result, count * output.row_elements);
  }
}

void Run(Plan& plan, const KernelArgs& args) {
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const Operand& input = plan.inputs[i];
    if (!input.IsMadeBefore()) continue;
    input.conversion->RunAll(args.inputs[i], args.shared + input.offset, *args.pool);
  }
  const int64_t parts = (plan.rows + plan.part_rows - 1) / plan.part_rows;
  args.pool->ParallelFor(parts, [&](int64_t part, int worker) {
    RunPart(plan, args, part, args.WorkerScratch(worker));
  });
}

// 0 if a row alone is too large for a part.
int64_t ChoosePartRows(int64_t row_elements) {
  const int64_t row_bytes = row_elements * static_cast<int64_t>(sizeof(float));
  if (row_bytes > kMostRowBytes) return 0;
  const int64_t count = std::max(kPartBytes / row_bytes, int64_t{1});
  constexpr int64_t kAlignedRows = AlignedMemory::kAlignment;
  return count < kAlignedRows ? count : count / kAlignedRows * kAlignedRows;
}

size_t Reserve(int64_t bytes, size_t& all) {
  return std::exchange(all, all + AlignedMemory::RoundUp(static_cast<size_t>(bytes)));
}

// `constant`: its data, or null.
absl::Status AddInput(const TensorType& type, const TensorType& compute_type, bool advances,
                      const void* constant, Plan& plan) {
  Operand operand;
  const int64_t elements = type.shape.elements();
  if (advances) operand.row_elements = elements / plan.rows;
  operand.size = static_cast<int64_t>(SizeOf(type.dtype));
  operand.computed_size = static_cast<int64_t>(SizeOf(compute_type.dtype));
  if (type.dtype != compute_type.dtype) {
    operand.conversion.emplace(type, compute_type, KernelPath::kFast);
    if (constant != nullptr) {
      ASSIGN_OR_RETURN(operand.constant, operand.conversion->Converted(constant));
    }
  }
  if (operand.IsMadeBefore()) {
    operand.offset = Reserve(elements * operand.computed_size, plan.shared_bytes);
  } else if (operand.IsMadeForParts()) {
    const int64_t part = plan.part_rows * operand.row_elements;
    operand.offset = Reserve(part * operand.computed_size, plan.part_bytes);
  }
  plan.inputs.push_back(std::move(operand));
  return absl::OkStatus();
}

void AddOutput(const TensorType& type, const TensorType& compute_type, Plan& plan) {
  plan.output.row_elements = type.shape.elements() / plan.rows;
  plan.output.size = static_cast<int64_t>(SizeOf(type.dtype));
  plan.output.computed_size = static_cast<int64_t>(SizeOf(compute_type.dtype));
  if (type.dtype == compute_type.dtype) return;
  plan.output.conversion.emplace(compute_type, type, KernelPath::kFast);
  const int64_t part = plan.part_rows * plan.output.row_elements;
  plan.output.offset = Reserve(part * plan.output.computed_size, plan.part_bytes);
}

// Whether the kernels find each part aligned.
bool IsAligned(const Operand& operand, int64_t part_rows) {
  const int64_t bytes = part_rows * operand.row_elements * operand.computed_size;
  return operand.IsMadeForParts() || bytes % int64_t{AlignedMemory::kAlignment} == 0;
}

// Converted data of 8 bits are as small as the original: they stay cached as a whole.
bool HasFloats(absl::Span<const TensorType> types, absl::Span<const TensorType> compute_types) {
  return !std::equal(types.begin(), types.end(), compute_types.begin(),
                     [](const TensorType& type, const TensorType& compute_type) {
                       return type.dtype == compute_type.dtype || SizeOf(compute_type.dtype) == 1;
                     });
}

absl::StatusOr<Kernel> PrepareRows(const OpDef& op, const PrepareContext& context,
                                   const ComputeTypes& compute_types, const BroadcastLoop& loop,
                                   const Plan& plan, int64_t count) {
  std::vector<TensorType> inputs = compute_types.inputs, outputs = compute_types.outputs;
  std::vector<const void*> constants;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const Operand& input = plan.inputs[i];
    inputs[i].shape = PartOf(loop, loop.strides[i], count);
    const bool converted = input.constant.data() != nullptr;
    const void* data = converted ? input.constant.data() : context.constants[i];
    constants.push_back(input.row_elements == 0 ? data : nullptr);
  }
  outputs[0].shape = Shape(loop.dims);
  outputs[0].shape[0] = count;
  return op.prepare({inputs, outputs, constants, context.attributes, context.path});
}

}  // namespace

absl::StatusOr<std::optional<Kernel>> PrepareParts(const OpDef& op, const PrepareContext& context,
                                                   const ComputeTypes& compute_types) {
  const bool can = op.elementwise && !op.is_lookup() && context.path == KernelPath::kFast &&
                   compute_types.outputs.size() == 1 &&
                   compute_types.inputs.size() <= kMostOperands;
  if (!can || compute_types.outputs[0].shape.elements() == 0) return std::nullopt;
  if (!HasFloats(context.inputs, compute_types.inputs) &&
      !HasFloats(context.outputs, compute_types.outputs)) {
    return std::nullopt;
  }
  const TensorType& output = compute_types.outputs[0];
  std::vector<Shape> shapes;
  for (const TensorType& input : compute_types.inputs) shapes.push_back(input.shape);
  const BroadcastLoop loop = MakeBroadcastLoop(output.shape, shapes);
  auto plan = std::make_shared<Plan>();
  plan->rows = loop.dims[0];
  plan->part_rows = ChoosePartRows(output.shape.elements() / plan->rows);
  if (plan->part_rows == 0 || plan->part_rows >= plan->rows) return std::nullopt;

  for (size_t i = 0; i < compute_types.inputs.size(); ++i) {
    RETURN_IF_ERROR(AddInput(context.inputs[i], compute_types.inputs[i], Advances(loop.strides[i]),
                             context.constants[i], *plan));
  }
  AddOutput(context.outputs[0], output, *plan);
  // The first part may overwrite what all others read.
  const Operand& first = plan->inputs[0];
  if (op.in_place && first.row_elements == 0 && !first.conversion.has_value()) return std::nullopt;
  const bool aligned =
      IsAligned(plan->output, plan->part_rows) &&
      std::all_of(plan->inputs.begin(), plan->inputs.end(),
                  [&](const Operand& input) { return IsAligned(input, plan->part_rows); });
  if (!aligned) return std::nullopt;

  ASSIGN_OR_RETURN(plan->kernel,
                   PrepareRows(op, context, compute_types, loop, *plan, plan->part_rows));
  const int64_t last_rows = (plan->rows - 1) % plan->part_rows + 1;
  ASSIGN_OR_RETURN(plan->last_kernel,
                   PrepareRows(op, context, compute_types, loop, *plan, last_rows));
  if (plan->kernel.shared_bytes > 0 || plan->last_kernel.shared_bytes > 0) return std::nullopt;
  Kernel kernel;
  kernel.scratch_bytes =
      plan->part_bytes + std::max(plan->kernel.scratch_bytes, plan->last_kernel.scratch_bytes);
  kernel.shared_bytes = plan->shared_bytes;
  kernel.run = [plan](const KernelArgs& args) { Run(*plan, args); };
  return kernel;
}

}  // namespace synap_internal
