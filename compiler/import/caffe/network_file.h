// Parses the text of a .prototxt into a network of Caffe 1.0 layers.
#ifndef COMPILER_IMPORT_CAFFE_NETWORK_FILE_H_
#define COMPILER_IMPORT_CAFFE_NETWORK_FILE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/caffe/caffe.pb.h"

namespace synap_internal::caffe_import {

struct NetworkFile {
  // Its layers are in `layer`, whichever generation the file is of.
  caffe::NetParameter net;
  // OK, or what names the first field of a layer's parameters that Caffe 1.0
  // doesn't have. Not an error by itself: it may belong to a layer that isn't
  // imported, or to one that is not supported, which says more.
  absl::Status unknown_field;
};

// InvalidArgument with the line for text that isn't a network; Unimplemented for
// networks of Caffe2.
absl::StatusOr<NetworkFile> ParseNetwork(absl::string_view text);

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_NETWORK_FILE_H_
