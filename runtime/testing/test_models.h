// Generators of tiny models for tests.
#ifndef RUNTIME_TESTING_TEST_MODELS_H_
#define RUNTIME_TESTING_TEST_MODELS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "kernels/attributes.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/program/program.h"

namespace synap_internal {

// A serialized program of one instruction between its inputs and its output.
// CHECKs that the op accepts them.
std::string MakeProgram(absl::string_view op, const Attributes& attributes,
                        absl::Span<const TensorType> inputs, const TensorType& output);

// Metadata of a tensor named `name` with that type.
TensorMetadata MakeMetadata(absl::string_view name, const TensorType& type);

// The bytes of a .synap whose only subgraph is `program`; its tensors are all called "t".
std::string MakeModel(const Program& program);

// The bytes of a .synap, compiled for a chip of that name, that gives its 4 floats as they are.
std::string MakeModelForTarget(absl::string_view target);

// The bytes of a .synap whose only subgraph gives its input "x" as its output
// "y" of another shape with as many elements. `delegate`: that of model.json.
std::string MakeReshapeModel(const TensorMetadata& x, const TensorMetadata& y,
                             absl::string_view delegate = "npu");

// Writes `bytes` to a file of that name in the test's folder; returns its path.
std::string WriteTestFile(absl::string_view name, absl::string_view bytes);

}  // namespace synap_internal

#endif  // RUNTIME_TESTING_TEST_MODELS_H_
