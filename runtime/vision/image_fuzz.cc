// Any bytes as an image: an error or an image that can be resized and written.

#include "runtime/vision/image.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "runtime/vision/channel_order.h"
#include "runtime/vision/image_writer.h"
#include "runtime/vision/letterbox.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using synap_internal::Image;
  const absl::StatusOr<Image> image = synap_internal::DecodeImage({data, size}, "input");
  if (!image.ok()) {
    CHECK(!image.status().message().empty());
    return 0;
  }
  CHECK(image->pixels.size() == image->row_bytes() * image->height);
  // Large images would only make the fuzzer slow.
  if (image->pixels.size() > 1 << 20) return 0;
  for (const auto keep :
       {synap_internal::KeepProportions::kStretch, synap_internal::KeepProportions::kBands,
        synap_internal::KeepProportions::kCrop}) {
    const auto plan = synap_internal::PlanLetterbox(image->width, image->height, 13, 7, keep);
    Image fitted = synap_internal::ApplyLetterbox(*image, plan, 13, 7, 128);
    CHECK(fitted.width == 13 && fitted.height == 7);
    CHECK(synap_internal::EncodePng(fitted).ok());
    CHECK(synap_internal::EncodeJpeg(fitted).ok());
    for (const int channels : {1, 3, 4}) {
      fitted = *synap_internal::ToChannels(std::move(fitted), channels);
      CHECK(fitted.channels == channels);
      CHECK(fitted.pixels.size() == fitted.row_bytes() * fitted.height);
    }
  }
  return 0;
}
