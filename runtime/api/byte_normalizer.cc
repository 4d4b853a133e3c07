#include "runtime/api/byte_normalizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "base/tensor_type.h"
#include "kernels/lookup/lookup.h"
#include "runtime/api/normalize_bytes.h"

namespace synap_internal {
namespace {

constexpr size_t kBytes = 256;  // values of a byte

// Element c of a list with one value, or one for each channel.
float ValueOf(const std::vector<float>& list, size_t c) { return list[list.size() == 1 ? 0 : c]; }

// How the elements of channel c are normalized.
Normalization OfChannel(const Normalization& how, size_t c) {
  Normalization one = how;
  one.channels = one.pixel_channels = 1;
  one.inner = one.pixel_inner = kBytes;
  one.mean = {ValueOf(how.mean, c)};
  if (one.pixels.has_value()) {
    one.pixels->mean = {ValueOf(how.pixels->mean, c)};
    one.pixels->scale = {ValueOf(how.pixels->scale, c)};
  }
  return one;
}

void LookUp(const uint8_t* table, size_t element_size, const uint8_t* values, size_t count,
            uint8_t* data) {
  if (element_size == 1) {
    static const lookup::Function function = lookup::FindFunction();
    return function(table, values, data, static_cast<int64_t>(count));
  }
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(data + i * element_size, table + values[i] * element_size, element_size);
  }
}

}  // namespace

absl::StatusOr<ByteNormalizer> ByteNormalizer::Create(const Normalization& how) {
  const bool has_pixels = how.pixels.has_value();
  ByteNormalizer made;
  made.element_size_ = SizeOf(how.dtype);
  made.channels_ = static_cast<size_t>(has_pixels ? how.pixel_channels : how.channels);
  made.inner_ = static_cast<size_t>(has_pixels ? how.pixel_inner : how.inner);
  std::array<uint8_t, kBytes> bytes;
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  const size_t size = kBytes * made.element_size_;
  // Aligned for every element.
  std::vector<double> table(kBytes);
  for (size_t c = 0; c < made.channels_; ++c) {
    RETURN_IF_ERROR(Normalize(OfChannel(how, c), bytes, table.data()));
    if (how.dtype == DataType::kFloat32) {
      made.mean_.push_back(ValueOf(has_pixels ? how.pixels->mean : how.mean, c));
      made.divisor_.push_back(has_pixels ? ValueOf(how.pixels->scale, c) : how.scale);
    } else {
      const auto* begin = reinterpret_cast<const uint8_t*>(table.data());
      made.tables_.insert(made.tables_.end(), begin, begin + size);
    }
  }
  return made;
}

void ByteNormalizer::RunChannel(const uint8_t* values, size_t count, size_t channel,
                                uint8_t* data) const {
  if (tables_.empty()) {
    NormalizeToFloats(values, count, &mean_[channel], &divisor_[channel], 1,
                      reinterpret_cast<float*>(data));
  } else {
    LookUp(tables_.data() + channel * kBytes * element_size_, element_size_, values, count, data);
  }
}

void ByteNormalizer::RunPixels(const uint8_t* values, size_t count, uint8_t* data) const {
  if (tables_.empty() && channels_ <= kMaxFloatChannels) {
    NormalizeToFloats(values, count, mean_.data(), divisor_.data(), channels_,
                      reinterpret_cast<float*>(data));
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    RunChannel(values + i, 1, i % channels_, data + i * element_size_);
  }
}

void ByteNormalizer::Run(absl::Span<const uint8_t> values, size_t first, void* data) const {
  auto* to = static_cast<uint8_t*>(data) + first * element_size_;
  size_t done = 0;
  // Runs of a channel, unless pixels begin here.
  while (done < values.size()) {
    const size_t at = first + done;
    const size_t channel = at / inner_ % channels_;
    const size_t left = values.size() - done;
    const bool are_pixels = inner_ == 1 && channels_ > 1 && channel == 0;
    size_t count = left;
    if (!are_pixels && channels_ > 1) count = std::min(left, inner_ - at % inner_);
    if (are_pixels) {
      RunPixels(values.data() + done, count, to + done * element_size_);
    } else {
      RunChannel(values.data() + done, count, channel, to + done * element_size_);
    }
    done += count;
  }
}

}  // namespace synap_internal
