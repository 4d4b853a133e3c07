// Entries of a file of torch.export (.pt2), and the parameters, buffers and constants in them.
#ifndef COMPILER_IMPORT_PT2_WEIGHTS_H_
#define COMPILER_IMPORT_PT2_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/archive.h"
#include "compiler/import/pt2/json_value.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::pt2_import {

// A ZIP archive whose entries are stored, below one folder.
class Entries {
 public:
  // `bytes` must outlive it. InvalidArgument if they are no archive.
  static absl::StatusOr<Entries> Open(absl::string_view bytes);

  // By their names without the folder that all are in: "models/model.json".
  const absl::btree_map<std::string, size_t>& by_name() const { return by_name_; }
  bool Has(absl::string_view name) const { return by_name_.contains(std::string(name)); }
  // InvalidArgument if there is none of that name, or it is compressed or damaged.
  absl::StatusOr<std::string> Read(absl::string_view name) const;

 private:
  Entries(Archive archive, uint64_t size) : archive_(std::move(archive)), size_(size) {}

  Archive archive_;
  uint64_t size_;  // of the file
  absl::btree_map<std::string, size_t> by_name_;
};

// PyTorch's number of a type in such files: 7 is float32. OTHER if it has no form here.
torchscript::Tensor::Type TypeOf(int64_t scalar_type);

class Weights {
 public:
  // `model`: the name of the program, by which the lists are called.
  static absl::StatusOr<Weights> Open(const Entries& entries, absl::string_view model,
                                      int64_t max_bytes);

  // By the name in the module's state dictionary, or that of a constant.
  absl::StatusOr<torchscript::Tensor> Read(const std::string& name) const;

 private:
  struct Payload {
    std::string entry;
    const Json* meta;
  };

  Weights(const Entries& entries, int64_t max_bytes) : entries_(&entries), max_bytes_(max_bytes) {}
  absl::Status Add(absl::string_view folder, absl::string_view model, absl::string_view list);
  absl::StatusOr<torchscript::Tensor> ReadPayload(const Payload& payload) const;

  const Entries* entries_;
  int64_t max_bytes_;
  std::vector<std::unique_ptr<Json>> lists_;
  absl::flat_hash_map<std::string, Payload> payloads_;
};

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_WEIGHTS_H_
