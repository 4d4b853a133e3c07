// Facts that a model file states of itself, from the words of its exporter.
#ifndef COMPILER_START_MODEL_FACTS_H_
#define COMPILER_START_MODEL_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/import/model_summary.h"

namespace synap_internal {

struct ModelFacts {
  std::string producer;              // in lower case: "pytorch 1.9"; "": unknown
  std::vector<StatedPixels> inputs;  // of the network's first inputs
  std::vector<std::string> labels;   // of all classes; empty: unknown

  // The file is an export of Ultralytics' YOLOv5 or ultralytics package, whose pixels and outputs
  // follow from its task: "detect", "segment", "pose", "obb" or "classify".
  bool by_ultralytics = false;
  std::string task;
  std::vector<int64_t> points;  // of a pose: their number, and values for each
};

ModelFacts ReadFacts(const FileMetadata& metadata);

}  // namespace synap_internal

#endif  // COMPILER_START_MODEL_FACTS_H_
