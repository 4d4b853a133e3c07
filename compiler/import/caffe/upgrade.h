// Upgrade of Caffe layers of former generations (V0, V1) to today's.
#ifndef COMPILER_IMPORT_CAFFE_UPGRADE_H_
#define COMPILER_IMPORT_CAFFE_UPGRADE_H_

#include "absl/status/status.h"
#include "compiler/import/caffe/caffe.pb.h"

namespace synap_internal::caffe_import {

// Moves `layers` (V1, and V0 within them) to `layer`. A type that has no
// successor stays as it is. InvalidArgument for padding
// (a layer of its own in V0) in front of a layer that can't take it over.
absl::Status UpgradeLayers(caffe::NetParameter& net);

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_UPGRADE_H_
