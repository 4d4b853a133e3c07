#include "runtime/vision/fit_picture.h"

#include <cstring>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/vision/channel_order.h"
#include "runtime/vision/channel_rows.h"

namespace synap_internal {
namespace {

// The rows of another picture in another number of channels, which can be converted.
class ConvertedRows final : public ImageRows {
 public:
  ConvertedRows(ImageRows& from, int channels, bool is_bgr)
      : ImageRows(from.width(), from.height(), channels), from_(from), is_bgr_(is_bgr) {}

 private:
  absl::Status ReadNext(absl::Span<const uint8_t*> rows) override {
    RETURN_IF_ERROR(from_.Read(rows));
    if (pixels_.size() < rows.size() * row_bytes()) pixels_.resize(rows.size() * row_bytes());
    uint8_t* to = pixels_.data();
    for (const uint8_t*& row : rows) {
      ConvertChannelsOfRow(row, static_cast<size_t>(width()), static_cast<size_t>(from_.channels()),
                           static_cast<size_t>(channels()), is_bgr_, to);
      row = to;
      to += row_bytes();
    }
    return absl::OkStatus();
  }

  ImageRows& from_;
  const bool is_bgr_;
  std::vector<uint8_t> pixels_;  // of the rows of the latest call
};

// Writes rows of the tensor's channels into it.
class TensorWriter {
 public:
  TensorWriter(const PictureTensor& tensor, bool swaps, uint8_t* pixels)
      : tensor_(tensor),
        width_(static_cast<size_t>(tensor.width)),
        channels_(static_cast<size_t>(tensor.channels)),
        swaps_(swaps && tensor.channels >= 3),
        pixels_(pixels) {}

  void Write(int y, const uint8_t* row) const {
    if (tensor_.is_planar) return WritePlanes(y, row);
    uint8_t* const to = pixels_ + static_cast<size_t>(y) * width_ * channels_;
    if (swaps_) {
      SwapRedAndBlueOfRow(row, width_, channels_, to);
    } else {
      std::memcpy(to, row, width_ * channels_);
    }
  }

 private:
  void WritePlanes(int y, const uint8_t* row) const {
    uint8_t* planes[4] = {};
    for (size_t c = 0; c < channels_; ++c) {
      const size_t plane = swaps_ && c < 3 ? 2 - c : c;
      planes[c] = pixels_ + (plane * static_cast<size_t>(tensor_.height) + y) * width_;
    }
    SplitRow(row, width_, channels_, planes);
  }

  const PictureTensor& tensor_;
  const size_t width_;
  const size_t channels_;
  const bool swaps_;
  uint8_t* const pixels_;
};

}  // namespace

absl::StatusOr<LetterboxPlan> FitPicture(ImageRows& picture, bool is_bgr,
                                         const PictureTensor& tensor, uint8_t* pixels) {
  ImageRows* rows = &picture;
  std::unique_ptr<ImageRows> converted;
  if (picture.channels() != tensor.channels) {
    RETURN_IF_ERROR(CheckChannels(picture.channels(), tensor.channels));
    converted = std::make_unique<ConvertedRows>(picture, tensor.channels, is_bgr);
    rows = converted.get();
  }
  CHECK(tensor.channels >= 1 && tensor.channels <= 4);
  const LetterboxPlan plan = PlanLetterbox(picture.width(), picture.height(), tensor.width,
                                           tensor.height, tensor.letterbox.keep_proportions);
  const TensorWriter writer(tensor, is_bgr != tensor.is_bgr, pixels);
  RETURN_IF_ERROR(LetterboxRows(*rows, plan, tensor.width, tensor.height,
                                tensor.letterbox.fill_color,
                                [&](int y, const uint8_t* row) { writer.Write(y, row); }));
  return plan;
}

}  // namespace synap_internal
