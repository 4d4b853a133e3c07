// Accuracy of a model on pictures with known content, compared with its float network.
#ifndef RULES_CHECKER_ACCURACY_H_
#define RULES_CHECKER_ACCURACY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rules/checker/golden.h"
#include "runtime/api/network_copies.h"
#include "synap/network.hpp"

namespace synap_internal {

struct Figure {
  std::string name;  // "float ap50", "quantized recall", "stride_8 sqnr_db"
  double value = 0;  // rounded to `decimals`
  int decimals = 4;
  bool higher_is_better = true;
  double tolerance = 0;  // what a new golden allows it to be worse
};

struct PictureFigures {
  std::string picture;  // file name
  // Objects missed and detections of nothing; for classifiers 1 if the class is wrong.
  int float_errors = 0;
  int quantized_errors = 0;
  double sqnr_db = 0;  // of the worst output
};

struct Accuracy {
  std::vector<Figure> figures;
  // Those first that lose most by quantization.
  std::vector<PictureFigures> pictures;
};

// The networks that a picture runs through.
struct AccuracyNetworks {
  synaptics::synap::Network model;
  // The float network; none loaded for one that came quantized: then its own figures are all.
  synaptics::synap::Network reference;
};

// Runs both networks on every picture, as many pictures at the same time as there are copies of the
// networks. `truth` is what a truth file holds:
//
//   {"pictures": {"a.jpg": [{"class": 0, "box": [left, top, width, height],
//                            "landmarks": [[x, y], ...]}, ...], "b.jpg": []}}     of a detector
//   {"pictures": {"a.jpg": 3, "b.jpg": 0}}                                        of a classifier
//
// in pixels; class 0 and no landmarks if left out. Which of them a network is follows from its
// first output's format. Figures: of float and quantized network ap50, ap50_95, recall, precision
// and landmark_error (metrics.h), or top1 and top5; of each output sqnr_db and cosine, quantized
// against float, over all pictures: the same bits for any number of copies.
// InvalidArgument naming the picture or output that doesn't fit, the first in the pictures' order.
absl::StatusOr<Accuracy> MeasureAccuracy(NetworkCopies<AccuracyNetworks>& copies, const Json& truth,
                                         absl::Span<const std::string> pictures);

// {"figures": {<name>: {"value", "tolerance"}}}. Tolerances of `old`, if it has the figure, are
// kept.
Json AccuracyGolden(const Accuracy& accuracy, const Json& old);

struct Comparison {
  std::string table;   // one line for each figure: golden, found, change, what is allowed
  bool worse = false;  // a figure is worse than allowed, or only on one side
};

// InvalidArgument if `golden` isn't what AccuracyGolden makes.
absl::StatusOr<Comparison> CompareAccuracy(const Json& golden, const Accuracy& found);

// The first `count` pictures, a line each.
std::string WorstPictures(const Accuracy& accuracy, size_t count);

}  // namespace synap_internal

#endif  // RULES_CHECKER_ACCURACY_H_
