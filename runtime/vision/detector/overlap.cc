#include "runtime/vision/detector/overlap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace synap_internal {
namespace {

struct Point {
  float x = 0;
  float y = 0;
};

// A convex polygon: four corners, and one more for each of the four sides that cut it.
struct Polygon {
  std::array<Point, 8> points;
  size_t count = 0;

  void Add(Point point) {
    if (count < points.size()) points[count++] = point;
  }
};

// The corners around the middle of `origin`, so that large coordinates cost no precision.
Polygon Corners(const DetectedBox& box, const DetectedBox& origin) {
  Polygon corners;
  if (!box.oriented()) {
    const float cx = (origin.x0 + origin.x1) / 2, cy = (origin.y0 + origin.y1) / 2;
    corners.Add({box.x0 - cx, box.y0 - cy});
    corners.Add({box.x1 - cx, box.y0 - cy});
    corners.Add({box.x1 - cx, box.y1 - cy});
    corners.Add({box.x0 - cx, box.y1 - cy});
    return corners;
  }
  const float x = (box.x0 - origin.x0 + box.x1 - origin.x1) / 2;
  const float y = (box.y0 - origin.y0 + box.y1 - origin.y1) / 2;
  corners.Add({x - box.ux - box.vx, y - box.uy - box.vy});
  corners.Add({x + box.ux - box.vx, y + box.uy - box.vy});
  corners.Add({x + box.ux + box.vx, y + box.uy + box.vy});
  corners.Add({x - box.ux + box.vx, y - box.uy + box.vy});
  return corners;
}

float Cross(Point from, Point to, Point point) {
  return (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x);
}

// Twice the area, positive if the corners go from x to y.
float SignedArea(const Polygon& polygon) {
  float area = 0;
  for (size_t i = 2; i < polygon.count; ++i) {
    area += Cross(polygon.points[0], polygon.points[i - 1], polygon.points[i]);
  }
  return area;
}

// The part of `polygon` on the side of from..to for which Cross() * side >= 0.
Polygon Cut(const Polygon& polygon, Point from, Point to, float side) {
  Polygon part;
  for (size_t i = 0; i < polygon.count; ++i) {
    const Point a = polygon.points[i];
    const Point b = polygon.points[(i + 1) % polygon.count];
    const float at_a = Cross(from, to, a) * side;
    const float at_b = Cross(from, to, b) * side;
    if (at_a >= 0) part.Add(a);
    if ((at_a >= 0) == (at_b >= 0)) continue;
    const float t = at_a / (at_a - at_b);
    part.Add({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
  }
  return part;
}

// Sutherland and Hodgman, "Reentrant polygon clipping", Communications of the ACM 17 (1974).
float ClippedArea(Polygon polygon, const Polygon& window) {
  const float side = SignedArea(window) < 0 ? -1.0f : 1.0f;
  for (size_t i = 0; i < window.count; ++i) {
    polygon = Cut(polygon, window.points[i], window.points[(i + 1) % window.count], side);
  }
  return std::abs(SignedArea(polygon)) / 2;
}

}  // namespace

bool HasArea(const DetectedBox& box) {
  const float width = box.x1 - box.x0, height = box.y1 - box.y0;
  return width > 0 && height > 0 && std::isfinite(width * height);
}

float Overlap(const DetectedBox& a, const DetectedBox& b, bool with_min) {
  if (!HasArea(a) || !HasArea(b)) return 0;
  const float bounded = AlignedOverlap(a, b, with_min);
  if (!(bounded > 0) || (!a.oriented() && !b.oriented())) return bounded;
  const Polygon at_a = Corners(a, a), at_b = Corners(b, a);
  const float area_a = std::abs(SignedArea(at_a)) / 2, area_b = std::abs(SignedArea(at_b)) / 2;
  const float intersection = ClippedArea(at_a, at_b);
  const float all = with_min ? std::min(area_a, area_b) : area_a + area_b - intersection;
  return all > 0 ? intersection / all : 0;
}

}  // namespace synap_internal
