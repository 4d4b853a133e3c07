#include "kernels/convert/convert.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "kernels/lookup/lookup.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a task

bool IsPerTensor(const QuantParams& quant) {
  return quant.quantized() && quant.scheme != QuantScheme::kPerChannelSymmetric;
}

absl::StatusOr<DataType> ReadTo(const Attributes& attributes) {
  AttributeReader reader(attributes);
  const std::string to = reader.RequiredString("to");
  RETURN_IF_ERROR(reader.Finish());
  absl::StatusOr<DataType> type = ParseDataType(to);
  if (type.ok()) return type;
  return absl::InvalidArgumentError(absl::StrCat("to: ", type.status().message(), " (convert_c1)"));
}

absl::Status RefuseType(const TensorType& x, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("x of type ", Name(x.dtype), ", expected ", expected, " (convert_c2)"));
}

absl::StatusOr<std::vector<TensorType>> InferCast(const InferContext& context) {
  ASSIGN_OR_RETURN(const DataType to, ReadTo(context.attributes));
  return std::vector<TensorType>{{to, context.inputs[0].shape, {}}};
}

absl::StatusOr<std::vector<TensorType>> InferQuantize(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  RETURN_IF_ERROR(AttributeReader(context.attributes).Finish());
  if (x.dtype != DataType::kFloat32) return RefuseType(x, "float32");
  return std::vector<TensorType>{{DataType::kUint8, x.shape, {}}};
}

// dequantize and requantize.
template <bool kToFloat>
absl::StatusOr<std::vector<TensorType>> InferQuantized(const InferContext& context) {
  const TensorType& x = context.inputs[0];
  RETURN_IF_ERROR(AttributeReader(context.attributes).Finish());
  if (!HoldsActivations(x.dtype)) return RefuseType(x, "uint8, int8 or int16");
  return std::vector<TensorType>{{kToFloat ? DataType::kFloat32 : x.dtype, x.shape, {}}};
}

// A kernel that calls run(x, y, n) over blocks of the elements.
template <typename F>
Kernel BlockKernel(const TensorType& x, const TensorType& out, F run) {
  const auto x_size = static_cast<int64_t>(SizeOf(x.dtype));
  const auto out_size = static_cast<int64_t>(SizeOf(out.dtype));
  const int64_t elements = out.shape.elements();
  return Kernel{[run, x_size, out_size, elements](const KernelArgs& args) {
    args.pool->ParallelFor((elements + kBlock - 1) / kBlock, [&](int64_t block, int) {
      const int64_t begin = block * kBlock;
      run(args.input<uint8_t>(0) + begin * x_size, args.output<uint8_t>(0) + begin * out_size,
          std::min(kBlock, elements - begin));
    });
  }};
}

absl::StatusOr<Kernel> PrepareCast(const PrepareContext& context) {
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  ASSIGN_OR_RETURN(const DataType to, ReadTo(context.attributes));
  if (x.quant.quantized() || out.quant.quantized() || out.dtype != to) {
    return absl::UnimplementedError(absl::StrCat("no kernel for ", Name(x.dtype), " to ",
                                                 Name(out.dtype), " with these quantizers"));
  }
  const convert::Cast run =
      context.path == KernelPath::kFast ? convert::FindCast(x.dtype, to) : &convert::ReferenceCast;
  return BlockKernel(
      x, out, [run, from = x.dtype, to](const uint8_t* from_data, uint8_t* to_data, int64_t n) {
        run(from, to, from_data, to_data, n);
      });
}

convert::Quantizer QuantizerOf(const TensorType& type) {
  if (!type.quant.quantized()) return {};
  return {type.quant.scale(), type.quant.zero_point()};
}

