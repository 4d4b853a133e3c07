#include "runtime/testing/test_models.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "kernels/registry.h"
#include "runtime/bundle/bundle.h"
#include "runtime/program/program.h"

namespace synap_internal {

std::string MakeProgram(absl::string_view op, const Attributes& attributes,
                        absl::Span<const TensorType> inputs, const TensorType& output) {
  Program program;
  program.name = "test";
  Instruction instruction;
  instruction.op = FindOp(op);
  CHECK(instruction.op != nullptr);
  instruction.attributes = attributes;
  for (const TensorType& type : inputs) {
    const auto index = static_cast<int32_t>(program.tensors.size());
    program.inputs.push_back(index);
    instruction.inputs.push_back(index);
    program.tensors.push_back({absl::StrCat("x", index), type, Place::kInput, 0});
  }
  const auto index = static_cast<int32_t>(program.tensors.size());
  program.outputs.push_back(index);
  instruction.outputs.push_back(index);
  program.tensors.push_back({"y", output, Place::kOutput, 0});
  program.instructions.push_back(instruction);
  CHECK(CheckProgram(program).ok());
  return SerializeProgram(program).value();
}

TensorMetadata MakeMetadata(absl::string_view name, const TensorType& type) {
  TensorMetadata metadata;
  metadata.name = std::string(name);
  metadata.shape = type.shape;
  metadata.dtype = type.dtype;
  metadata.quant = type.quant;
  return metadata;
}

std::string MakeModel(const Program& program) {
  ModelMetadata metadata;
  const auto add = [&](const std::vector<int32_t>& tensors, std::vector<TensorMetadata>& to) {
    for (const int32_t t : tensors) {
      to.push_back(MakeMetadata("t", program.tensors[static_cast<size_t>(t)].type));
    }
  };
  add(program.inputs, metadata.inputs);
  add(program.outputs, metadata.outputs);
  return WriteBundle(SerializeProgram(program).value(), metadata).value();
}

std::string MakeModelForTarget(absl::string_view target) {
  const TensorType type{DataType::kFloat32, {4}, {}};
  const std::string bytes =
      MakeProgram("reshape", {{"shape", std::vector<int64_t>{4}}}, {type}, type);
  Program program =
      LoadProgram({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}).value();
  program.target = std::string(target);
  return MakeModel(program);
}

std::string MakeReshapeModel(const TensorMetadata& x, const TensorMetadata& y,
                             absl::string_view delegate) {
  const TensorType in{x.dtype, x.shape, x.quant};
  const TensorType out{y.dtype, y.shape, y.quant};
  ModelMetadata metadata;
  metadata.inputs = {x};
  metadata.outputs = {y};
  metadata.delegate = std::string(delegate);
  return WriteBundle(MakeProgram("reshape", {{"shape", y.shape.dims()}}, {in}, out), metadata)
      .value();
}

std::string WriteTestFile(absl::string_view name, absl::string_view bytes) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrCat(folder == nullptr ? "/tmp" : folder, "/", name);
  CHECK(WriteFileAtomically(path, bytes).ok());
  return path;
}

}  // namespace synap_internal
