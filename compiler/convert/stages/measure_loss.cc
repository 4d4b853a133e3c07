#include "compiler/convert/stages/measure_loss.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/fidelity.h"
#include "base/status_macros.h"
#include "base/warnings.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/convert/stages/sample_cases.h"
#include "compiler/dataset/samples.h"
#include "compiler/metafile/stage_parts.h"
#include "nlohmann/json.hpp"
#include "runtime/api/log_capture.h"
#include "runtime/bundle/programs.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/detector/overlap.h"
#include "runtime/vision/format_string.h"
#include "synap/classifier.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Detector;
using synaptics::synap::Network;
using synaptics::synap::Rect;
using Task = ModelLoss::Task;
using Item = Detector::Result::Item;

constexpr int64_t kMacsToSpend = 8'000'000'000;
constexpr size_t kMostSamples = 16;

constexpr float kLeastScore = 0.3f, kLeastKeptScore = 0.25f, kLeastOverlap = 0.5f;
// Boxes are rounded to whole pixels of the rectangle, which is made so many times larger.
constexpr int kFinerPixels = 8;
constexpr int kAnyPicture = 8192;  // pixels, where no input is a picture

constexpr double kLeastKept = 0.9;
constexpr double kLeastSqnrDb = 10;

// The metafile for a network that reads samples as they are, and that every runtime loads.
Metafile ForSamples(Metafile metafile) {
  for (InputSpec& input : metafile.inputs) {
    input.preprocess.reset();
    input.security = InputSecurity::kAny;
  }
  for (OutputSpec& output : metafile.outputs)
    output.security = OutputSecurity::kSecureIfInputSecure;
  metafile.security = {};
  return metafile;
}

Task TaskOf(const Network& network) {
  if (network.outputs.size() == 0) return Task::kOther;
  const std::string type = FormatType(network.outputs[0].format());
  if (type == "confidence_array") return Task::kClassification;
  return FindDetectionFormat(type) != nullptr ? Task::kDetection : Task::kOther;
}

// All pixels of the network's first picture, or of any if it reads none.
Rect WholePicture(const Network& network) {
  Rect whole{};
  for (size_t i = 0; i < network.inputs.size(); ++i) {
    const synaptics::synap::Dimensions dimensions = network.inputs[i].dimensions();
    if (dimensions.w == 0) continue;
    whole.size = {kFinerPixels * dimensions.w, kFinerPixels * dimensions.h};
    return whole;
  }
  whole.size = {kAnyPicture, kAnyPicture};
  return whole;
}

DetectedBox BoxOf(const Item& item) {
  const Rect& box = item.bounding_box;
  DetectedBox detected{};
  detected.x0 = static_cast<float>(box.origin.x);
  detected.y0 = static_cast<float>(box.origin.y);
  detected.x1 = static_cast<float>(box.origin.x + box.size.x);
  detected.y1 = static_cast<float>(box.origin.y + box.size.y);
  return detected;
}

// Each object of the quantized network stands for one of float's, the best ones first.
void AddObjects(const std::vector<Item>& real, const std::vector<Item>& found,
                KeptAnswers& answers) {
  std::vector<bool> taken(found.size());
  for (const Item& object : real) {
    if (object.confidence < kLeastScore) continue;
    ++answers.of_float;
    std::optional<size_t> best;
    float overlap = kLeastOverlap;
    for (size_t i = 0; i < found.size(); ++i) {
      if (taken[i] || found[i].class_index != object.class_index) continue;
      const float other = AlignedOverlap(BoxOf(object), BoxOf(found[i]), /*with_min=*/false);
      if (other <= overlap) continue;
      overlap = other;
      best = i;
    }
    if (!best.has_value()) continue;
    taken[*best] = true;
    ++answers.kept;
  }
}

std::string Decibels(double sqnr_db) { return absl::StrFormat("%.1f dB", sqnr_db); }

}  // namespace

const OutputLoss* ModelLoss::worst() const {
  const auto least = std::min_element(
      outputs.begin(), outputs.end(),
      [](const OutputLoss& a, const OutputLoss& b) { return a.sqnr_db < b.sqnr_db; });
  return least == outputs.end() ? nullptr : &*least;
}

size_t SamplesToMeasure(const Graph& real) {
  int64_t macs = 1;
  for (const Op& op : real.ops()) {
    if (op.def->cost != nullptr) macs += op.def->cost(InputTypes(op), OutputTypes(op)).macs;
  }
  return std::clamp<size_t>(static_cast<size_t>(kMacsToSpend / macs), 1, kMostSamples);
}

std::vector<DatasetSample> SpreadOver(absl::Span<const DatasetSample> samples, size_t count) {
  count = std::min(count, samples.size());
  std::vector<DatasetSample> spread;
  for (size_t i = 0; i < count; ++i) spread.push_back(samples[i * samples.size() / count]);
  return spread;
}

