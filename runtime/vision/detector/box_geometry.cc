#include "runtime/vision/detector/box_geometry.h"

#include <algorithm>
#include <cmath>

namespace synap_internal {
namespace {

struct Direction {
  float cosine = 1;
  float sine = 0;
};

// Taylor's series to the 15th power on [-pi/4, pi/4], in double: the error is below 1e-13.
Direction DirectionOf(float angle) {
  constexpr double kHalfPi = 1.5707963267948966;
  if (!(std::abs(angle) < 1e6f)) return {};
  const double quarter = std::nearbyint(angle / kHalfPi);
  const double x = angle - quarter * kHalfPi;
  const double square = x * x;
  double sine = x, cosine = 1;
  double sine_term = x, cosine_term = 1;
  for (int n = 1; n <= 7; ++n) {
    cosine_term *= -square / ((2 * n - 1) * (2 * n));
    sine_term *= -square / ((2 * n) * (2 * n + 1));
    cosine += cosine_term;
    sine += sine_term;
  }
  const auto c = static_cast<float>(cosine), s = static_cast<float>(sine);
  switch (static_cast<long long>(quarter) & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

}  // namespace

DetectedBox OrientedBox(float x, float y, float width, float height, float angle, BoxScale scale) {
  const Direction direction = DirectionOf(angle);
  const float ux = width / 2 * direction.cosine * scale.x;
  const float uy = width / 2 * direction.sine * scale.y;
  const float vx = -height / 2 * direction.sine * scale.x;
  const float vy = height / 2 * direction.cosine * scale.y;
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
