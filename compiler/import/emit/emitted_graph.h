// Graph and emitter of one node, for tests of the code that importers share.
#ifndef COMPILER_IMPORT_EMIT_EMITTED_GRAPH_H_
#define COMPILER_IMPORT_EMIT_EMITTED_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// The node is called "node" and its output "y".
class EmittedGraph {
 public:
  using Dims = std::vector<int64_t>;

  OpEmitter& op() { return op_; }

  // The inputs are called x0, x1, ...; all tensors live as long as this.
  Tensor* Input(const Dims& dims, DataType type = DataType::kFloat32);
  Tensor* Ints(const std::vector<int64_t>& values) { return builder_.AddInts("ints", values); }
  Tensor* Float(float value) { return builder_.AddScalar("float", value); }
  // float32, row-major. Ops of constants alone are computed when they are emitted (see Values).
  Tensor* Constant(const Dims& dims, const std::vector<float>& values);
  // The constant 0, 1, 2, ...
  Tensor* Counted(const Dims& dims);

  // The ops in the order in which they were emitted, one line each without types:
  // "y.negated = less(x0, x1)", and the output's shape, "y 2x3". The message of an error.
  std::string Text(const Emitted& y) const;

  // Values of `y` for values of the inputs, as floats; aborts on errors.
  std::vector<float> Run(const Emitted& y, const std::vector<std::vector<float>>& inputs);

 private:
  Graph graph_;
  GraphBuilder builder_{graph_, int64_t{1} << 20};
  OpEmitter op_{builder_, "node", "y"};
};

// The values of a constant of float32; empty for other tensors and for errors.
std::vector<float> Values(const Emitted& tensor);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_EMITTED_GRAPH_H_
