// Runs a TorchScript graph on tensors of which only the types are known: numbers are computed,
// branches taken and loops run; the operators on tensors become ops.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_BLOCK_MAPPER_H_
#define COMPILER_IMPORT_TORCHSCRIPT_BLOCK_MAPPER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/import/torchscript/node_context.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// Not thread-safe. `state` must outlive it.
class BlockMapper {
 public:
  // `values`: how many the graph has.
  BlockMapper(size_t values, ImportState& state);

  // Whether there is a mapping, or the operator is one of control flow.
  static bool IsSupported(absl::string_view kind);

  void Define(uint32_t value, Value what) { values_[value] = std::move(what); }
  // Values that nodes before don't replace.
  void Fix(uint32_t value) { fixed_.insert(value); }
  // Up to date with what was written to its memory.
  absl::StatusOr<Value> ValueOf(uint32_t value);

  // Defines the outputs of a node whose operands are defined. Errors name it.
  absl::Status Map(const torchscript::Node& node);
  // Whether an error of Map is about an operator without a mapping, in a branch or a loop perhaps.
  bool met_unsupported() const { return met_unsupported_; }

 private:
  absl::Status MapControlFlow(const torchscript::Node& node);
  absl::Status MapIf(const torchscript::Node& node);
  absl::Status MapLoop(const torchscript::Node& node);
  absl::StatusOr<std::vector<Value>> RunBlock(const torchscript::Block& block,
                                              const std::vector<Value>& inputs);
  absl::Status MapConstant(const torchscript::Node& node);
  absl::Status MapAttribute(const torchscript::Node& node);
  absl::StatusOr<Value> ReadConstant(const torchscript::Constant& constant,
                                     const std::string& name);
  absl::Status MapOperator(const torchscript::Node& node);
  absl::Status RefreshOperands(std::vector<Value>& operands, bool in_lists);
  // Makes the tensors of what `context` gives views of argument 0. `remakes`: they can be made
  // again.
  absl::Status ShareWithOperand(NodeContext& context, const OpMapping& mapping,
                                const std::vector<Value>& arguments, bool remakes);
  // Tensor `index` of what the operator gives for what the arguments are by now.
  Emitted MakeAgain(const torchscript::Node& node, const OpMapping& mapping,
                    const std::vector<Value>& arguments, size_t index);
  absl::Status SetOutputs(const torchscript::Node& node, const std::vector<Value>& outputs);
  std::string OriginOf(const torchscript::Node& node);

  ImportState& state_;
  std::vector<Value> values_;  // by id
  absl::flat_hash_set<uint32_t> fixed_;
  int depth_ = 0;  // blocks around the node
  bool met_unsupported_ = false;
  absl::flat_hash_map<const torchscript::Node*, std::string> origins_;
  absl::flat_hash_set<std::string> modules_;  // with a node of their name
};

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_BLOCK_MAPPER_H_
