#include "runtime/vision/detector/box_geometry.h"

#include <algorithm>
#include <cmath>

#include "base/trigonometry.h"

namespace synap_internal {

DetectedBox OrientedBox(float x, float y, float width, float height, float angle, BoxScale scale) {
  constexpr float kLargestAngle = 1e6f;  // beyond it, and for NaN, the box isn't turned
  const bool turned = std::abs(angle) < kLargestAngle;
  const float cosine = turned ? Cos(angle) : 1;
  const float sine = turned ? Sin(angle) : 0;
  const float ux = width / 2 * cosine * scale.x;
  const float uy = width / 2 * sine * scale.y;
  const float vx = -height / 2 * sine * scale.x;
  const float vy = height / 2 * cosine * scale.y;
  const float extent_x = std::abs(ux) + std::abs(vx);
  const float extent_y = std::abs(uy) + std::abs(vy);
  DetectedBox box = CornerBox(x, y, x, y, scale);
  box.x0 -= extent_x;
  box.y0 -= extent_y;
  box.x1 += extent_x;
  box.y1 += extent_y;
  box.ux = ux;
  box.uy = uy;
  box.vx = vx;
  box.vy = vy;
  return box;
}

void AddCorners(const DetectedBox& box, DetectionDetails* details) {
  const float x = (box.x0 + box.x1) / 2, y = (box.y0 + box.y1) / 2;
  details->landmarks.push_back({x + box.ux + box.vx, y + box.uy + box.vy, 0});
  details->landmarks.push_back({x - box.ux + box.vx, y - box.uy + box.vy, 0});
  details->landmarks.push_back({x - box.ux - box.vx, y - box.uy - box.vy, 0});
  details->landmarks.push_back({x + box.ux - box.vx, y + box.uy - box.vy, 0});
}

int ClassIndexOf(float value) {
  constexpr float kLimit = 1e6f;
  return std::isnan(value) ? 0 : static_cast<int>(std::lround(std::clamp(value, -kLimit, kLimit)));
}

}  // namespace synap_internal
