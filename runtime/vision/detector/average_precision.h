// Average precision of ranked detections.
#ifndef RUNTIME_VISION_DETECTOR_AVERAGE_PRECISION_H_
#define RUNTIME_VISION_DETECTOR_AVERAGE_PRECISION_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace synap_internal {

// Detections of one class in all pictures: confidence, and whether it is an object.
using Ranking = std::vector<std::pair<double, bool>>;

// COCO's (Lin et al., Microsoft COCO, arXiv:1405.0312, and its evaluation code's definition):
// detections in the order of their confidence, equal ones as they are ranked; precision made
// monotonic; mean at the recalls 0.00, 0.01 ... 1.00. `objects`: how many there are. REQUIRES: at
// least one.
double AveragePrecision(Ranking ranking, size_t objects);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_AVERAGE_PRECISION_H_
