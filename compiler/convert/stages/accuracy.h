// Accuracy of a network's answers, held against labels: top-1 and top-5 of classifiers, mean
// average precision of detectors.
#ifndef COMPILER_CONVERT_STAGES_ACCURACY_H_
#define COMPILER_CONVERT_STAGES_ACCURACY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compiler/dataset/dataset.h"

namespace synap_internal {

// A box along the axes.
struct LabelledBox {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

// An object that a picture shows.
struct LabelledObject {
  int class_index = 0;
  LabelledBox box;        // in parts of the picture, 0 to 1
  bool is_crowd = false;  // many objects in one box: what is found there is neither right nor wrong
};

// What is in a sample.
struct SampleLabel {
  int class_index = 0;                  // for classifiers
  std::vector<LabelledObject> objects;  // for detectors
  std::string place;                    // for messages: "labels/a.txt", "val.txt:3"
};

struct Labels {
  std::string path;  // of the file or folder
  bool have_boxes = false;
  // How many classes the network must have, the first one of index 0, where the labels' classes are
  // numbered by their order; 0: any.
  int classes = 0;
  std::map<std::string, SampleLabel> samples;  // by KeyOf them

  // The path of the sample's first file, since names of several may be the same; its name if it has
  // none.
  static const std::string& KeyOf(const DatasetSample& sample);
};

// Parts of 1. `first`: right by the best class, mean average precision at an overlap of 0.5;
// `second`: right by one of the best five classes, mean over overlaps of 0.5 to 0.95 by 0.05.
struct AccuracyFigures {
  double first = 0;
  double second = 0;
};

// "top-1" and "top-5", or "mAP@0.5" and "mAP@0.5:0.95".
struct AccuracyNames {
  const char* first;
  const char* second;
};
AccuracyNames NamesOfAccuracy(bool of_boxes);

// A box that a network found.
struct FoundObject {
  int class_index = 0;
  float score = 0;
  LabelledBox box;
};

// The right and wrong answers of a network. Which samples were added in which order is a matter of
// equal scores alone.
class LabelledAnswers {
 public:
  static constexpr size_t kBestClasses = 5;

  // `best`: the best classes of a sample, at most kBestClasses of them, the best one first.
  void AddClasses(int label, absl::Span<const int> best);
  // Boxes of a picture, all in the same unit. As COCO's evaluation does it: of each class the best
  // 100; an object is found by the best box of its class that overlaps it enough (intersection over
  // union) and no other object more.
  void AddObjects(absl::Span<const LabelledObject> truth, std::vector<FoundObject> found);
  void Add(const LabelledAnswers& other);

  // Of detectors the mean over the classes that the labels have, of the precision at 101 recalls.
  // 0 if there are no labels.
  AccuracyFigures Score() const;

 private:
  // A box found. Bit i is of the overlap 0.5 + 0.05 i.
  struct Hit {
    float score = 0;
    uint16_t right = 0;
    uint16_t ignored = 0;
  };
  struct OfClass {
    size_t objects = 0;
    std::vector<Hit> hits;
  };

  static double PrecisionAt(const OfClass& answers, int overlap);
  static void AddObjectsOfClass(absl::Span<const LabelledObject> truth,
                                absl::Span<const FoundObject> found, OfClass& answers);

  int64_t samples_ = 0, first_ = 0, five_ = 0;
  std::map<int, OfClass> classes_;
};

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_ACCURACY_H_
