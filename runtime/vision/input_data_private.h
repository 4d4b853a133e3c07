// Pixels of InputData, for the preprocessor.
#ifndef RUNTIME_VISION_INPUT_DATA_PRIVATE_H_
#define RUNTIME_VISION_INPUT_DATA_PRIVATE_H_

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_rows.h"
#include "synap/input_data.hpp"

namespace synaptics::synap {

// Doesn't change after the constructor, apart from what the mutex guards.
struct InputData::Private {
  std::string name;  // for messages
  std::string bytes;
  InputType type = InputType::invalid;
  std::string format;
  Shape shape;
  Layout layout = Layout::none;
  Dimensions dimensions;  // of pixels and YUV images whose size is known

  // Several threads may ask for the pixels of the same object.
  mutable std::mutex mutex;  // of what follows; `image` doesn't change afterwards
  mutable absl::optional<absl::StatusOr<::synap_internal::Image>> image;
  mutable bool was_opened = false;     // OpenPixels was called
  mutable Dimensions read_dimensions;  // of an encoded image that OpenPixels has shown to be whole

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

// The same as rows, which `data` outlives. Null, with an error logged, if there are none. Most
// programs assign an image once, so it isn't kept: the first call decodes a JPEG while its rows are
// read (StreamImage), which finds damage only then. Further calls decode it as DecodedImage does.
std::unique_ptr<ImageRows> OpenPixels(const synaptics::synap::InputData& data);

// Keeps the size of an image of OpenPixels that was read to its end without an error, so that
// InputData::dimensions() needn't decode it.
void KeepDimensions(const synaptics::synap::InputData& data, const ImageRows& image);

// The rows of nv12 or nv21 data, which `data` outlives: its luma if channels is 1, else RGB
// (yuv.h). Data of unknown size is taken as width x height. InvalidArgument if it has another
// number of bytes.
absl::StatusOr<std::unique_ptr<ImageRows>> OpenYuv(const synaptics::synap::InputData& data,
                                                   int width, int height, int channels);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_INPUT_DATA_PRIVATE_H_
