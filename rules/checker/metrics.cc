#include "rules/checker/metrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "runtime/vision/detector/average_precision.h"

namespace synap_internal {
namespace {

constexpr double kFirstOverlap = 0.5;

// The detections' indices, best first; equal ones in the order in which they were found.
std::vector<size_t> ByConfidence(const std::vector<Object>& found) {
  std::vector<size_t> order(found.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return found[a].confidence > found[b].confidence; });
  return order;
}

constexpr int kNoObject = -1;

// For each detection the index of its object.
std::vector<int> Match(const DetectedPicture& picture, double overlap) {
  std::vector<int> objects(picture.found.size(), kNoObject);
  std::vector<bool> taken(picture.truth.size(), false);
  for (const size_t i : ByConfidence(picture.found)) {
    double best = overlap;
    for (size_t j = 0; j < picture.truth.size(); ++j) {
      if (taken[j] || picture.truth[j].class_index != picture.found[i].class_index) continue;
      const double iou = IntersectionOverUnion(picture.truth[j].box, picture.found[i].box);
      if (iou < best) continue;
      best = iou;
      objects[i] = static_cast<int>(j);
    }
    if (objects[i] != kNoObject) taken[objects[i]] = true;
  }
  return objects;
}

// Mean over the classes that have objects; 0 if none has.
double MeanAveragePrecision(absl::Span<const DetectedPicture> pictures, double overlap) {
  std::map<int, size_t> objects;
  std::map<int, Ranking> rankings;
  for (const DetectedPicture& picture : pictures) {
    for (const Object& object : picture.truth) ++objects[object.class_index];
    const std::vector<int> matches = Match(picture, overlap);
    for (size_t i = 0; i < matches.size(); ++i) {
      const Object& found = picture.found[i];
      rankings[found.class_index].emplace_back(found.confidence, matches[i] != kNoObject);
    }
  }
  double sum = 0;
  for (const auto& [class_index, count] : objects) {
    sum += AveragePrecision(rankings[class_index], count);
  }
  return objects.empty() ? 0 : sum / static_cast<double>(objects.size());
}

DetectedPicture AtScore(const DetectedPicture& picture, double score) {
  DetectedPicture kept{picture.truth, {}};
  for (const Object& found : picture.found) {
    if (found.confidence >= score) kept.found.push_back(found);
  }
  return kept;
}

// REQUIRES: as many landmarks, at least one.
double MeanDistance(const Object& a, const Object& b) {
  double sum = 0;
  for (size_t i = 0; i < a.landmarks.size(); ++i) {
    sum += std::hypot(a.landmarks[i].x - b.landmarks[i].x, a.landmarks[i].y - b.landmarks[i].y);
  }
  return sum / static_cast<double>(a.landmarks.size());
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

double IntersectionOverUnion(const Box& a, const Box& b) {
  const double width = std::min(a.left + a.width, b.left + b.width) - std::max(a.left, b.left);
  const double height = std::min(a.top + a.height, b.top + b.height) - std::max(a.top, b.top);
  const double common = std::max(0.0, width) * std::max(0.0, height);
  return Ratio(common, a.width * a.height + b.width * b.height - common);
}

DetectionFigures MeasureDetections(absl::Span<const DetectedPicture> pictures,
                                   double working_score) {
  DetectionFigures figures;
  constexpr int kOverlaps = 10;
  for (int i = 0; i < kOverlaps; ++i) {
    const double precision = MeanAveragePrecision(pictures, kFirstOverlap + 0.05 * i);
    if (i == 0) figures.ap50 = precision;
    figures.ap50_95 += precision / kOverlaps;
  }
  double objects = 0, found = 0, hits = 0, marked = 0, distance = 0;
  for (const DetectedPicture& whole : pictures) {
    const DetectedPicture picture = AtScore(whole, working_score);
    objects += static_cast<double>(picture.truth.size());
    found += static_cast<double>(picture.found.size());
    const std::vector<int> matches = Match(picture, kFirstOverlap);
    for (size_t i = 0; i < matches.size(); ++i) {
      if (matches[i] == kNoObject) continue;
      const Object& object = picture.truth[matches[i]];
      ++hits;
      if (object.landmarks.empty()) continue;
      ++marked;
      distance += Ratio(MeanDistance(object, picture.found[i]),
                        std::sqrt(object.box.width * object.box.height));
    }
  }
  figures.recall = Ratio(hits, objects);
  figures.precision = Ratio(hits, found);
  figures.landmark_error = Ratio(distance, marked);
  return figures;
}

DetectionErrors CountErrors(const DetectedPicture& picture, double working_score) {
  const DetectedPicture kept = AtScore(picture, working_score);
  const std::vector<int> matches = Match(kept, kFirstOverlap);
  const auto extra = static_cast<int>(std::count(matches.begin(), matches.end(), kNoObject));
  const int hits = static_cast<int>(matches.size()) - extra;
  return {static_cast<int>(kept.truth.size()) - hits, extra};
}

}  // namespace synap_internal
