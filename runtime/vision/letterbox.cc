#include "runtime/vision/letterbox.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"

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

absl::Status CopyRows(ImageRows& image, int height, RowFunction emit) {
  constexpr int kRowsAtATime = 16;
  const uint8_t* rows[kRowsAtATime];
  for (int y = 0; y < height; y += kRowsAtATime) {
    const int count = std::min(kRowsAtATime, height - y);
    RETURN_IF_ERROR(image.Read(absl::MakeSpan(rows, static_cast<size_t>(count))));
    for (int i = 0; i < count; ++i) emit(y + i, rows[i]);
  }
  return absl::OkStatus();
}

}  // namespace

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

absl::Status LetterboxRows(ImageRows& image, const LetterboxPlan& plan, int tensor_width,
                           int tensor_height, uint8_t fill_color, RowFunction emit) {
  const auto channels = static_cast<size_t>(image.channels());
  const size_t bytes = static_cast<size_t>(plan.width) * channels;
  const std::vector<uint8_t> band(static_cast<size_t>(tensor_width) * channels, fill_color);
  for (int y = 0; y < plan.top; ++y) emit(y, band.data());
  std::vector<uint8_t> banded = band;  // with a row of the image in its middle
  const auto emit_banded = [&](int y, const uint8_t* row) {
    if (plan.width != tensor_width) {
      std::memcpy(banded.data() + static_cast<size_t>(plan.left) * channels, row, bytes);
      row = banded.data();
    }
    emit(plan.top + y, row);
  };
  const ResizePlan resize = {plan.source_width, plan.source_height, plan.width, plan.height};
  const bool keeps_size = plan.source_width == plan.width && plan.source_height == plan.height;
  RETURN_IF_ERROR(keeps_size ? CopyRows(image, plan.height, emit_banded)
                             : ResizeRows(image, resize, emit_banded));
  for (int y = plan.top + plan.height; y < tensor_height; ++y) emit(y, band.data());
  return image.Finish();
}

}  // namespace synap_internal
