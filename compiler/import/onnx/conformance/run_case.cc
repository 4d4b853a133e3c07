#include "compiler/import/onnx/conformance/run_case.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/aligned_memory.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/export/onnx/export_onnx.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/lower.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/import/import_options.h"
#include "compiler/import/onnx/conformance/suite_files.h"
#include "compiler/import/onnx/conformance/tensor_case.h"
#include "compiler/import/onnx/conformance/tensor_values.h"
#include "compiler/import/onnx/import_onnx.h"
#include "onnx/onnx_pb.h"
#include "runtime/executor/executor.h"

namespace synap_internal::onnx_import {
namespace {

using Tensors = std::vector<onnx::TensorProto>;

// Which inputs of a case's model become initializers before it is imported. In
// the suite everything is an input of the graph, the shape of a Reshape and the
// scales of a quantizer as well; in models, such operands are constants, and a
// compiler of static shapes demands that. Tried in this order, so that whatever
// can be an input of the network is.
enum class Bound { kNothing, kSmallIntegers, kParameters, kAllButFirst, kAll };
constexpr Bound kBounds[] = {Bound::kNothing, Bound::kSmallIntegers, Bound::kParameters,
                             Bound::kAllButFirst, Bound::kAll};

bool IsFloat(int onnx_type) {
  return onnx_type == onnx::TensorProto::FLOAT || onnx_type == onnx::TensorProto::FLOAT16 ||
         onnx_type == onnx::TensorProto::DOUBLE || onnx_type == onnx::TensorProto::BFLOAT16;
}

bool IsBound(Bound bound, size_t position, const onnx::TensorProto& value) {
  // A dimension of 0 of an input counts as unknown.
  if (std::find(value.dims().begin(), value.dims().end(), 0) != value.dims().end()) return true;
  switch (bound) {
    case Bound::kNothing:
      return false;
    case Bound::kSmallIntegers:
      return value.dims_size() <= 1 && !IsFloat(value.data_type());
    case Bound::kParameters:
      return value.dims_size() <= 1;
    case Bound::kAllButFirst:
      return position > 0;
    case Bound::kAll:
      return true;
  }
  return false;
}

std::vector<std::string> InputNames(const onnx::GraphProto& graph) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& input : OpenInputs(graph)) names.push_back(input.name());
  return names;
}

// The model with some inputs turned into initializers, and dimensions that it
// leaves open filled in from the data.
onnx::ModelProto Specialized(const onnx::ModelProto& model, const Tensors& values, Bound bound) {
  onnx::ModelProto special = model;
  onnx::GraphProto& graph = *special.mutable_graph();
  const std::vector<std::string> names = InputNames(graph);
  absl::flat_hash_map<std::string, size_t> positions;
  for (size_t i = 0; i < std::min(names.size(), values.size()); ++i) positions[names[i]] = i;
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> inputs;
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    const auto at = positions.find(input.name());
    if (at != positions.end() && IsBound(bound, at->second, values[at->second])) {
      *graph.add_initializer() = values[at->second];
      graph.mutable_initializer(graph.initializer_size() - 1)->set_name(input.name());
      continue;
    }
    if (at != positions.end() && input.type().has_tensor_type()) {
      auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
      shape->clear_dim();
      for (const int64_t dim : values[at->second].dims()) shape->add_dim()->set_dim_value(dim);
    }
    *inputs.Add() = std::move(input);
  }
  *graph.mutable_input() = std::move(inputs);
  return special;
}

// A case's model, ready to run. The executor refers to the program.
struct Network {
  Graph graph;
  std::unique_ptr<LoweredProgram> lowered;
  std::unique_ptr<Executor> executor;
};

// The outputs are named: otherwise the suppression at the end of a detector would be cut off.
absl::StatusOr<Graph> ImportModel(const std::string& bytes,
                                  const std::vector<std::string>& outputs) {
  ImportOptions options;
  options.outputs = outputs;
  ASSIGN_OR_RETURN(Graph graph, ImportOnnxBytes(bytes, "case", options));
  RETURN_IF_ERROR(RunPasses(PassesOf(PassStage::kImport), {}, graph));
  return graph;
}

