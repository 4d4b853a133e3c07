#include "kernels/lookup/lookup.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 65536;  // bytes of a task

void RunBlocks(lookup::Function function, const uint8_t* table, int64_t elements,
               const KernelArgs& args) {
  args.pool->ParallelFor((elements + kBlock - 1) / kBlock, [&](int64_t block, int) {
    const int64_t begin = block * kBlock;
    function(table, args.input<uint8_t>(0) + begin, args.output<uint8_t>(0) + begin,
             std::min(kBlock, elements - begin));
  });
}

lookup::Function FunctionOf(KernelPath path) {
  return path == KernelPath::kFast ? lookup::FindFunction() : &lookup::Reference;
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& table = context.inputs[1];
  if (x.dtype != DataType::kUint8) {
    return absl::InvalidArgumentError(
        absl::StrCat("x of type ", Name(x.dtype), ", expected uint8 (lookup_c1)"));
  }
  if (table.dtype != DataType::kUint8 || table.shape != Shape({256})) {
    return absl::InvalidArgumentError(absl::StrCat("table of type ", Name(table.dtype), "[",
                                                   table.shape.ToString(),
                                                   "], expected uint8[256] (lookup_c2)"));
  }
  AttributeReader reader(context.attributes);
  RETURN_IF_ERROR(reader.Finish());
  return std::vector<TensorType>{{DataType::kUint8, x.shape, {}}};
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  const TensorType& out = context.outputs[0];
  if (context.inputs[0].dtype != DataType::kUint8 || out.dtype != DataType::kUint8) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for ", Name(context.inputs[0].dtype), " to ", Name(out.dtype)));
  }
  const int64_t elements = out.shape.elements();
  return Kernel{[function = FunctionOf(context.path), elements](const KernelArgs& args) {
    RunBlocks(function, args.input<uint8_t>(1), elements, args);
  }};
}

}  // namespace

Kernel MakeLookupKernel(const ByteTable& table, int64_t elements, KernelPath path) {
  return Kernel{[function = FunctionOf(path), table, elements](const KernelArgs& args) {
    RunBlocks(function, table.data(), elements, args);
  }};
}

absl::Span<const OpDef> LookupOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "lookup",
      .operands = {OperandRole::kActivation, OperandRole::kTable},
      .required = 2,
      .own_types = OwnTypes::kAny,
      .infer = &Infer,
      .prepare = &Prepare,
      .in_place = true,
      .elementwise = true,
  }};
  return *ops;
}

}  // namespace synap_internal
