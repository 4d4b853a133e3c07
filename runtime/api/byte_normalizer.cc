#include "runtime/api/byte_normalizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "base/tensor_type.h"
#include "kernels/lookup/lookup.h"
#include "runtime/api/normalize_bytes.h"

namespace synap_internal {
namespace {

constexpr size_t kBytes = 256;  // values of a byte

// How the elements of channel c are normalized.
Normalization OfChannel(const Normalization& how, size_t c) {
  Normalization one = how;
  one.channels = one.pixel_channels = 1;
  one.inner = one.pixel_inner = kBytes;
  one.mean = {ChannelValue(how.mean, static_cast<int64_t>(c))};
  if (one.pixels.has_value()) {
    one.pixels->mean = {ChannelValue(how.pixels->mean, static_cast<int64_t>(c))};
    one.pixels->scale = {ChannelValue(how.pixels->scale, static_cast<int64_t>(c))};
  }
  return one;
}

// Elements of kSize bytes for values of all channels in turns, from channel 0 on. `tables`:
// [channels][256] elements.
template <size_t kSize>
void LookUpPixels(const uint8_t* tables, const uint8_t* values, size_t count, size_t channels,
                  uint8_t* data) {
  const auto look_up = [&](size_t i, size_t c) {
    const uint8_t* element = tables + (c * kBytes + values[i]) * kSize;
    std::memcpy(data + i * kSize, element, kSize);
  };
  size_t i = 0;
  // Most pictures have 1 or 3 channels, for which there is no inner loop.
  if (channels == 1 || channels == 3) {
    const size_t second = 1 % channels, third = 2 % channels;
    for (; i + 3 <= count; i += 3) {
      look_up(i, 0);
      look_up(i + 1, second);
      look_up(i + 2, third);
    }
  }
  for (; i < count; i += channels) {
    for (size_t c = 0; c < channels && i + c < count; ++c) look_up(i + c, c);
  }
}

void LookUpBytes(const uint8_t* tables, size_t element_size, const uint8_t* values, size_t count,
                 size_t channels, uint8_t* data) {
  if (element_size == 1 && channels == 1) {
    static const lookup::Function function = lookup::FindFunction();
    return function(tables, values, data, static_cast<int64_t>(count));
  }
  switch (element_size) {
    case 1:
      return LookUpPixels<1>(tables, values, count, channels, data);
    case 2:
      return LookUpPixels<2>(tables, values, count, channels, data);
    case 4:
      return LookUpPixels<4>(tables, values, count, channels, data);
    default:
      CHECK(element_size == 8);
      return LookUpPixels<8>(tables, values, count, channels, data);
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
      made.mean_.push_back(
          ChannelValue(has_pixels ? how.pixels->mean : how.mean, static_cast<int64_t>(c)));
      made.divisor_.push_back(has_pixels ? ChannelValue(how.pixels->scale, static_cast<int64_t>(c))
                                         : how.scale);
    } else {
      const auto* begin = reinterpret_cast<const uint8_t*>(table.data());
      made.tables_.insert(made.tables_.end(), begin, begin + size);
    }
  }
  return made;
}

void ByteNormalizer::RunChannels(const uint8_t* values, size_t count, size_t channel,
                                 size_t channels, uint8_t* data) const {
  if (!tables_.empty()) {
    LookUpBytes(tables_.data() + channel * kBytes * element_size_, element_size_, values, count,
                channels, data);
    return;
  }
  auto* floats = reinterpret_cast<float*>(data);
  if (channels <= kMaxFloatChannels) {
    NormalizeToFloats(values, count, &mean_[channel], &divisor_[channel], channels, floats);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t c = channel + i % channels;
    NormalizeToFloats(values + i, 1, &mean_[c], &divisor_[c], 1, floats + i);
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
    RunChannels(values.data() + done, count, channel, are_pixels ? channels_ : 1,
                to + done * element_size_);
    done += count;
  }
}

}  // namespace synap_internal
