// Pixels of InputData, for the preprocessor.
#ifndef RUNTIME_VISION_INPUT_DATA_PRIVATE_H_
#define RUNTIME_VISION_INPUT_DATA_PRIVATE_H_

#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"
#include "synap/input_data.hpp"

namespace synaptics::synap {

// Doesn't change after the constructor, apart from the decoded image.
struct InputData::Private {
  std::string name;  // for messages
  std::string bytes;
  InputType type = InputType::invalid;
  std::string format;
  Shape shape;
  Layout layout = Layout::none;
  Dimensions dimensions;  // of pixels and YUV images whose size is known

  // Several threads may ask for the pixels of the same object.
  mutable std::mutex mutex;  // of the decoding; afterwards `image` doesn't change
  mutable absl::optional<absl::StatusOr<::synap_internal::Image>> image;

  absl::Span<const uint8_t> span() const {
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }
  bool is_yuv() const { return type == InputType::nv12 || type == InputType::nv21; }
};

}  // namespace synaptics::synap

namespace synap_internal {

// The pixels of an encoded or 8-bit image, interleaved, in the file's channels and their order.
// They are those of `data` itself, or are decoded or interleaved once, on the first call, and live
// as long as `data`. nullopt, with an error logged, if there are none.
absl::optional<ImageView> DecodedImage(const synaptics::synap::InputData& data);

// The pixels of nv12 or nv21 data: its luma if channels is 1, else RGB (yuv.h). Data of unknown
// size is taken as width x height. InvalidArgument if it has another number of bytes.
absl::StatusOr<Image> DecodeYuv(const synaptics::synap::InputData& data, int width, int height,
                                int channels);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_INPUT_DATA_PRIVATE_H_