std::vector<DatasetSample> ChooseMeasured(const std::vector<DatasetSample>& samples, size_t count) {
  const size_t enough = kSamplesToCorrectBy + std::min(count, samples.size());
  const size_t first = samples.size() >= enough ? kSamplesToCorrectBy : 0;
  return SpreadOver(absl::MakeConstSpan(samples).subspan(first), count);
}

absl::StatusOr<CompiledModel> LossMeter::Compile(const Graph& graph,
                                                 const Metafile& metafile) const {
  Warnings repeated;
  return CompileStage(graph, CompilePart(ForSamples(metafile)).metafile, target_, {}, repeated);
}

absl::StatusOr<std::unique_ptr<LossMeter::Artifact>> LossMeter::Load(const std::string& synap) {
  auto artifact = std::make_unique<Artifact>();
  ASSIGN_OR_RETURN(artifact->bundle, ReadBundle(AsBytes(synap)));
  if (!artifact->network.load_model(synap.data(), synap.size())) {
    return absl::InternalError("the network can't be loaded to be measured, the log says why");
  }
  return artifact;
}

absl::StatusOr<std::unique_ptr<LossMeter>> LossMeter::Create(
    const Graph& real, const Metafile& metafile, const Target& target,
    const std::vector<DatasetSample>& samples) {
  if (samples.empty()) {
    return absl::InvalidArgumentError("there is no sample to measure the loss by, expected one");
  }
  std::unique_ptr<LossMeter> meter(new LossMeter(real, ForSamples(metafile), target));
  ASSIGN_OR_RETURN(const CompiledModel model, meter->Compile(real, meter->metafile_));
  ASSIGN_OR_RETURN(const std::unique_ptr<Artifact> artifact, Load(model.synap));
  ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(real, meter->metafile_));
  Network& network = artifact->network;
  meter->task_ = TaskOf(network);
  meter->compared_.resize(network.outputs.size());
  for (const DatasetSample& file : samples) {
    Sample& sample = meter->samples_.emplace_back();
    sample.name = file.name;
    ASSIGN_OR_RETURN(sample.inputs, reader.Read(file));
    ASSIGN_OR_RETURN(sample.real, meter->Run(sample, *artifact));
  }
  for (size_t i = 0; i < meter->compared_.size(); ++i) {
    meter->compared_[i] = network.outputs[i].data_type() == synaptics::synap::DataType::float32 &&
                          meter->HasSignal(i);
  }
  return meter;
}

bool LossMeter::HasSignal(size_t output) const {
  bool any = false;
  for (const Sample& sample : samples_) {
    for (const float value : sample.real.outputs[output]) {
      if (!std::isfinite(value)) return false;
      any = any || value != 0;
    }
  }
  return any;
}

absl::StatusOr<LossMeter::Answer> LossMeter::Run(const Sample& sample, Artifact& artifact) const {
  Network& network = artifact.network;
  ASSIGN_OR_RETURN(const InputValues inputs,
                   Annotate(ArtifactInputs(InputMetadata(artifact.bundle), real_, metafile_,
                                           sample.name, sample.inputs),
                            absl::StrCat("sample ", sample.name)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const void* const data = inputs[i].data();
    if (!network.inputs[i].assign(data, inputs[i].size())) {
      return absl::InternalError(absl::StrCat("sample ", sample.name, ": input '",
                                              network.inputs[i].name(),
                                              "' doesn't take it, the log says why"));
    }
  }
  if (!network.predict()) {
    return absl::InternalError(
        absl::StrCat("sample ", sample.name, ": the network can't run, the log says why"));
  }
  Answer answer;
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    const float* const values = network.outputs[i].as_float();
    if (values == nullptr) {
      return absl::InternalError(absl::StrCat("sample ", sample.name, ": output '",
                                              network.outputs[i].name(), "' has no values"));
    }
    answer.outputs.emplace_back(values, values + network.outputs[i].item_count());
  }
  // A format that doesn't fit its tensors has its own warning.
  const LogCapture quiet;
  if (task_ == Task::kDetection) {
    answer.objects =
        Detector(kLeastKeptScore).process(network.outputs, WholePicture(network)).items;
  } else if (task_ == Task::kClassification) {
    const auto result = synaptics::synap::Classifier().process(network.outputs);
    if (!result.items.empty()) answer.best_class = result.items[0].class_index;
  }
  return answer;
}

