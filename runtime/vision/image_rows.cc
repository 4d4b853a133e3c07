#include "runtime/vision/image_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/vision/jpeg.h"

namespace synap_internal {
namespace {

// Rows that Finish reads at a time.
constexpr int kFinishRows = 16;

// The rows of an image of their own.
class OwnRows final : public ImageRows {
 public:
  explicit OwnRows(Image image)
      : ImageRows(image.width, image.height, image.channels),
        image_(std::move(image)),
        rows_(image_) {}

  const uint8_t* pixels() const override { return rows_.pixels(); }

 private:
  absl::Status ReadNext(absl::Span<const uint8_t*> rows) override { return rows_.Read(rows); }

  const Image image_;
  ViewRows rows_;
};

}  // namespace

absl::Status ImageRows::Read(absl::Span<const uint8_t*> rows) {
  CHECK(rows.size() <= static_cast<size_t>(height_ - next_));
  next_ += static_cast<int>(rows.size());
  return ReadNext(rows);
}

absl::Status ImageRows::Finish() {
  const uint8_t* rows[kFinishRows];
  while (next_ < height_) {
    const int count = std::min(kFinishRows, height_ - next_);
    RETURN_IF_ERROR(Read(absl::MakeSpan(rows, static_cast<size_t>(count))));
  }
  return absl::OkStatus();
}

absl::Status ViewRows::ReadNext(absl::Span<const uint8_t*> rows) {
  for (const uint8_t*& row : rows) {
    row = next_;
    next_ += row_bytes();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ImageRows>> StreamImage(absl::Span<const uint8_t> bytes,
                                                       absl::string_view name) {
  if (DetectImageFormat(bytes) != ImageFormat::kJpeg) return nullptr;
  return OpenJpegRows(bytes, name);
}

absl::StatusOr<std::unique_ptr<ImageRows>> OpenImageRows(absl::Span<const uint8_t> bytes,
                                                         absl::string_view name,
                                                         ImageNotes* notes) {
  ASSIGN_OR_RETURN(std::unique_ptr<ImageRows> rows, StreamImage(bytes, name));
  if (rows != nullptr) {
    if (notes != nullptr) *notes = {.channels = rows->channels()};
    return rows;
  }
  ASSIGN_OR_RETURN(Image image, DecodeImage(bytes, name, notes));
  return std::make_unique<OwnRows>(std::move(image));
}

}  // namespace synap_internal
