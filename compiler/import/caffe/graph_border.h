// Where the imported part of a network begins and ends.
#ifndef COMPILER_IMPORT_CAFFE_GRAPH_BORDER_H_
#define COMPILER_IMPORT_CAFFE_GRAPH_BORDER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/caffe/network.h"
#include "compiler/import/import_options.h"
#include "compiler/import/input_shape.h"

namespace synap_internal::caffe_import {

struct BorderInput {
  size_t value = 0;
  std::optional<OpenShape> model;  // its shape in the network
  std::optional<Shape> given;      // in the metafile
};

struct Border {
  std::vector<BorderInput> inputs;
  std::vector<size_t> outputs;  // values
  std::vector<size_t> layers;   // between the two, in order
};

// Inputs and outputs are those of the options or, without, of the network: the
// blobs that no layer reads, in order. Inputs that no output depends on are left
// out unless the options name them.
//   NotFound          a name of the options that no blob and no layer has
//   InvalidArgument   no outputs; one that is listed twice; outputs that depend
//                     on inputs which the options leave out
absl::StatusOr<Border> FindBorder(const Network& network, const ImportOptions& options);

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_GRAPH_BORDER_H_
