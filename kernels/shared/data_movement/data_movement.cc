#include "kernels/shared/data_movement/data_movement.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

std::string Stored(const TensorType& type) {
  const std::string quant = type.quant.ToString();
  return absl::StrCat(Name(type.dtype), quant.empty() ? "" : " ", quant);
}

template <int64_t kSize>
void CopyFixed(const uint8_t* input, int64_t input_stride, uint8_t* output, int64_t output_stride,
               int64_t count) {
  for (int64_t i = 0; i < count; ++i, input += input_stride, output += output_stride) {
    std::memcpy(output, input, kSize);
  }
}

}  // namespace

absl::Status RejectPerChannel(const TensorType& x) {
  if (x.quant.scheme != QuantScheme::kPerChannelSymmetric) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the operand is quantized per channel, expected one scale for the tensor");
}

absl::Status CheckStoredAs(const TensorType& output, const TensorType& expected) {
  if (output.dtype == expected.dtype && output.quant == expected.quant) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the output is ", Stored(output), ", expected that of the input, ", Stored(expected)));
}

absl::Status CheckStoredAlike(const PrepareContext& context) {
  return CheckStoredAs(context.outputs[0], context.inputs[0]);
}

void CopyStridedElements(const uint8_t* input, int64_t input_stride, uint8_t* output,
                         int64_t output_stride, int64_t size, int64_t count) {
  switch (size) {
    case 1:
      return CopyFixed<1>(input, input_stride, output, output_stride, count);
    case 2:
      return CopyFixed<2>(input, input_stride, output, output_stride, count);
    case 3:
      return CopyFixed<3>(input, input_stride, output, output_stride, count);
    case 4:
      return CopyFixed<4>(input, input_stride, output, output_stride, count);
    case 8:
      return CopyFixed<8>(input, input_stride, output, output_stride, count);
    case 12:
      return CopyFixed<12>(input, input_stride, output, output_stride, count);
    case 16:
      return CopyFixed<16>(input, input_stride, output, output_stride, count);
    case 32:
      return CopyFixed<32>(input, input_stride, output, output_stride, count);
    case 64:
      return CopyFixed<64>(input, input_stride, output, output_stride, count);
    default:
      for (int64_t i = 0; i < count; ++i, input += input_stride, output += output_stride) {
        std::memcpy(output, input, static_cast<size_t>(size));
      }
  }
}

}  // namespace synap_internal
