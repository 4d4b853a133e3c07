// Adds ops to the graph for one node of a model of any framework. The code that importers share
// is written against it.
#ifndef COMPILER_IMPORT_EMIT_OP_EMITTER_H_
#define COMPILER_IMPORT_EMIT_OP_EMITTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// For one node of a model. Not thread-safe.
class OpEmitter {
 public:
  // `builder` must outlive this. `origin`: the name by which users know the
  // node; `name`: that of its first output.
  OpEmitter(GraphBuilder& builder, std::string origin, std::string name);
  virtual ~OpEmitter() = default;

  GraphBuilder& builder() { return builder_; }
  const std::string& origin() const { return origin_; }
  // The name of the first output and a suffix, for tensors between.
  virtual std::string Name(absl::string_view suffix = "") const;

  // Emits an op whose output is called Name(suffix).
  absl::StatusOr<Tensor*> Emit(absl::string_view op, std::vector<Tensor*> op_inputs,
                               Attributes attributes = {}, absl::string_view suffix = "");
  absl::StatusOr<Tensor*> Reshape(Tensor* x, std::vector<int64_t> shape,
                                  absl::string_view suffix = "");
  absl::StatusOr<Tensor*> Transpose(Tensor* x, std::vector<int64_t> perm,
                                    absl::string_view suffix = "");
  // x as `type`; x itself if it has that type.
  absl::StatusOr<Tensor*> Cast(Tensor* x, DataType type, absl::string_view suffix = "");
  // factor * x; x itself for 1.
  absl::StatusOr<Tensor*> Scale(Tensor* x, float factor, absl::string_view suffix = "");

 private:
  virtual absl::StatusOr<Tensor*> DoEmit(absl::string_view op, std::vector<Tensor*> op_inputs,
                                         Attributes attributes, absl::string_view suffix);

  GraphBuilder& builder_;
  const std::string origin_;
  const std::string name_;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_OP_EMITTER_H_