absl::StatusOr<ModelLoss> LossMeter::Measure(const Graph& quantized, const Metafile& metafile,
                                             const CompiledModel& model) const {
  std::optional<CompiledModel> plain;
  if (metafile.preprocesses() || metafile.security.secure) {
    ASSIGN_OR_RETURN(plain, Compile(quantized, metafile));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Artifact> artifact,
                   Load(plain.has_value() ? plain->synap : model.synap));
  const Network& network = artifact->network;
  ModelLoss loss;
  loss.samples = samples_.size();
  loss.task = task_;
  CHECK(network.outputs.size() == compared_.size());
  std::vector<Fidelity> fidelities(compared_.size());
  for (const Sample& sample : samples_) {
    ASSIGN_OR_RETURN(const Answer found, Run(sample, *artifact));
    for (size_t i = 0; i < fidelities.size(); ++i) {
      if (!compared_[i]) continue;
      CHECK(sample.real.outputs[i].size() == found.outputs[i].size());
      fidelities[i].Add(sample.real.outputs[i], found.outputs[i]);
    }
    if (task_ == Task::kDetection) AddObjects(sample.real.objects, found.objects, loss.answers);
    if (task_ == Task::kClassification && sample.real.best_class >= 0) {
      ++loss.answers.of_float;
      loss.answers.kept += sample.real.best_class == found.best_class ? 1 : 0;
    }
  }
  for (size_t i = 0; i < fidelities.size(); ++i) {
    if (compared_[i]) loss.outputs.push_back({network.outputs[i].name(), fidelities[i].SqnrDb()});
  }
  return loss;
}

LossQuality QualityOf(const ModelLoss& loss) {
  const OutputLoss* const worst = loss.worst();
  return {loss.answers.kept, worst == nullptr ? 0 : worst->sqnr_db};
}

std::string LossText(const ModelLoss& loss) {
  const OutputLoss* const worst = loss.worst();
  const std::string sqnr = worst == nullptr ? "no output with numbers to compare"
                                            : absl::StrCat("SQNR ", Decibels(worst->sqnr_db));
  const KeptAnswers& answers = loss.answers;
  if (loss.task == Task::kDetection && answers.of_float > 0) {
    return absl::StrCat("keeps ", answers.kept, " of ", answers.of_float, " detections, ", sqnr);
  }
  if (loss.task == Task::kClassification && answers.of_float > 0) {
    return absl::StrCat("the same best class in ", answers.kept, " of ", answers.of_float,
                        " samples, ", sqnr);
  }
  return sqnr;
}

std::string LossTable(const ModelLoss& loss) {
  std::string table =
      absl::StrCat("Against the float network, ", loss.samples,
                   loss.samples == 1 ? " sample: " : " samples: ", LossText(loss), "\n");
  size_t width = 0;
  for (const OutputLoss& output : loss.outputs) width = std::max(width, output.name.size());
  for (const OutputLoss& output : loss.outputs) {
    absl::StrAppendFormat(&table, "  %-*s %8s\n", width, output.name, Decibels(output.sqnr_db));
  }
  return table;
}

std::string LossComplaint(const ModelLoss& loss) {
  const std::string advice =
      loss.advice.empty() ? "" : absl::StrCat("; ", loss.advice, "; synap tune tries more");
  const KeptAnswers& answers = loss.answers;
  if (answers.of_float > 0) {
    if (answers.kept >= kLeastKept * answers.of_float) return "";
    const bool detects = loss.task == Task::kDetection;
    return absl::StrCat("the quantized network ", detects ? "keeps " : "has the best class of ",
                        answers.kept, " of the float network's ", answers.of_float,
                        detects ? " detections" : " samples", advice);
  }
  const OutputLoss* const worst = loss.worst();
  if (worst == nullptr || worst->sqnr_db >= kLeastSqnrDb) return "";
  return absl::StrCat("output '", worst->name, "' has a signal-to-noise ratio of ",
                      Decibels(worst->sqnr_db), " against the float network", advice);
}

std::string SerializeLoss(const ModelLoss& loss) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const OutputLoss& output : loss.outputs) outputs.push_back({output.name, output.sqnr_db});
  return nlohmann::json{{"samples", loss.samples},
                        {"outputs", outputs},
                        {"task", static_cast<int>(loss.task)},
                        {"of_float", loss.answers.of_float},
                        {"kept", loss.answers.kept},
                        {"advice", loss.advice}}
      .dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<ModelLoss> ParseLoss(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  ModelLoss loss;
  try {
    loss.samples = json.at("samples").get<size_t>();
    loss.task = static_cast<Task>(json.at("task").get<int>());
    loss.advice = json.at("advice").get<std::string>();
    loss.answers = {json.at("of_float").get<int>(), json.at("kept").get<int>()};
    for (const nlohmann::json& output : json.at("outputs")) {
      loss.outputs.push_back({output.at(0).get<std::string>(), output.at(1).get<double>()});
    }
  } catch (const nlohmann::json::exception& error) {
    return absl::DataLossError(absl::StrCat("not a measured loss: ", error.what()));
  }
  return loss;
}

}  // namespace synap_internal
