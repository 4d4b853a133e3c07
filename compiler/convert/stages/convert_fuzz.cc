// Fuzz target: every small ONNX model that imports is compiled, as float and quantized, and runs.
// No pass makes an invalid graph, ops with float kernels have quantized ones, and the reference
// kernels and the fast ones give the same bits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/data_type.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/lower.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/graph/text.h"
#include "compiler/import/import_options.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/ranges/own_quantizers.h"
#include "compiler/quantize/statistics/calibrate.h"
#include "compiler/quantize/statistics/statistics.h"
#include "kernels/testing/conformance.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

// Larger networks would only be slower.
constexpr int64_t kMaxElements = 1 << 12;  // of a tensor
constexpr size_t kMaxOps = 100;

constexpr absl::string_view kPrecisions[] = {"uint8", "int8", "int16", "float16"};

[[noreturn]] void Fail(absl::string_view what, const Graph& graph) {
  std::fprintf(stderr, "%s\n%s", std::string(what).c_str(), PrintGraph(graph).c_str());
  std::abort();
}

bool IsSmall(const Graph& graph) {
  size_t ops = 0;
  for (const Op& op : graph.ops()) {
    if (++ops > kMaxOps) return false;
    for (const Tensor* output : op.outputs) {
      if (output->type.shape.elements() > kMaxElements) return false;
    }
  }
  return std::all_of(graph.inputs.begin(), graph.inputs.end(), [](const Tensor* input) {
    return input->type.shape.elements() <= kMaxElements;
  });
}

// The bytes of each output; nothing if an instruction has no kernel.
using Bytes = std::vector<uint8_t>;
std::optional<std::vector<Bytes>> Outputs(const Graph& graph, const Program& program,
                                          KernelPath path, const std::vector<TestTensor>& inputs) {
  ExecutorOptions options;
  options.path = path;
  const auto executor = Executor::Create(program, options);
  if (absl::IsUnimplemented(executor.status())) return std::nullopt;
  if (!executor.ok()) Fail(executor.status().ToString(), graph);
  std::vector<const void*> input_data;
  for (const TestTensor& input : inputs) input_data.push_back(input.data());
  std::vector<TestTensor> outputs;
  for (const Tensor* output : graph.outputs) outputs.emplace_back(output->type);
  std::vector<void*> output_data;
  for (TestTensor& output : outputs) output_data.push_back(output.data());
  (*executor)->Run(input_data, output_data);
  std::vector<Bytes> found;
  for (const TestTensor& output : outputs) {
    found.push_back(output.bytes());
    MergeNans(output.type().dtype, absl::MakeSpan(found.back()));
  }
  return found;
}

// Whether there are kernels for all of it.
bool RunBothWays(const Graph& graph) {
  const auto lowered = LowerGraph(graph);
  if (!lowered.ok()) Fail(lowered.status().ToString(), graph);
  TestRandom random(1);
  std::vector<TestTensor> inputs;
  for (const Tensor* input : graph.inputs) inputs.push_back(RandomTensor(input->type, random));
  const Program& program = (*lowered)->program;
  const auto slow = Outputs(graph, program, KernelPath::kReference, inputs);
  const auto fast = Outputs(graph, program, KernelPath::kFast, inputs);
  if (slow.has_value() != fast.has_value()) Fail("only one path has a kernel", graph);
  if (!slow.has_value()) return false;
  for (size_t i = 0; i < slow->size(); ++i) {
    if ((*slow)[i] != (*fast)[i]) Fail(absl::StrCat("output ", i, " differs"), graph);
  }
  return true;
}

bool CompileAndRun(const Graph& graph, const Metafile& metafile) {
  const auto compiled = CompiledGraph(graph, metafile, {});
  if (!compiled.ok()) Fail(compiled.status().ToString(), graph);
  return RunBothWays(*compiled);
}

// Of a random sample; without tensors if it has values that calibration refuses.
Statistics StatisticsOf(const Graph& graph) {
  const auto calibrator = Calibrator::Create(graph, 1);
  if (!calibrator.ok()) Fail(calibrator.status().ToString(), graph);
  TestRandom random(2);
  for (const absl::Span<uint8_t> bytes : (*calibrator)->inputs()) {
    for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      const float value = random.Float(-1, 1);
      std::memcpy(bytes.data() + i, &value, sizeof(value));
    }
  }
  const absl::Status added = (*calibrator)->AddSample("random");
  if (absl::IsInvalidArgument(added)) return {};
  if (!added.ok()) Fail(added.ToString(), graph);
  return (*calibrator)->TakeStatistics();
}

// Whether it has float inputs and layers that can be quantized, beside others with quantizers or
// not.
bool IsQuantizable(const Graph& graph) {
  const auto is_float = [](const Tensor* t) { return t->type.dtype == DataType::kFloat32; };
  return !graph.inputs.empty() && std::all_of(graph.inputs.begin(), graph.inputs.end(), is_float) &&
         (!IsQuantized(graph) || CountLayers(graph).real > 0);
}

void Convert(Graph graph) {
  const Graph imported = graph.Clone();
  const absl::Status passed = RunPasses(PassesOf(PassStage::kImport), {}, graph);
  if (!passed.ok()) Fail(passed.ToString(), imported);
  // Weights that the network computes, say, are refused in words; nothing else may get lost on the
  // way.
  if (!CompileAndRun(graph, *ParseMetafile("")) || !IsQuantizable(graph)) return;
  const Statistics statistics = StatisticsOf(graph);
  if (statistics.tensors().empty()) return;
  for (const absl::string_view type : kPrecisions) {
    const auto metafile =
        ParseMetafile(absl::StrCat("quantization: {data_type: ", type, ", dataset: none}\n"));
    CHECK(metafile.ok());
    Warnings warnings;
    const auto quantized = QuantizeStage(graph, {&statistics, 1}, *metafile, {}, warnings);
    if (!quantized.ok()) Fail(quantized.status().ToString(), graph);
    if (!CompileAndRun(quantized->graph, *metafile)) Fail("there is no kernel", quantized->graph);
  }
}

}  // namespace
}  // namespace synap_internal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::ImportOptions options;
  options.max_folded_bytes = 1 << 16;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto graph = synap_internal::ImportOnnxBytes(bytes, "fuzz", options);
  if (graph.ok() && synap_internal::IsSmall(*graph)) synap_internal::Convert(*std::move(graph));
  return 0;
}
