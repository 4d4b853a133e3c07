#include "kernels/emulated_conversion.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

constexpr int64_t kBlock = 16384;  // elements of a task
constexpr uint8_t kSignBit = 0x80;
constexpr uint64_t kSignBits = 0x8080808080808080u;

// From int8 to uint8 with a zero point larger by 128, and back.
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

}  // namespace

EmulatedConversion::EmulatedConversion(const TensorType& from, const TensorType& to,
                                       KernelPath path)
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

void EmulatedConversion::Run(const void* from, void* to, int64_t n) const {
  if (cast_ != nullptr) {
    cast_(from_, to_, from, to, n);
  } else if (quantize_ != nullptr) {
    quantize_(quantizer_, quantizer_, from, to, n);
  } else {
    FlipSigns(static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to), n);
  }
}

void EmulatedConversion::RunAll(const void* from, void* to, ThreadPool& pool) const {
  pool.ParallelFor((elements_ + kBlock - 1) / kBlock, [&](int64_t block, int) {
    const int64_t begin = block * kBlock;
    Run(static_cast<const uint8_t*>(from) + begin * static_cast<int64_t>(SizeOf(from_)),
        static_cast<uint8_t*>(to) + begin * static_cast<int64_t>(SizeOf(to_)),
        std::min(kBlock, elements_ - begin));
  });
}

absl::StatusOr<AlignedMemory> EmulatedConversion::Converted(const void* from) const {
  const size_t bytes = static_cast<size_t>(elements_) * SizeOf(to_);
  AlignedMemory memory(bytes);
  if (memory.data() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("can't allocate ", bytes, " bytes for a converted constant"));
  }
  Run(from, memory.data(), elements_);
  return memory;
}

}  // namespace synap_internal
