// The programs of a bundle's subgraphs.
#ifndef RUNTIME_BUNDLE_PROGRAMS_H_
#define RUNTIME_BUNDLE_PROGRAMS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/bundle/bundle.h"
#include "runtime/program/program.h"

namespace synap_internal {

// Most memory that a bundle may need beside its constants: far more than any board has. A few
// kilobytes can declare thousands of tensors of gigabytes, so runners check the sum first.
inline constexpr uint64_t kMaxNetworkBytes = uint64_t{64} << 30;

// Size of the tensor's dense values in bytes.
uint64_t SizeOfData(const TensorMetadata& tensor);

// The first four bytes of a binary for the NPU itself, "EBGX" or "VPMN"; "" for other bytes.
absl::string_view NpuBinaryMagic(absl::Span<const uint8_t> bytes);

// Metadata of output `edge.index` of subgraph `edge.subgraph`. REQUIRES: the edge isn't one of the
// bundle's inputs.
const TensorMetadata& OutputMetadata(const Bundle& bundle, const BundleEdge& edge);

// Metadata of each of the bundle's inputs: that of the first subgraph that reads it.
std::vector<const TensorMetadata*> InputMetadata(const Bundle& bundle);

// Whether an instruction of a subgraph reads each of the bundle's inputs. `programs`: those of
// ReadPrograms.
std::vector<bool> FindReadInputs(const Bundle& bundle, absl::Span<const Program> programs);

// One for each subgraph, in the bundle's order; their constants refer to the bundle's memory. The
// programs are checked, fit their model.json, and every connection joins tensors of one type.
// InvalidArgument naming the subgraph and the tensor; Unimplemented for delegates that aren't
// known and binaries for the NPU itself.
absl::StatusOr<std::vector<Program>> ReadPrograms(const Bundle& bundle);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_PROGRAMS_H_
