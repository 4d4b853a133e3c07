#include "compiler/calibration/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/aligned_memory.h"
#include "base/status_macros.h"
#include "compiler/calibration/observed_range.h"

namespace synap {
namespace {

bool IsFinite(const ValueRange& range) {
  return std::isfinite(range.min) && std::isfinite(range.max);
}

Observation ObservePart(absl::Span<const float> values) {
  const ValueRange range = ObservedRange(values);
  if (!IsFinite(range)) return {range, {}};
  return {range, Histogram::Of(values, range)};
}

// The positions of tensors that hold the values of another one in another order, and the other's;
// sources come first.
std::vector<std::pair<int, int>> FindCopies(const Graph& graph,
                                            const std::vector<std::string>& names) {
  std::map<absl::string_view, int> positions;
  for (size_t i = 0; i < names.size(); ++i) positions[names[i]] = static_cast<int>(i);
  std::vector<std::pair<int, int>> copies;
  for (const Op& op : graph.ops()) {
    if (!MovesData(op)) continue;
    const auto source = positions.find(op.inputs[0]->name);
    const auto copy = positions.find(op.output()->name);
    if (source == positions.end() || copy == positions.end()) continue;
    // A part of the values would be something else.
    if (op.inputs[0]->type.shape.elements() != op.output()->type.shape.elements()) continue;
    copies.emplace_back(copy->second, source->second);
  }
  return copies;
}

// A part is still in the cache when its values are counted.
constexpr size_t kPart = size_t{1} << 17;

}  // namespace

absl::StatusOr<std::unique_ptr<Calibrator>> Calibrator::Create(const Graph& graph, int threads) {
  std::unique_ptr<Calibrator> calibrator(new Calibrator(threads));
  ASSIGN_OR_RETURN(calibrator->lowered_, LowerGraph(graph));
  const Program& program = calibrator->lowered_->program;
  ASSIGN_OR_RETURN(calibrator->executor_, Executor::Create(program, {.threads = threads}));
  std::vector<std::string> names;
  for (const ProgramTensor& tensor : program.tensors) {
    const bool known = graph.FindTensor(tensor.name) != nullptr;  // not a copy made by lowering
    const bool flows = tensor.place != Place::kConstant;
    const bool observe = known && flows && tensor.type.dtype == DataType::kFloat32 &&
                         tensor.type.shape.elements() > 0;
    calibrator->observed_.push_back(observe ? static_cast<int>(names.size()) : -1);
    if (observe) names.push_back(tensor.name);
  }
  calibrator->copies_ = FindCopies(graph, names);
  for (const auto& [copy, source] : calibrator->copies_) {
    std::replace(calibrator->observed_.begin(), calibrator->observed_.end(), copy, -1);
  }
  calibrator->statistics_ = Statistics(std::move(names));
  return calibrator;
}

uint64_t Calibrator::bytes() const {
  const Program& program = executor_->program();
  // Weights once as they are, and once as kernels pack them.
  return program.arena_bytes + 2 * program.constants.size();
}

Observation Calibrator::Observe(absl::Span<const float> values) {
  std::vector<Observation> parts((values.size() + kPart - 1) / kPart);
  pool_.ParallelFor(static_cast<int64_t>(parts.size()), [&](int64_t i, int) {
    const auto part = static_cast<size_t>(i);
    parts[part] = ObservePart(values.subspan(part * kPart, kPart));
  });
  Observation whole{parts[0].range, {}};
  for (const Observation& part : parts) {
    if (!IsFinite(part.range)) return part;
    whole.range = Hull(whole.range, part.range);
    whole.histogram.Merge(part.histogram);
  }
  return whole;
}

absl::Status Calibrator::AddSample(const std::string& name,
                                   const std::vector<std::vector<float>>& inputs) {
  const Program& program = executor_->program();
  std::vector<Observation> observations(statistics_.tensors().size());
  const auto observe = [&](int32_t tensor, const void* data) {
    const int index = observed_[static_cast<size_t>(tensor)];
    if (index < 0) return;
    const int64_t count = program.tensors[static_cast<size_t>(tensor)].type.shape.elements();
    observations[static_cast<size_t>(index)] =
        Observe({static_cast<const float*>(data), static_cast<size_t>(count)});
  };
  std::vector<AlignedMemory> memory;
  std::vector<const void*> input_data;
  std::vector<void*> output_data;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t bytes = inputs[i].size() * sizeof(float);
    memory.push_back(AlignedMemory::Allocate(bytes));
    std::memcpy(memory.back().data(), inputs[i].data(), bytes);
    input_data.push_back(memory.back().data());
    observe(program.inputs[i], memory.back().data());
  }
  for (const int32_t output : program.outputs) {
    const int64_t bytes = program.tensors[static_cast<size_t>(output)].type.bytes();
    memory.push_back(AlignedMemory::Allocate(static_cast<size_t>(bytes)));
    output_data.push_back(memory.back().data());
  }
  executor_->set_observer([&](size_t step, absl::Span<const void* const> outputs) {
    const Instruction& instruction = program.instructions[step];
    for (size_t o = 0; o < outputs.size(); ++o) observe(instruction.outputs[o], outputs[o]);
  });
  executor_->Run(input_data, output_data);
  executor_->set_observer(nullptr);
  for (const auto& [copy, source] : copies_) {
    observations[static_cast<size_t>(copy)] = observations[static_cast<size_t>(source)];
  }
  for (size_t i = 0; i < observations.size(); ++i) {
    if (!IsFinite(observations[i].range)) {
      return absl::InvalidArgumentError(absl::StrCat("sample ", name, ": tensor '",
                                                     statistics_.tensors()[i],
                                                     "' has a value that is not finite"));
    }
  }
  return statistics_.Add(name, observations);
}

}  // namespace synap
