// Parameters, buffers and constants of a file of torch.export.
#ifndef COMPILER_IMPORT_PT2_WEIGHTS_H_
#define COMPILER_IMPORT_PT2_WEIGHTS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/pt2/archive.h"
#include "compiler/import/pt2/json_value.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::pt2_import {

// PyTorch's number of a type in such files: 7 is float32. OTHER if it has no form here.
torchscript::Tensor::Type TypeOf(int64_t scalar_type);

class Weights {
 public:
  // `model`: the name of the program, by which the lists are called.
  static absl::StatusOr<Weights> Open(const Archive& archive, absl::string_view model,
                                      int64_t max_bytes);

  // By the name in the module's state dictionary, or that of a constant.
  absl::StatusOr<torchscript::Tensor> Read(const std::string& name) const;

 private:
  struct Payload {
    std::string entry;
    const Json* meta;
  };

  explicit Weights(const Archive& archive, int64_t max_bytes)
      : archive_(&archive), max_bytes_(max_bytes) {}
  absl::Status Add(absl::string_view folder, absl::string_view model, absl::string_view list);
  absl::StatusOr<torchscript::Tensor> ReadPayload(const Payload& payload) const;

  const Archive* archive_;
  int64_t max_bytes_;
  std::vector<std::unique_ptr<Json>> lists_;
  absl::flat_hash_map<std::string, Payload> payloads_;
};

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_WEIGHTS_H_
