// One Caffe layer as its mapping function sees it, with its parameters and weights.
#ifndef COMPILER_IMPORT_CAFFE_LAYER_CONTEXT_H_
#define COMPILER_IMPORT_CAFFE_LAYER_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/caffe/network.h"
#include "compiler/import/caffe/weights.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/operand_context.h"

namespace synap_internal::caffe_import {

// State that the layers of one import share.
struct ImportState {
  GraphBuilder builder;
  const Network& network;
  const Weights& weights;
  std::vector<Tensor*> values;  // by value of the network; null: none yet

  // Makes `tensor` what the value stands for, and gives it the blob's name
  // unless it has one already.
  void Bind(size_t value, Tensor* tensor);
};

class LayerContext : public OperandContext {
 public:
  LayerContext(const Layer& layer, ImportState& state);

  const caffe::LayerParameter& param() const { return *layer_.param; }

  // --- Bottoms
  // Unimplemented unless bottom 0 is [N,C,H,W].
  absl::Status CheckImage() const;

  // --- Weights, blob `i` of the given dimensions
  Emitted Blob(size_t i, const std::vector<int64_t>& dims, absl::string_view suffix);
  absl::StatusOr<std::vector<float>> BlobValues(size_t i, int64_t count);

  // --- Results
  size_t output_count() const { return layer_.tops.size(); }
  void SetTop(size_t i, Tensor* tensor) { (void)SetOutput(i, tensor); }
  absl::Status SetTop(Emitted tensor) { return SetOutput(std::move(tensor)); }

 private:
  absl::Status BindOutput(size_t i, Tensor* tensor) override;

  const Layer& layer_;
  ImportState& state_;
};

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_LAYER_CONTEXT_H_
