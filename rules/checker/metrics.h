// Figures of merit of detectors.
#ifndef RULES_CHECKER_METRICS_H_
#define RULES_CHECKER_METRICS_H_

#include <vector>

#include "absl/types/span.h"

namespace synap_internal {

struct Point {
  double x = 0, y = 0;
};

// In pixels of the picture; `left`, `top` is the corner.
struct Box {
  double left = 0, top = 0, width = 0, height = 0;
};

// Intersection over union; 0 if both are empty.
double IntersectionOverUnion(const Box& a, const Box& b);

struct Object {
  int class_index = 0;
  Box box;
  std::vector<Point> landmarks;
  double confidence = 1;  // of a detection
};

// What is in one picture, and what was detected there.
struct DetectedPicture {
  std::vector<Object> truth;
  std::vector<Object> found;
};

struct DetectionFigures {
  double ap50 = 0;     // average precision at an IoU of 0.50, mean over the classes
  double ap50_95 = 0;  // mean over IoUs of 0.50, 0.55 ... 0.95
  // At the working threshold and an IoU of 0.5:
  double recall = 0;
  double precision = 0;
  // Mean distance of landmarks to where they are, divided by sqrt(width * height) of the true box;
  // over the objects found that have landmarks. 0 without any.
  double landmark_error = 0;
};

// The average precision is COCO's (Lin et al., Microsoft COCO, arXiv:1405.0312, and its evaluation
// code's definition), without its limit of 100 detections: detections in the order of their
// confidence, each with the best free object of its class; precision made monotonic; mean at the
// recalls 0.00, 0.01 ... 1.00. Classes without an object don't count. `working_score`: detections
// below it don't count for recall, precision and landmarks. REQUIRES: a detection has as many
// landmarks as the objects that have any.
DetectionFigures MeasureDetections(absl::Span<const DetectedPicture> pictures,
                                   double working_score);

// How many objects of a picture are not detected, and detections no object, at the working score.
struct DetectionErrors {
  int missed = 0;
  int extra = 0;
};
DetectionErrors CountErrors(const DetectedPicture& picture, double working_score);

}  // namespace synap_internal

#endif  // RULES_CHECKER_METRICS_H_
