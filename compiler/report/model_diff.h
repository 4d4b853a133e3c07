// Differences of two compiled models, side by side.
#ifndef COMPILER_REPORT_MODEL_DIFF_H_
#define COMPILER_REPORT_MODEL_DIFF_H_

#include <string>
#include <vector>

#include "compiler/report/model_report.h"

namespace synap_internal {

// A fact of both models: "layers", "214", "198".
struct FactPair {
  std::string fact, before, after;
  bool differs() const { return before != after; }
};

// A layer of both models, or of one.
struct LayerPairing {
  int before = -1, after = -1;    // into the models' layers; -1: the model doesn't have it
  std::vector<FactPair> changes;  // only what differs
};

struct ModelDiff {
  ModelReport before, after;
  std::vector<FactPair> facts;       // the whole models'; all, also equal ones
  std::vector<LayerPairing> layers;  // that differ, in the order of the models
  // The 5 of `after` with the lowest signal to noise ratio of their own, that first; without
  // changes. Empty if `after` has no analysis.
  std::vector<LayerPairing> worst;

  bool same() const;
};

// Layers belong together if they come from the same imported nodes; where several do, in their
// order.
ModelDiff CompareModels(ModelReport before, ModelReport after);

// One screen of facts, the worst layers, then the first `top` layers that differ; 0: all of them.
// Ends with a newline.
std::string TextReport(const ModelDiff& diff, int top = 0);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_MODEL_DIFF_H_
