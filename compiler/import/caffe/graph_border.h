// Inputs and outputs of a Caffe network, as the shared search for the border needs them.
#ifndef COMPILER_IMPORT_CAFFE_GRAPH_BORDER_H_
#define COMPILER_IMPORT_CAFFE_GRAPH_BORDER_H_

#include "compiler/import/caffe/network.h"
#include "compiler/import/graph_border.h"

namespace synap_internal::caffe_import {

// Values are the network's, nodes its layers. Outputs are the blobs that no layer reads, in order.
ModelGraph ModelGraphOf(const Network& network);

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_GRAPH_BORDER_H_
