// Work of a layer as far as its time depends on it: the sizes that the latency model prices.
#ifndef COMPILER_TARGET_LAYER_WORK_H_
#define COMPILER_TARGET_LAYER_WORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "compiler/graph/graph.h"
#include "compiler/target/engine.h"
#include "runtime/program/program.h"

namespace synap_internal {

// Price list of the latency model (docs/latency.md). Each kind of work has a price of its own.
enum class WorkKind : uint8_t {
  kConvolution,    // dense sums of products with constant weights, transposed ones included
  kDepthwise,      // the same, each channel on its own
  kMatrices,       // sums of products of two flowing operands
  kStream,         // element by element, in the order of memory: additions, clamps, pooling, means
  kCopy,           // elements in another order nearby; rearranging the input of a strided window
  kScatter,        // elements in another order, far from each other
  kFunction,       // a table or a function of one operand, element by element
  kProduct,        // other functions of several operands, changes of type, softmax
  kInterpolation,  // weighted means of neighbours: resizing
};

struct WorkKindRow {
  WorkKind kind = WorkKind::kStream;
  absl::string_view word;        // in lists of layers
  Engine engine = Engine::kCpu;  // that does such work on integers
};

// Indexed by WorkKind.
inline constexpr WorkKindRow kWorkKinds[] = {
    {WorkKind::kConvolution, "convolution", Engine::kNn},
    {WorkKind::kDepthwise, "depthwise", Engine::kNn},
    {WorkKind::kMatrices, "matrices", Engine::kPpu},
    {WorkKind::kStream, "stream", Engine::kTp},
    {WorkKind::kCopy, "copy", Engine::kTp},
    {WorkKind::kScatter, "scatter", Engine::kTp},
    {WorkKind::kFunction, "function", Engine::kTp},
    {WorkKind::kProduct, "product", Engine::kPpu},
    {WorkKind::kInterpolation, "interpolation", Engine::kPpu},
};

constexpr const WorkKindRow& RowOf(WorkKind kind) { return kWorkKinds[static_cast<size_t>(kind)]; }

struct LayerWork {
  WorkKind kind = WorkKind::kStream;
  DataType type = DataType::kInvalid;  // of the data that flows
  int64_t macs = 0;                    // multiply-accumulates
  int64_t window = 1;                  // positions that an output element sums over
  int64_t channels = 1;                // of the output
  int64_t weights = 0;                 // constant elements
  int64_t elements = 0;                // that an engine other than the NN cores goes through
  int64_t pictures = 1;                // in a batch
  bool is_layer = true;                // costs the fixed time of a layer, too
  std::vector<int64_t> tensors;        // elements of each tensor that comes from or goes to memory

  friend bool operator==(const LayerWork& a, const LayerWork& b);
};

// What the NPU does for one op: first its own work, then that of what is fused into it. Empty for
// ops that only rename data. Depends on traits, types and attributes, not on constant values.
std::vector<LayerWork> WorkOf(const Op& op);
// REQUIRES: `program` is checked.
std::vector<LayerWork> WorkOf(const Program& program, const Instruction& instruction);

// One line: "convolution uint8 macs=2359296 window=9 channels=64 weights=36864 tensors=1+2".
// What has its default is left out.
std::string PrintWork(const LayerWork& work);
// InvalidArgument naming the word that isn't understood.
absl::StatusOr<LayerWork> ParseWork(absl::string_view line);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_LAYER_WORK_H_
