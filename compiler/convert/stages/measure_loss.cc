#include "compiler/convert/stages/measure_loss.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/fidelity.h"
#include "base/status_macros.h"
#include "base/warnings.h"
#include "compiler/convert/stages/check_labels.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/convert/stages/sample_cases.h"
#include "compiler/dataset/samples.h"
#include "compiler/metafile/stage_parts.h"
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
constexpr size_t kEnoughToHoldOut = 16;

constexpr float kLeastScore = 0.3f, kLeastKeptScore = 0.25f, kLeastOverlap = 0.5f;
constexpr float kLeastLabelledScore = 0.01f;  // precision is measured down to it
// Boxes are rounded to whole pixels of the rectangle, which is made so many times larger.
constexpr int kFinerPixels = 8;
constexpr int kAnyPicture = 8192;  // pixels, where no input is a picture

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

// Moves objects from parts of a picture to the pixels of WholePicture.
void PlaceObjects(const Network& network, const std::vector<PictureFit>& fits,
                  std::vector<LabelledObject>& objects) {
  const Rect whole = WholePicture(network);
  PicturePlace place{0, 0, static_cast<double>(whole.size.x), static_cast<double>(whole.size.y)};
  const auto fit = std::find_if(fits.begin(), fits.end(),
                                [](const PictureFit& input) { return input.is_picture; });
  if (fit != fits.end()) {
    place = {kFinerPixels * fit->place.left, kFinerPixels * fit->place.top,
             kFinerPixels * fit->place.width, kFinerPixels * fit->place.height};
  }
  const auto x = [&](float part) { return static_cast<float>(place.left + part * place.width); };
  const auto y = [&](float part) { return static_cast<float>(place.top + part * place.height); };
  for (LabelledObject& object : objects) {
    const LabelledBox& box = object.box;
    object.box = {x(box.x0), y(box.y0), x(box.x1), y(box.y1)};
  }
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
      if (taken[i] || found[i].confidence < kLeastKeptScore ||
          found[i].class_index != object.class_index) {
        continue;
      }
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

}  // namespace

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

std::vector<DatasetSample> ChooseHeldOut(const std::vector<DatasetSample>& samples, size_t count) {
  if (samples.size() < kEnoughToHoldOut) return {};
  return SpreadOver(samples, std::min(count, samples.size() / 3));
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
    const std::vector<DatasetSample>& samples, const Labels* labels) {
  if (samples.empty()) {
    return absl::InvalidArgumentError("there is no sample to measure the loss by, expected one");
  }
  std::unique_ptr<LossMeter> meter(new LossMeter(real, ForSamples(metafile), target, labels));
  ASSIGN_OR_RETURN(const CompiledModel model, meter->Compile(real, meter->metafile_));
  meter->real_seconds_ = model.latency.seconds;
  ASSIGN_OR_RETURN(const std::unique_ptr<Artifact> artifact, Load(model.synap));
  ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(real, meter->metafile_));
  Network& network = artifact->network;
  meter->task_ = TaskOf(network);
  if (labels != nullptr) RETURN_IF_ERROR(CheckLabels(*labels, meter->task_, network));
  meter->compared_.resize(network.outputs.size());
  for (const DatasetSample& file : samples) {
    Sample& sample = meter->samples_.emplace_back();
    ASSIGN_OR_RETURN(sample, meter->ReadSample(reader, file, network));
    ASSIGN_OR_RETURN(sample.real, meter->Run(sample, *artifact));
    if (labels != nullptr) meter->AddAnswer(sample, sample.real, meter->real_answers_);
  }
  for (size_t i = 0; i < meter->compared_.size(); ++i) {
    meter->compared_[i] = network.outputs[i].data_type() == synaptics::synap::DataType::float32 &&
                          meter->HasSignal(i);
  }
  return meter;
}

absl::StatusOr<LossMeter::Sample> LossMeter::ReadSample(const SampleReader& reader,
                                                        const DatasetSample& file,
                                                        const Network& network) const {
  Sample sample;
  sample.name = file.name;
  std::vector<PictureFit> fits;
  ASSIGN_OR_RETURN(sample.inputs, reader.Read(file, &fits));
  if (labels_ == nullptr) return sample;
  const SampleLabel& label = labels_->samples.at(Labels::KeyOf(file));
  sample.class_index = label.class_index;
  sample.objects = label.objects;
  PlaceObjects(network, fits, sample.objects);
  return sample;
}

void LossMeter::AddAnswer(const Sample& sample, const Answer& answer,
                          LabelledAnswers& answers) const {
  if (task_ == Task::kClassification) {
    answers.AddClasses(sample.class_index, answer.classes);
    return;
  }
  std::vector<FoundObject> found;
  for (const Item& item : answer.objects) {
    const DetectedBox box = BoxOf(item);
    found.push_back({item.class_index, item.confidence, {box.x0, box.y0, box.x1, box.y1}});
  }
  answers.AddObjects(sample.objects, std::move(found));
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
    const float least = labels_ == nullptr ? kLeastKeptScore : kLeastLabelledScore;
    answer.objects = Detector(least).process(network.outputs, WholePicture(network)).items;
    // A mask is larger than all the rest.
    for (Item& object : answer.objects) object.mask = {};
  } else if (task_ == Task::kClassification) {
    synaptics::synap::Classifier classifier(LabelledAnswers::kBestClasses);
    for (const auto& item : classifier.process(network.outputs).items) {
      answer.classes.push_back(item.class_index);
    }
  }
  return answer;
}

absl::StatusOr<ModelLoss> LossMeter::Measure(const Graph& quantized, const Metafile& metafile,
                                             const CompiledModel& model,
                                             LabelledAnswers* answers) const {
  std::optional<CompiledModel> plain;
  if (metafile.preprocesses() || metafile.security.secure) {
    ASSIGN_OR_RETURN(plain, Compile(quantized, metafile));
  }
  return MeasureArtifact(plain.has_value() ? plain->synap : model.synap, answers);
}

absl::StatusOr<ModelLoss> LossMeter::Measure(const Graph& quantized,
                                             const Metafile& metafile) const {
  ASSIGN_OR_RETURN(const CompiledModel model, Compile(quantized, metafile));
  return MeasureArtifact(model.synap, nullptr);
}

absl::StatusOr<ModelLoss> LossMeter::MeasureArtifact(const std::string& synap,
                                                     LabelledAnswers* answers) const {
  ASSIGN_OR_RETURN(const std::unique_ptr<Artifact> artifact, Load(synap));
  const Network& network = artifact->network;
  ModelLoss loss;
  loss.samples = samples_.size();
  loss.real_seconds = real_seconds_;
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
    if (task_ == Task::kClassification && !sample.real.classes.empty()) {
      ++loss.answers.of_float;
      loss.answers.kept += !found.classes.empty() && sample.real.classes[0] == found.classes[0];
    }
    if (answers != nullptr) AddAnswer(sample, found, *answers);
  }
  for (size_t i = 0; i < fidelities.size(); ++i) {
    if (compared_[i]) loss.outputs.push_back({network.outputs[i].name(), fidelities[i].SqnrDb()});
  }
  return loss;
}

}  // namespace synap_internal
