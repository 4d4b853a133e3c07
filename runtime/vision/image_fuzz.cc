// Any bytes as an image: an error, or an image whose rows fit into tensors and can be written.

#include "runtime/vision/image.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "runtime/vision/fit_picture.h"
#include "runtime/vision/image_rows.h"
#include "runtime/vision/image_writer.h"
#include "runtime/vision/letterbox.h"

namespace synap_internal {
namespace {

using Bytes = absl::Span<const uint8_t>;

// Reading the rows gives the status of decoding.
void CheckRows(Bytes bytes, const absl::Status& decoded) {
  const absl::StatusOr<std::unique_ptr<ImageRows>> rows = OpenImageRows(bytes, "input");
  CHECK((rows.ok() ? (*rows)->Finish() : rows.status()) == decoded);
}

// The tensor of a whole image.
std::vector<uint8_t> Fit(Bytes bytes, const PictureTensor& tensor) {
  const absl::StatusOr<std::unique_ptr<ImageRows>> rows = OpenImageRows(bytes, "input");
  CHECK(rows.ok());
  std::vector<uint8_t> pixels(tensor.size());
  CHECK(FitPicture(**rows, /*is_bgr=*/false, tensor, pixels.data()).ok());
  return pixels;
}

void CheckUnchanged(Bytes bytes, const Image& image) {
  PictureTensor tensor;
  tensor.width = image.width;
  tensor.height = image.height;
  tensor.channels = image.channels;
  CHECK(Fit(bytes, tensor) == image.pixels);
}

// In a small tensor.
void CheckFitted(Bytes bytes, int channels, KeepProportions keep) {
  PictureTensor tensor;
  tensor.width = 13;
  tensor.height = 7;
  tensor.channels = channels;
  tensor.letterbox.keep_proportions = keep;
  const Image fitted = {tensor.width, tensor.height, channels, Fit(bytes, tensor)};
  CHECK(EncodePng(fitted).ok());
  CHECK(EncodeJpeg(fitted).ok());
  tensor.is_planar = true;
  tensor.is_bgr = true;
  Fit(bytes, tensor);
}

void CheckImage(Bytes bytes) {
  const absl::StatusOr<Image> image = DecodeImage(bytes, "input");
  CheckRows(bytes, image.status());
  if (!image.ok()) {
    CHECK(!image.status().message().empty());
    return;
  }
  CHECK(image->pixels.size() == image->row_bytes() * image->height);
  // Large images would only make the fuzzer slow.
  if (image->pixels.size() > 1 << 20) return;
  CheckUnchanged(bytes, *image);
  for (const auto keep :
       {KeepProportions::kStretch, KeepProportions::kBands, KeepProportions::kCrop}) {
    for (const int channels : {1, 3, 4}) CheckFitted(bytes, channels, keep);
  }
}

}  // namespace
}  // namespace synap_internal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::CheckImage({data, size});
  return 0;
}
