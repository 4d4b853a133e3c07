// Weights of a .caffemodel, by layer.
#ifndef COMPILER_IMPORT_CAFFE_WEIGHTS_H_
#define COMPILER_IMPORT_CAFFE_WEIGHTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/caffe/caffe.pb.h"

namespace synap_internal::caffe_import {

class Weights {
 public:
  // InvalidArgument if the bytes aren't a .caffemodel. `path`: begins errors, here and later;
  // empty: they have none.
  static absl::StatusOr<Weights> Parse(absl::string_view bytes, absl::string_view path = "");

  // The number of a layer's blobs; 0 if the file doesn't have the layer.
  size_t Count(absl::string_view layer) const;

  // Elements of all blobs.
  int64_t parameters() const;

  // Blob `index` of a layer, which must have the dimensions `dims` (leading ones
  // don't count: old files say 1x1x1xC). Its bytes stay where the parser has put
  // them. InvalidArgument naming the file, what was found and expected.
  absl::StatusOr<Constant> Blob(absl::string_view layer, size_t index,
                                const std::vector<int64_t>& dims) const;

 private:
  absl::StatusOr<Constant> FindBlob(absl::string_view layer, size_t index,
                                    const std::vector<int64_t>& dims) const;

  std::string path_;
  std::shared_ptr<const caffe::WeightsFile> file_;
  absl::flat_hash_map<std::string, const google::protobuf::RepeatedPtrField<caffe::BlobProto>*>
      blobs_;
};

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_WEIGHTS_H_
