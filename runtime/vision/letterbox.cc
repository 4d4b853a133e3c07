#include "runtime/vision/letterbox.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/vision/resize.h"

namespace synap_internal {
namespace {

// a * b / c rounded half up, from 1 to `limit`.
int Scaled(int a, int b, int c, int limit) {
  const int64_t scaled = (int64_t{2} * a * b + c) / (int64_t{2} * c);
  return static_cast<int>(std::clamp<int64_t>(scaled, 1, limit));
}

int Truncated(int64_t a, int64_t b, int64_t c) { return static_cast<int>(a * b / c); }

void AddBands(int image_width, int image_height, int tensor_width, int tensor_height,
              LetterboxPlan& plan) {
  const bool is_wide = int64_t{image_width} * tensor_height >= int64_t{tensor_width} * image_height;
  if (is_wide) {
    plan.height = Scaled(tensor_width, image_height, image_width, tensor_height);
    const int bands = tensor_height - plan.height;
    plan.top = bands / 2;
    plan.assigned_y = -Truncated(plan.top, image_width, tensor_width);
    plan.assigned_height = image_height + Truncated(bands, image_width, tensor_width);
  } else {
    plan.width = Scaled(tensor_height, image_width, image_height, tensor_width);
    const int bands = tensor_width - plan.width;
    plan.left = bands / 2;
    plan.assigned_x = -Truncated(plan.left, image_height, tensor_height);
    plan.assigned_width = image_width + Truncated(bands, image_height, tensor_height);
  }
}

void Crop(int image_width, int image_height, int tensor_width, int tensor_height,
          LetterboxPlan& plan) {
  plan.source_width = Scaled(tensor_width, image_height, tensor_height, image_width);
  plan.source_height = Scaled(tensor_height, image_width, tensor_width, image_height);
  plan.assigned_width = plan.source_width;
  plan.assigned_height = plan.source_height;
}

Image TopLeft(const ImageView& image, int width, int height) {
  Image part = MakeImage(width, height, image.channels);
  for (int y = 0; y < height; ++y) std::memcpy(part.row(y), image.row(y), part.row_bytes());
  return part;
}

}  // namespace

absl::StatusOr<LetterboxOptions> LetterboxOptions::FromFormat(const FormatString& format) {
  LetterboxOptions options;
  ASSIGN_OR_RETURN(const int keep, format.Int("keep_proportions", 1));
  if (keep < 0 || keep > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute 'keep_proportions' is ", keep, ", expected 0, 1 or 2"));
  }
  options.keep_proportions = static_cast<KeepProportions>(keep);
  ASSIGN_OR_RETURN(const int fill, format.Int("fill_color", 128));
  if (fill < 0 || fill > 255) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute 'fill_color' is ", fill, ", expected 0 to 255"));
  }
  options.fill_color = static_cast<uint8_t>(fill);
  return options;
}

LetterboxPlan PlanLetterbox(int image_width, int image_height, int tensor_width, int tensor_height,
                            KeepProportions keep_proportions) {
  for (const int side : {image_width, image_height, tensor_width, tensor_height}) {
    CHECK(side > 0 && side <= kMaxImageSide);
  }
  LetterboxPlan plan;
  plan.width = tensor_width;
  plan.height = tensor_height;
  plan.source_width = plan.assigned_width = image_width;
  plan.source_height = plan.assigned_height = image_height;
  switch (keep_proportions) {
    case KeepProportions::kStretch:
      break;
    case KeepProportions::kBands:
      AddBands(image_width, image_height, tensor_width, tensor_height, plan);
      break;
    case KeepProportions::kCrop:
      Crop(image_width, image_height, tensor_width, tensor_height, plan);
      break;
  }
  return plan;
}

Image ApplyLetterbox(const ImageView& image, const LetterboxPlan& plan, int tensor_width,
                     int tensor_height, uint8_t fill_color) {
  const bool is_part = plan.source_width != image.width || plan.source_height != image.height;
  Image part;
  if (is_part) part = TopLeft(image, plan.source_width, plan.source_height);
  ImageView source = is_part ? ImageView(part) : image;
  Image resized;
  if (source.width != plan.width || source.height != plan.height) {
    resized = Resize(source, plan.width, plan.height);
    source = resized;
  }
  if (plan.width == tensor_width && plan.height == tensor_height) {
    return source.pixels == resized.pixels.data() ? resized
                                                  : TopLeft(source, tensor_width, tensor_height);
  }
  Image result = MakeImage(tensor_width, tensor_height, image.channels);
  std::fill(result.pixels.begin(), result.pixels.end(), fill_color);
  for (int y = 0; y < plan.height; ++y) {
    uint8_t* row = result.row(plan.top + y) + static_cast<size_t>(plan.left) * image.channels;
    std::memcpy(row, source.row(y), source.row_bytes());
  }
  return result;
}

}  // namespace synap_internal
