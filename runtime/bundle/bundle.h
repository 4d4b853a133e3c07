// Bundle: a compiled model as a file, model.synap, which is a ZIP of stored entries:
//   bundle.json     how the subgraphs are connected
//   <i>/model.nb    subgraph i's program (runtime/program), 64-byte aligned
//   <i>/model.json  subgraph i's tensors (model_metadata.h)
// docs/format.md specifies it. Secure models have encrypted programs and a seal
// (runtime/security/sealed_files.h), which is verified with the process's keys before anything in
// them is read.
#ifndef RUNTIME_BUNDLE_BUNDLE_H_
#define RUNTIME_BUNDLE_BUNDLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

// Source of a subgraph's input or of the bundle's output.
struct BundleEdge {
  int subgraph = -1;  // -1: the bundle's own inputs
  int index = 0;      // into that subgraph's outputs, or into the bundle's inputs

  friend bool operator==(const BundleEdge& a, const BundleEdge& b) {
    return a.subgraph == b.subgraph && a.index == b.index;
  }
};

struct BundleSubgraph {
  std::string model_name;           // "0/model.nb"
  absl::Span<const uint8_t> model;  // 64-byte aligned, alive as long as the bundle
  ModelMetadata metadata;
  std::vector<BundleEdge> inputs;  // one for each of metadata.inputs
};

// A read and checked bundle: every edge refers to a tensor that exists, there is
// no cycle, and each of the inputs 0 .. input_count - 1 is used.
struct Bundle {
  std::vector<BundleSubgraph> subgraphs;
  std::vector<BundleEdge> outputs;
  int input_count = 0;
  // The subgraphs in an order in which each follows those that it reads from.
  std::vector<int> execution_order;
  // False for a program with a model.json without a checksum: both could be damaged, or of
  // different conversions.
  bool is_verified = true;
  // Whether the model was encrypted and signed. Its programs are wiped with `storage`.
  bool is_sealed = false;
  // The memory that the spans refer to.
  std::shared_ptr<const void> storage;
};

// Reads the file, at most 4 GiB, into memory, so that the checks hold even if the file changes
// afterwards. Only errors of the file system name the file.
absl::StatusOr<Bundle> OpenBundle(const std::string& path);

// Reads a bundle from memory, which is copied: the caller may free it afterwards.
absl::StatusOr<Bundle> ReadBundle(absl::Span<const uint8_t> bytes);

// The same for the compiler, before it seals the model: one that is marked secure has no seal yet.
absl::StatusOr<Bundle> ReadUnsealedBundle(absl::Span<const uint8_t> bytes);

// A bundle of one program (.nb) and its model.json, from files or from memory. InvalidArgument if
// they don't match the checksums in model.json.
absl::StatusOr<Bundle> OpenModel(const std::string& model_path, const std::string& metadata_path);
absl::StatusOr<Bundle> ReadModel(absl::Span<const uint8_t> model, absl::string_view metadata);

// A subgraph that the compiler writes into a bundle. `model` is a serialized program.
struct BundlePart {
  absl::string_view model;
  ModelMetadata metadata;
  std::vector<BundleEdge> inputs;
};

// The file's bytes: a pure function of the arguments. InvalidArgument for
// metadata that can't be written, ResourceExhausted above 4 GiB.
absl::StatusOr<std::string> WriteBundle(absl::Span<const BundlePart> parts,
                                        absl::Span<const BundleEdge> outputs);

// Writes a bundle of one subgraph, whose inputs and outputs are the bundle's.
absl::StatusOr<std::string> WriteBundle(absl::string_view model, const ModelMetadata& metadata);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_BUNDLE_H_
