#include "compiler/quantize/statistics/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/quantize/statistics/observed_range.h"
#include "compiler/quantize/statistics/softmax_rows.h"

namespace synap_internal {
namespace {

bool IsFinite(const ValueRange& range) {
  return std::isfinite(range.min) && std::isfinite(range.max);
}

Observation ObservePart(absl::Span<const float> values, bool counts) {
  const ValueRange range = ObservedRange(values);
  if (!counts || !IsFinite(range)) return {range, {}};
  return {range, Histogram::Of(values, range)};
}

// All values of the sources and no others.
Observation Together(absl::Span<const Observation> observations, absl::Span<const int> sources) {
  Observation whole = observations[static_cast<size_t>(sources[0])];
  for (const int source : sources.subspan(1)) {
    const Observation& more = observations[static_cast<size_t>(source)];
    if (!IsFinite(whole.range)) return whole;
    if (!IsFinite(more.range)) return more;
    whole.range = Hull(whole.range, more.range);
    whole.histogram.Merge(more.histogram);
  }
  return whole;
}

uint64_t BytesOf(const Program& program, int32_t tensor) {
  return static_cast<uint64_t>(program.tensors[static_cast<size_t>(tensor)].type.bytes());
}

// Small enough that a part is still in the cache when its values are counted.
constexpr size_t kPartValues = size_t{1} << 17;

// The tensors whose values are those of other ones, in another order or side by side; sources come
// first.
std::vector<Calibrator::Derived> FindDerived(const Graph& graph,
                                             const std::vector<std::string>& names,
                                             const std::map<const Tensor*, SoftmaxRows>& masked) {
  // Of masks, what counts must be the same: those in front of softmax are cut more tightly.
  const auto reach = [&](const Tensor* tensor) {
    const auto rows = masked.find(tensor);
    return rows == masked.end() ? 0 : rows->second.reach;
  };
  std::map<absl::string_view, int> positions;
  for (size_t i = 0; i < names.size(); ++i) positions[names[i]] = static_cast<int>(i);
  std::vector<Calibrator::Derived> derived;
  for (const Op& op : graph.ops()) {
    // An op that takes only a part of the values has another range.
    const bool is_whole =
        op.Is(Movement::kConcat) || (MovesData(op) && op.inputs[0]->type.shape.elements() ==
                                                          op.output()->type.shape.elements());
    if (!is_whole) continue;
    std::vector<int> sources;
    for (const Tensor* input : op.inputs) {
      const auto source = positions.find(input->name);
      if (source == positions.end() || reach(input) != reach(op.output())) continue;
      sources.push_back(source->second);
    }
    if (sources.size() == op.inputs.size()) {
      derived.push_back({positions.at(op.output()->name), sources});
    }
  }
  return derived;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Calibrator>> Calibrator::Create(
    const Graph& graph, int threads, const std::set<std::string>& counted) {
  return CreateCounting(graph, threads, &counted);
}

absl::StatusOr<std::unique_ptr<Calibrator>> Calibrator::Create(const Graph& graph, int threads) {
  return CreateCounting(graph, threads, nullptr);
}

absl::StatusOr<std::unique_ptr<Calibrator>> Calibrator::CreateCounting(
    const Graph& graph, int threads, const std::set<std::string>* counted) {
  std::unique_ptr<Calibrator> calibrator(new Calibrator(threads));
  ASSIGN_OR_RETURN(calibrator->run_, ObservedGraph::Create(graph, threads));
  std::vector<std::string> names;
  const std::map<const Tensor*, SoftmaxRows> masked = FindSoftmaxRows(graph);
  for (const ProgramTensor& tensor : calibrator->program().tensors) {
    const Tensor* original = graph.FindTensor(tensor.name);
    const bool known = original != nullptr;  // not a copy made by lowering
    const bool flows = tensor.place != Place::kConstant;
    const bool observe = known && flows && tensor.type.dtype == DataType::kFloat32 &&
                         tensor.type.shape.elements() > 0;
    calibrator->observed_.push_back(observe ? static_cast<int>(names.size()) : -1);
    if (!observe) continue;
    const auto rows = masked.find(original);
    if (rows != masked.end()) calibrator->masked_.emplace(names.size(), rows->second);
    names.push_back(tensor.name);
  }
  calibrator->derived_ = FindDerived(graph, names, masked);
  for (const Derived& derived : calibrator->derived_) {
    std::replace(calibrator->observed_.begin(), calibrator->observed_.end(), derived.tensor, -1);
  }
  calibrator->statistics_ = Statistics(std::move(names));
  calibrator->ChooseCounted(counted);
  ASSIGN_OR_RETURN(calibrator->inputs_, calibrator->run_->AllocateInputs());
  return calibrator;
}

void Calibrator::ChooseCounted(const std::set<std::string>* counted) {
  for (const std::string& tensor : statistics_.tensors()) {
    counted_.push_back(counted == nullptr || counted->count(tensor) > 0);
  }
  for (auto derived = derived_.rbegin(); derived != derived_.rend(); ++derived) {
    if (!counted_[static_cast<size_t>(derived->tensor)]) continue;
    for (const int source : derived->sources) counted_[static_cast<size_t>(source)] = true;
  }
}

uint64_t Calibrator::bytes() const {
  // Weights once as they are, and once as kernels pack them.
  uint64_t bytes = program().arena_bytes + 2 * program().constants.size();
  for (const int32_t input : program().inputs) bytes += BytesOf(program(), input);
  for (const int32_t output : program().outputs) bytes += BytesOf(program(), output);
  return bytes;
}

std::vector<absl::Span<uint8_t>> Calibrator::inputs() const {
  std::vector<absl::Span<uint8_t>> inputs;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    inputs.emplace_back(inputs_[i].data(), BytesOf(program(), program().inputs[i]));
  }
  return inputs;
}

Observation Calibrator::Observe(absl::Span<const float> values, bool counts) {
  std::vector<Observation> parts((values.size() + kPartValues - 1) / kPartValues);
  pool_.ParallelFor(static_cast<int64_t>(parts.size()), [&](int64_t i, int) {
    const auto part = static_cast<size_t>(i);
    parts[part] = ObservePart(values.subspan(part * kPartValues, kPartValues), counts);
  });
  Observation whole{parts[0].range, {}};
  for (const Observation& part : parts) {
    if (!IsFinite(part.range)) return part;
    whole.range = Hull(whole.range, part.range);
    whole.histogram.Merge(part.histogram);
  }
  return whole;
}

void Calibrator::ObserveTensor(const ProgramTensor& tensor, const void* data,
                               std::vector<Observation>& observations) {
  const int index = observed_[static_cast<size_t>(&tensor - program().tensors.data())];
  if (index < 0) return;
  const absl::Span<const float> values(static_cast<const float*>(data),
                                       static_cast<size_t>(tensor.type.shape.elements()));
  const auto masked = masked_.find(static_cast<size_t>(index));
  observations[static_cast<size_t>(index)] =
      Observe(masked == masked_.end() ? values : WithinReach(masked->second, values),
              counted_[static_cast<size_t>(index)]);
}

absl::Status Calibrator::AddSample(const std::string& name) {
  std::vector<Observation> observations(statistics_.tensors().size());
  std::vector<const void*> data;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    data.push_back(inputs_[i].data());
    ObserveTensor(run_->input(i), inputs_[i].data(), observations);
  }
  run_->Run(data, [&](const ProgramTensor& tensor, const void* values) {
    ObserveTensor(tensor, values, observations);
  });
  for (const Derived& derived : derived_) {
    const auto tensor = static_cast<size_t>(derived.tensor);
    observations[tensor] = Together(observations, derived.sources);
    if (!counted_[tensor]) observations[tensor].histogram = Histogram();
  }
  for (size_t i = 0; i < observations.size(); ++i) {
    if (!IsFinite(observations[i].range)) {
      return absl::InvalidArgumentError(
          absl::StrCat("sample ", name, ": tensor '", statistics_.tensors()[i],
                       "' has a value that is not finite, expected numbers; check the "
                       "sample and the model's weights"));
    }
  }
  return statistics_.Add(name, std::move(observations));
}

}  // namespace synap_internal
