#include "runtime/vision/detector/suppression.h"

#include <cstdint>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"

namespace synap_internal {
namespace {

constexpr int kBoxes = 25200;  // of YOLOv5 at 640x640
constexpr int kClasses = 80;

// Uniform in [low, high), the same on every machine.
float Uniform(std::mt19937& random, float low, float high) {
  return low + (high - low) * static_cast<float>(random() >> 8) / 16777216.0f;
}

// Boxes from `smallest` to `largest` pixels in a picture of 640x640.
std::vector<DetectedBox> RandomBoxes(float smallest, float largest) {
  std::mt19937 random(1);
  std::vector<DetectedBox> boxes(kBoxes);
  for (DetectedBox& box : boxes) {
    const float width = Uniform(random, smallest, largest);
    const float height = Uniform(random, smallest, largest);
    box.x0 = Uniform(random, 0, 640 - width);
    box.y0 = Uniform(random, 0, 640 - height);
    box.x1 = box.x0 + width;
    box.y1 = box.y0 + height;
    box.score = Uniform(random, 0.001f, 1);
    box.class_index = static_cast<int>(random() % kClasses);
  }
  return boxes;
}

// What a detector gives with a threshold of 0.001: each cell's three anchors, jittered.
std::vector<DetectedBox> GridBoxes() {
  constexpr float kAnchors[3][3] = {{10, 16, 33}, {30, 62, 59}, {116, 156, 373}};
  std::mt19937 random(1);
  std::vector<DetectedBox> boxes;
  for (int level = 0; level < 3; ++level) {
    const int cells = 80 >> level;
    const float stride = static_cast<float>(8 << level);
    for (int i = 0; i < 3 * cells * cells; ++i) {
      const float size = kAnchors[level][i % 3] * Uniform(random, 0.5f, 2);
      const float x = (static_cast<float>(i / 3 % cells) + Uniform(random, -0.5f, 1.5f)) * stride;
      const float y = (static_cast<float>(i / 3 / cells) + Uniform(random, -0.5f, 1.5f)) * stride;
      DetectedBox& box = boxes.emplace_back();
      box.x0 = x - size / 2;
      box.y0 = y - size / 2;
      box.x1 = x + size / 2;
      box.y1 = y + size / 2;
      box.score = Uniform(random, 0.001f, 1);
      box.class_index = static_cast<int>(random() % kClasses);
    }
  }
  return boxes;
}

void BM_Select(benchmark::State& state, const std::vector<DetectedBox>& boxes,
               const SuppressionOptions& options) {
  size_t kept = 0;
  for (auto _ : state) {
    const std::vector<DetectedBox> selected = SelectBoxes(boxes, options);
    kept = selected.size();
    benchmark::DoNotOptimize(selected.data());
  }
  state.counters["boxes"] = static_cast<double>(boxes.size());
  state.counters["kept"] = static_cast<double>(kept);
}

constexpr SuppressionOptions kAll = {};
constexpr SuppressionOptions kInClasses = {.scope = NmsScope::kClass};

BENCHMARK_CAPTURE(BM_Select, grid, GridBoxes(), kAll)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, grid_in_classes, GridBoxes(), kInClasses)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, grid_best_100, GridBoxes(), SuppressionOptions{.max_boxes = 100})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, small, RandomBoxes(4, 12), kAll)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, mixed, RandomBoxes(4, 320), kAll)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, mixed_in_classes, RandomBoxes(4, 320), kInClasses)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, mixed_iou_90, RandomBoxes(4, 320),
                  SuppressionOptions{.iou_threshold = 0.9f})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, mixed_iou_10, RandomBoxes(4, 320),
                  SuppressionOptions{.iou_threshold = 0.1f})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Select, mixed_with_min, RandomBoxes(4, 320),
                  SuppressionOptions{.iou_with_min = true})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace synap_internal
