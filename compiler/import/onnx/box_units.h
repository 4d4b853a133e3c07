// The unit of a detector's boxes: parts of the picture or pixels.
#ifndef COMPILER_IMPORT_ONNX_BOX_UNITS_H_
#define COMPILER_IMPORT_ONNX_BOX_UNITS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "compiler/graph/graph.h"
#include "compiler/import/onnx/graph_index.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// Coordinates of the picture's right and lower edge.
struct BoxUnits {
  double width = 1;
  double height = 1;
};

// What the nodes that make `boxes` say of their unit. Boxes that are clipped to the picture have
// its size in their limits, for x and then for y (`y_first`: the other way round). Others are sums
// and products of the network's values, of about 1, with constants: those are above 16 where boxes
// are pixels, of the picture's `pixels`. `tensors` are those that the nodes became, with the values
// of constants.
BoxUnits FindBoxUnits(const onnx::GraphProto& graph, const GraphIndex& index,
                      const absl::flat_hash_map<std::string, Tensor*>& tensors,
                      const std::string& boxes, bool y_first,
                      const absl::optional<BoxUnits>& pixels);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_BOX_UNITS_H_
