#include "runtime/vision/fit_picture.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
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

// Emits rows of the tensor's channels in its order.
class RowEmitter {
 public:
  RowEmitter(const PictureTensor& tensor, bool swaps, PixelFunction emit)
      : tensor_(tensor),
        width_(static_cast<size_t>(tensor.width)),
        channels_(static_cast<size_t>(tensor.channels)),
        swaps_(swaps && tensor.channels >= 3),
        emit_(emit),
        pixels_(width_ * channels_) {}

  void Emit(int y, const uint8_t* row) {
    if (tensor_.is_planar && channels_ > 1) return EmitPlanes(y, row);
    if (swaps_) {
      SwapRedAndBlueOfRow(row, width_, channels_, pixels_.data());
      row = pixels_.data();
    }
    const size_t size = width_ * channels_;
    emit_(absl::MakeConstSpan(row, size), static_cast<size_t>(y) * size);
  }

 private:
  void EmitPlanes(int y, const uint8_t* row) {
    uint8_t* planes[4] = {};
    for (size_t c = 0; c < channels_; ++c) planes[c] = pixels_.data() + c * width_;
    if (swaps_) std::swap(planes[0], planes[2]);
    SplitRow(row, width_, channels_, planes);
    for (size_t c = 0; c < channels_; ++c) {
      emit_(absl::MakeConstSpan(pixels_).subspan(c * width_, width_),
            (c * static_cast<size_t>(tensor_.height) + y) * width_);
    }
  }

  const PictureTensor& tensor_;
  const size_t width_;
  const size_t channels_;
  const bool swaps_;
  const PixelFunction emit_;
  std::vector<uint8_t> pixels_;  // the latest row in the tensor's order
};

}  // namespace

absl::StatusOr<LetterboxPlan> FitPicture(ImageRows& picture, bool is_bgr,
                                         const PictureTensor& tensor, PixelFunction emit) {
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
  RowEmitter emitter(tensor, is_bgr != tensor.is_bgr, emit);
  RETURN_IF_ERROR(LetterboxRows(*rows, plan, tensor.width, tensor.height,
                                tensor.letterbox.fill_color,
                                [&](int y, const uint8_t* row) { emitter.Emit(y, row); }));
  return plan;
}

absl::StatusOr<LetterboxPlan> FitPicture(ImageRows& picture, bool is_bgr,
                                         const PictureTensor& tensor, uint8_t* pixels) {
  return FitPicture(picture, is_bgr, tensor, [&](absl::Span<const uint8_t> values, size_t first) {
    std::memcpy(pixels + first, values.data(), values.size());
  });
}

}  // namespace synap_internal