// The output's byte for each byte of an input, both of 8 bits.
ByteTable ByteTableOf(const TensorType& x, const TensorType& out) {
  ByteTable q, table;
  for (size_t i = 0; i < q.size(); ++i) q[i] = static_cast<uint8_t>(i);
  convert::ReferenceQuantize(x.dtype, out.dtype)(QuantizerOf(x), QuantizerOf(out), q.data(),
                                                 table.data(), 256);
  return table;
}

// Each side is either float32 or has a quantizer per tensor, as the op says.
absl::StatusOr<Kernel> PrepareQuantizers(const PrepareContext& context, bool from_float,
                                         bool to_float) {
  const TensorType& x = context.inputs[0];
  const TensorType& out = context.outputs[0];
  const auto fits = [](const TensorType& type, bool is_float) {
    return is_float ? type.dtype == DataType::kFloat32
                    : HoldsActivations(type.dtype) && IsPerTensor(type.quant);
  };
  if (!fits(x, from_float) || !fits(out, to_float)) {
    return absl::UnimplementedError(absl::StrCat("no kernel for ", Name(x.dtype), " to ",
                                                 Name(out.dtype), " with these quantizers"));
  }
  const bool fast = context.path == KernelPath::kFast;
  if (fast && SizeOf(x.dtype) == 1 && SizeOf(out.dtype) == 1) {
    return MakeLookupKernel(ByteTableOf(x, out), out.shape.elements(), context.path);
  }
  const convert::Run run = fast ? convert::FindQuantize(x.dtype, out.dtype)
                                : convert::ReferenceQuantize(x.dtype, out.dtype);
  return BlockKernel(x, out,
                     [run, from = QuantizerOf(x), to = QuantizerOf(out)](
                         const uint8_t* from_data, uint8_t* to_data, int64_t n) {
                       run(from, to, from_data, to_data, n);
                     });
}

absl::StatusOr<Kernel> PrepareQuantize(const PrepareContext& context) {
  return PrepareQuantizers(context, true, false);
}

absl::StatusOr<Kernel> PrepareDequantize(const PrepareContext& context) {
  return PrepareQuantizers(context, false, true);
}

absl::StatusOr<Kernel> PrepareRequantize(const PrepareContext& context) {
  return PrepareQuantizers(context, false, false);
}

}  // namespace

std::array<uint8_t, 256> RequantizeTable(const QuantParams& in, const QuantParams& out) {
  CHECK(IsPerTensor(in) && IsPerTensor(out));
  return ByteTableOf({DataType::kUint8, {}, in}, {DataType::kUint8, {}, out});
}

absl::Span<const OpDef> ConvertOps() {
  static const auto* const ops = new std::vector<OpDef>{
      OpDef{.name = "cast",
            .operands = {OperandRole::kActivation},
            .own_types = OwnTypes::kAny,
            .infer = &InferCast,
            .prepare = &PrepareCast,
            .quant_rule = QuantRule::kNotQuantized,
            .elementwise = true,
            .conversion = TypeConversion::kCast,
            .is_identity = [](absl::Span<const TensorType>, const Attributes&) { return true; }},
      OpDef{.name = "quantize",
            .operands = {OperandRole::kActivation},
            .own_types = OwnTypes::kAny,
            .infer = &InferQuantize,
            .prepare = &PrepareQuantize,
            .elementwise = true,
            .conversion = TypeConversion::kQuantize},
      OpDef{.name = "dequantize",
            .operands = {OperandRole::kActivation},
            .own_types = OwnTypes::kAny,
            .infer = &InferQuantized<true>,
            .prepare = &PrepareDequantize,
            .quant_rule = QuantRule::kNotQuantized,
            .elementwise = true,
            .conversion = TypeConversion::kDequantize},
      OpDef{.name = "requantize",
            .operands = {OperandRole::kActivation},
            .own_types = OwnTypes::kAny,
            .infer = &InferQuantized<false>,
            .prepare = &PrepareRequantize,
            .in_place = true,
            .elementwise = true,
            .conversion = TypeConversion::kRequantize},
  };
  return *ops;
}

}  // namespace synap_internal
