// One TorchScript node as its mapping function sees it: its arguments in the order of
// the operator's schema, and the functions that emit ops.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_NODE_CONTEXT_H_
#define COMPILER_IMPORT_TORCHSCRIPT_NODE_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/emit/op_emitter.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// State that the nodes of one import share.
struct ImportState {
  GraphBuilder builder;
  std::shared_ptr<const void> owner;  // keeps the constants of the file alive
  // By value: whether a needed node or an output of the network reads it.
  std::vector<bool> read = {};
  // Constant weights of recurrent cells in the order that ops have them, by the kind of the cell
  // and the tensor of the file.
  absl::flat_hash_map<std::pair<const void*, const Tensor*>, Tensor*> cell_weights = {};
};

class NodeContext : public OpEmitter {
 public:
  // `kind`: without the underscore of what works in place. `origin`: as users know the node.
  NodeContext(const torchscript::Node& node, std::string kind, std::string origin,
              std::vector<Value> arguments, ImportState& state);

  const std::string& kind() const { return kind_; }
  const torchscript::Node& node() const { return node_; }
  ImportState& state() { return state_; }

  // --- Arguments. Errors say which (counted from 0) is what instead.
  size_t size() const { return arguments_.size(); }
  const Value& argument(size_t i) const { return arguments_[i]; }
  // There and not None.
  bool Has(size_t i) const { return i < size() && !arguments_[i].IsNone(); }
  Emitted GetTensor(size_t i) const;
  // The tensor, or a number as a constant; of float32 next to a tensor of that type.
  Emitted GetNumbers(size_t i);
  absl::StatusOr<std::vector<Tensor*>> GetTensors(size_t i) const;
  // Null for those that are None.
  absl::StatusOr<std::vector<Tensor*>> GetOptionalTensors(size_t i) const;
  // Null if it is None or missing.
  Emitted GetOptionalTensor(size_t i) const;
  // Numbers may also be constant tensors of one element, which tracing leaves.
  absl::StatusOr<int64_t> GetInt(size_t i) const;
  absl::StatusOr<float> GetReal(size_t i) const;
  absl::StatusOr<double> GetDouble(size_t i) const;
  absl::StatusOr<bool> GetBool(size_t i) const;
  absl::StatusOr<std::string> GetString(size_t i) const;
  absl::StatusOr<std::vector<int64_t>> GetInts(size_t i) const;
  absl::StatusOr<std::vector<double>> GetDoubles(size_t i) const;
  absl::StatusOr<const torchscript::PackedWeights*> GetPacked(size_t i) const;
  // The fallbacks of arguments that are None or that older operators don't have.
  absl::StatusOr<int64_t> GetIntOr(size_t i, int64_t fallback) const {
    return Has(i) ? GetInt(i) : fallback;
  }
  absl::StatusOr<float> GetRealOr(size_t i, float fallback) const {
    return Has(i) ? GetReal(i) : fallback;
  }
  absl::StatusOr<double> GetDoubleOr(size_t i, double fallback) const {
    return Has(i) ? GetDouble(i) : fallback;
  }
  absl::StatusOr<bool> GetBoolOr(size_t i, bool fallback) const {
    return Has(i) ? GetBool(i) : fallback;
  }
  // An axis in [-rank, rank) -> [0, rank).
  absl::StatusOr<int64_t> GetAxis(size_t i, size_t rank) const;
  absl::StatusOr<int64_t> GetAxisOr(size_t i, size_t rank, int64_t fallback) const;
  // One integer, or a list of any number of them.
  absl::StatusOr<std::vector<int64_t>> GetIntOrInts(size_t i) const;
  // One axis, or a list of different ones, each as GetAxis gives it.
  absl::StatusOr<std::vector<int64_t>> GetAxes(size_t i, size_t rank) const;
  // The same; all axes if the argument is None, missing or an empty list.
  absl::StatusOr<std::vector<int64_t>> GetAxesOrAll(size_t i, size_t rank) const;
  // One integer, or one for each of `count` dimensions.
  absl::StatusOr<std::vector<int64_t>> GetIntsOf(size_t i, size_t count) const;

  // --- Tensors of integers with a scale and a zero point
  // The real numbers that a quantized tensor stands for. Constants stay
  // integers before a dequantize, which the compiler fuses.
  Emitted Dequantize(Tensor* x, absl::string_view suffix);
  // Integers with data type and quantizer of `type` for real numbers.
  Emitted Quantize(const Emitted& x, const TensorType& type, absl::string_view suffix);

  // --- Results
  absl::Status SetOutput(absl::StatusOr<Value> value);
  // `is_uint8`: as Variable::is_uint8.
  absl::Status SetOutput(const Emitted& tensor, std::optional<bool> is_uint8 = std::nullopt);
  // A list of tensors as the one output.
  absl::Status SetList(absl::StatusOr<std::vector<Tensor*>> tensors);
  absl::Status SetOutputs(std::vector<Value> values);
  absl::Status SetTensors(const std::vector<Emitted>& tensors);
  // Whether something reads output i.
  bool IsRead(size_t i) const;
  // The outputs after those that are set, which no mapped operator reads; `what` they are in
  // errors.
  void AddUnread(absl::string_view what);
  std::vector<Value>& outputs() { return outputs_; }
  // The output is this part of argument 0; of a list, each item its own.
  void SetRegion(const Region& region) { regions_ = {region}; }
  void SetRegions(std::vector<Region> regions) { regions_ = std::move(regions); }
  const std::vector<Region>& regions() const { return regions_; }

 private:
  absl::Status Mismatch(size_t i, absl::string_view expected) const;
  // The items of the list that argument i is, each as `read` gives it.
  template <typename T>
  absl::StatusOr<std::vector<T>> GetItems(size_t i, absl::string_view expected,
                                          absl::StatusOr<T> (*read)(const Value&)) const;

  const torchscript::Node& node_;
  const std::string kind_;
  const std::vector<Value> arguments_;
  std::vector<Value> outputs_;
  std::vector<Region> regions_;
  ImportState& state_;
};

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_NODE_CONTEXT_H_