absl::StatusOr<Network> Prepare(const onnx::ModelProto& model, Route route) {
  Network network;
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& output : model.graph().output()) names.push_back(output.name());
  ASSIGN_OR_RETURN(network.graph, ImportModel(model.SerializeAsString(), names));
  if (route == Route::kExported) {
    ASSIGN_OR_RETURN(const std::string exported, ExportOnnx(network.graph));
    ASSIGN_OR_RETURN(network.graph, ImportModel(exported, {}));
  }
  ASSIGN_OR_RETURN(network.lowered, LowerGraph(network.graph));
  ASSIGN_OR_RETURN(network.executor, Executor::Create(network.lowered->program, {}));
  return network;
}

// The first of kBounds that works. If none does, the last one's error: it isn't about what has to
// be constant.
absl::StatusOr<Network> PrepareSpecialized(const onnx::ModelProto& model, const Tensors& values,
                                           Route route) {
  absl::Status last;
  for (const Bound bound : kBounds) {
    absl::StatusOr<Network> network = Prepare(Specialized(model, values, bound), route);
    if (network.ok()) return network;
    last = network.status();
  }
  return last;
}

absl::StatusOr<std::vector<AlignedMemory>> InputBuffers(const Graph& graph,
                                                        const std::vector<std::string>& names,
                                                        const Tensors& values) {
  std::vector<AlignedMemory> buffers;
  for (const Tensor* input : graph.inputs) {
    const size_t at = std::find(names.begin(), names.end(), input->name) - names.begin();
    if (at >= values.size()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no value for ", input->name));
    }
    ASSIGN_OR_RETURN(AlignedMemory buffer, BufferOf(values[at], input->type));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

std::vector<AlignedMemory> Execute(Network& network, const std::vector<AlignedMemory>& inputs) {
  std::vector<const void*> input_data;
  for (const AlignedMemory& input : inputs) input_data.push_back(input.data());
  std::vector<AlignedMemory> outputs;
  std::vector<void*> output_data;
  for (const Tensor* output : network.graph.outputs) {
    outputs.push_back(AlignedMemory::Allocate(static_cast<size_t>(output->type.bytes())));
    output_data.push_back(outputs.back().data());
  }
  network.executor->Run(input_data, output_data);
  return outputs;
}

absl::Status RunDataSet(const onnx::ModelProto& model, const std::string& folder, Route route) {
  ASSIGN_OR_RETURN(const TensorCase flat, ReadTensorCase(model, folder));
  const Tensors& expected = flat.outputs;
  ASSIGN_OR_RETURN(Network network, PrepareSpecialized(flat.model, flat.inputs, route));
  const Graph& graph = network.graph;
  ASSIGN_OR_RETURN(const std::vector<AlignedMemory> inputs,
                   InputBuffers(graph, InputNames(flat.model.graph()), flat.inputs));
  const std::vector<AlignedMemory> outputs = Execute(network, inputs);
  if (outputs.size() != expected.size() || outputs.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("it has ", outputs.size(), " outputs, expected ", expected.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    RETURN_IF_ERROR(Annotate(ExpectClose(expected[i], graph.outputs[i]->type, outputs[i].data()),
                             absl::StrCat("output ", i)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunCase(const std::string& case_folder, Route route) {
  ASSIGN_OR_RETURN(const onnx::ModelProto model, ReadModel(case_folder));
  ASSIGN_OR_RETURN(const std::vector<std::string> data_sets, ListDataSets(case_folder));
  for (const std::string& folder : data_sets) {
    RETURN_IF_ERROR(Annotate(RunDataSet(model, folder, route), Basename(folder)));
  }
  return absl::OkStatus();
}

}  // namespace synap_internal::onnx_import
