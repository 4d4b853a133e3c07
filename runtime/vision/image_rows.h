// Rows of an image from the top down, while it is decoded: an image of any size takes the memory of
// a few rows.
#ifndef RUNTIME_VISION_IMAGE_ROWS_H_
#define RUNTIME_VISION_IMAGE_ROWS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/vision/image.h"

namespace synap_internal {

// A reader of rows [width, channels]. Not thread-safe.
class ImageRows {
 public:
  ImageRows(int width, int height, int channels)
      : width_(width), height_(height), channels_(channels) {}
  ImageRows(const ImageRows&) = delete;
  ImageRows& operator=(const ImageRows&) = delete;
  virtual ~ImageRows() = default;

  int width() const { return width_; }
  int height() const { return height_; }
  int channels() const { return channels_; }
  size_t row_bytes() const { return static_cast<size_t>(width_) * channels_; }

  // Sets rows[i] to the i-th next row, which lives until the next call. InvalidArgument for a
  // damaged image. REQUIRES: the image has so many rows left.
  absl::Status Read(absl::Span<const uint8_t*> rows);

  // Reads the rows that are left, so that damage in them is found, too.
  absl::Status Finish();

  // The pixels of all rows, if they are in memory without gaps; else null.
  virtual const uint8_t* pixels() const { return nullptr; }

 private:
  virtual absl::Status ReadNext(absl::Span<const uint8_t*> rows) = 0;

  const int width_;
  const int height_;
  const int channels_;
  int next_ = 0;
};

// The rows of an image in memory, which outlives them.
class ViewRows final : public ImageRows {
 public:
  explicit ViewRows(const ImageView& image)
      : ImageRows(image.width, image.height, image.channels),
        pixels_(image.pixels),
        next_(image.pixels) {}

  const uint8_t* pixels() const override { return pixels_; }

 private:
  absl::Status ReadNext(absl::Span<const uint8_t*> rows) override;

  const uint8_t* const pixels_;
  const uint8_t* next_;
};

// The rows of an image that is decoded while they are read: an upright JPEG of gray or RGB. Null
// for others. `bytes` outlive the rows. Errors, also those of reading, are DecodeImage's, which has
// no notes about such images.
absl::StatusOr<std::unique_ptr<ImageRows>> StreamImage(absl::Span<const uint8_t> bytes,
                                                       absl::string_view name);

// The same for all images, of which others are decoded here.
absl::StatusOr<std::unique_ptr<ImageRows>> OpenImageRows(absl::Span<const uint8_t> bytes,
                                                         absl::string_view name,
                                                         ImageNotes* notes = nullptr);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_IMAGE_ROWS_H_
