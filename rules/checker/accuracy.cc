#include "rules/checker/accuracy.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/fidelity.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "rules/checker/float_values.h"
#include "rules/checker/metrics.h"
#include "runtime/api/network_copies.h"
#include "synap/classifier.hpp"
#include "synap/detector.hpp"
#include "synap/input_data.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Classifier;
using synaptics::synap::Detector;
using synaptics::synap::InputData;
using synaptics::synap::Network;
using synaptics::synap::Rect;
using synaptics::synap::Tensor;

// Low enough for the whole precision-recall curve.
constexpr float kLowestScore = 0.02f;
// As applications run a detector: whatever the classes, and boxes in whole pixels.
constexpr float kSuppressionOverlap = 0.45f;
constexpr double kWorkingScore = 0.4;
constexpr size_t kTopCount = 5;

absl::StatusOr<Object> ParseObject(const Json& json) {
  Object object;
  try {
    object.class_index = json.value("class", 0);
    const auto box = json.at("box").get<std::vector<double>>();
    if (box.size() != 4) return absl::InvalidArgumentError("a box has left, top, width, height");
    object.box = {box[0], box[1], box[2], box[3]};
    for (const Json& point : json.value("landmarks", Json::array())) {
      object.landmarks.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
    }
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return object;
}

absl::StatusOr<std::vector<Object>> ParseObjects(const Json& json) {
  if (!json.is_array()) {
    return absl::InvalidArgumentError("expected a list of objects: the network is a detector");
  }
  std::vector<Object> objects;
  for (const Json& element : json) {
    ASSIGN_OR_RETURN(Object object, ParseObject(element));
    objects.push_back(std::move(object));
  }
  return objects;
}

Object FromDetection(const Detector::Result::Item& item) {
  const Rect& box = item.bounding_box;
  Object object{.class_index = item.class_index,
                .box = {static_cast<double>(box.origin.x), static_cast<double>(box.origin.y),
                        static_cast<double>(box.size.x), static_cast<double>(box.size.y)},
                .confidence = item.confidence};
  for (const auto& point : item.landmarks) {
    object.landmarks.push_back({static_cast<double>(point.x), static_cast<double>(point.y)});
  }
  return object;
}

// What a network answers to a picture, and what there is to find.
struct Answer {
  int errors = 0;
  DetectedPicture detections;  // of a detector
  size_t rank = 0;             // of a classifier: where the right class is
};

// The task of a network. Answers are read picture by picture, on any thread, and collected.
class Task {
 public:
  virtual ~Task() = default;
  // Reads the outputs of the run on a picture. Thread-safe.
  virtual absl::StatusOr<Answer> Read(const Network& network, const Rect& rectangle,
                                      const Json& truth) const = 0;
  virtual void Add(Answer answer) = 0;
  virtual void AppendFigures(const std::string& prefix, std::vector<Figure>& figures) const = 0;
};

class Detection : public Task {
 public:
  absl::StatusOr<Answer> Read(const Network& network, const Rect& rectangle,
                              const Json& truth) const override {
    Answer answer;
    DetectedPicture& picture = answer.detections;
    ASSIGN_OR_RETURN(picture.truth, ParseObjects(truth));
    Detector detector(kLowestScore, 0, true, kSuppressionOverlap);
    const Detector::Result result = detector.process(network.outputs, rectangle);
    if (!result.success) return absl::InternalError("detection failed");
    for (const auto& item : result.items) {
      picture.found.push_back(FromDetection(item));
      for (const Object& object : picture.truth) {
        if (object.landmarks.empty() || object.landmarks.size() == item.landmarks.size()) continue;
        return absl::InvalidArgumentError(absl::StrCat("the network gives ", item.landmarks.size(),
                                                       " landmarks, the truth has ",
                                                       object.landmarks.size()));
      }
    }
    const DetectionErrors errors = CountErrors(picture, kWorkingScore);
    answer.errors = errors.missed + errors.extra;
    return answer;
  }

  void Add(Answer answer) override {
    const DetectedPicture& picture = answer.detections;
    has_landmarks_ = has_landmarks_ ||
                     (!picture.found.empty() &&
                      std::any_of(picture.truth.begin(), picture.truth.end(),
                                  [](const Object& object) { return !object.landmarks.empty(); }));
    pictures_.push_back(std::move(answer.detections));
  }

  void AppendFigures(const std::string& prefix, std::vector<Figure>& figures) const override {
    const DetectionFigures found = MeasureDetections(pictures_, kWorkingScore);
    const auto append = [&](const char* name, double value, bool higher, double tolerance) {
      figures.push_back({absl::StrCat(prefix, " ", name), value, 4, higher, tolerance});
    };
    append("ap50", found.ap50, true, 0.005);
    append("ap50_95", found.ap50_95, true, 0.005);
    append("recall", found.recall, true, 0.01);
    append("precision", found.precision, true, 0.01);
    if (has_landmarks_) append("landmark_error", found.landmark_error, false, 0.002);
  }

 private:
  std::vector<DetectedPicture> pictures_;
  bool has_landmarks_ = false;  // an object of a picture with detections
};

class Classification : public Task {
 public:
  absl::StatusOr<Answer> Read(const Network& network, const Rect&,
                              const Json& truth) const override {
    if (!truth.is_number_integer()) {
      return absl::InvalidArgumentError("expected a class: the network is a classifier");
    }
    const Classifier::Result result = Classifier(kTopCount).process(network.outputs);
    if (!result.success) return absl::InternalError("classification failed");
    Answer answer;
    size_t& rank = answer.rank;
    while (rank < result.items.size() && result.items[rank].class_index != truth.get<int>()) ++rank;
    if (rank == result.items.size()) rank = kTopCount;
    answer.errors = rank == 0 ? 0 : 1;
    return answer;
  }

  void Add(Answer answer) override {
    ++pictures_;
    first_ += answer.rank == 0 ? 1 : 0;
    among_first_ += answer.rank < kTopCount ? 1 : 0;
  }

  void AppendFigures(const std::string& prefix, std::vector<Figure>& figures) const override {
    figures.push_back({prefix + " top1", first_ / pictures_, 4, true, 0.005});
    figures.push_back({prefix + " top5", among_first_ / pictures_, 4, true, 0.005});
  }

 private:
  double pictures_ = 0, first_ = 0, among_first_ = 0;
};

std::unique_ptr<Task> TaskOf(const Network& network) {
  if (IsDetector(network)) return std::make_unique<Detection>();
  return std::make_unique<Classification>();
}

absl::StatusOr<const Tensor*> OutputNamed(const Network& network, const Tensor& like) {
  for (size_t i = 0; i < network.outputs.size(); ++i) {
    const Tensor& output = network.outputs[i];
    if (output.name() == like.name() && output.item_count() == like.item_count()) return &output;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the float network has no output ", like.name(), " of this size"));
}

// Fidelity of each of the model's outputs in one picture.
absl::StatusOr<std::vector<Fidelity>> CompareOutputs(const Network& model,
                                                     const Network& reference) {
  std::vector<Fidelity> fidelities(model.outputs.size());
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    ASSIGN_OR_RETURN(const Tensor* const expected, OutputNamed(reference, model.outputs[i]));
    ASSIGN_OR_RETURN(const absl::Span<const float> expected_values, FloatValues(*expected));
    ASSIGN_OR_RETURN(const absl::Span<const float> found, FloatValues(model.outputs[i]));
    fidelities[i].Add(expected_values, found);
  }
  return fidelities;
}

// What both networks make of a picture.
struct PictureAnswers {
  Answer quantized, exact;
  std::vector<Fidelity> fidelities;  // of each output; empty without a float network
};

// The pictures of a test with what they show.
class KnownPictures {
 public:
  KnownPictures(const Json& known, absl::Span<const std::string> pictures)
      : known_(known), pictures_(pictures) {
    std::set<std::string> names;
    for (const std::string& path : pictures) {
      is_second_.push_back(!names.insert(Basename(path)).second);
    }
  }

  // What is in the picture: InvalidArgument if that isn't known.
  absl::StatusOr<const Json*> ContentOf(size_t picture) const {
    const std::string name = Basename(pictures_[picture]);
    if (!known_.contains(name)) {
      return absl::InvalidArgumentError("the truth doesn't tell what is in it");
    }
    if (is_second_[picture]) return absl::InvalidArgumentError("two pictures have this name");
    return &known_[name];
  }

 private:
  const Json& known_;
  const absl::Span<const std::string> pictures_;
  std::vector<bool> is_second_;  // of a name
};

double Rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

std::string Number(double value, int decimals) { return absl::StrFormat("%.*f", decimals, value); }

}  // namespace

absl::StatusOr<Accuracy> MeasureAccuracy(NetworkCopies<AccuracyNetworks>& copies, const Json& truth,
                                         absl::Span<const std::string> pictures) {
  const Json known = truth.is_object() ? truth.value("pictures", Json()) : Json();
  if (!known.is_object()) return absl::InvalidArgumentError("the truth has no \"pictures\"");
  if (pictures.empty()) return absl::InvalidArgumentError("there is no picture");
  const KnownPictures contents(known, pictures);
  ASSIGN_OR_RETURN(AccuracyNetworks* const first, copies.Get(0));
  const bool has_reference = !first->reference.outputs.empty();
  const std::unique_ptr<Task> quantized = TaskOf(first->model), exact = TaskOf(first->model);
  Accuracy accuracy;
  std::vector<Fidelity> totals(first->model.outputs.size());
  const auto compute = [&](size_t i, AccuracyNetworks& networks,
                           int) -> absl::StatusOr<PictureAnswers> {
    PictureAnswers answers;
    ASSIGN_OR_RETURN(const Json* const content, contents.ContentOf(i));
    const InputData picture(pictures[i]);
    ASSIGN_OR_RETURN(const Rect rectangle, RunOnPicture(picture, networks.model));
    ASSIGN_OR_RETURN(answers.quantized, quantized->Read(networks.model, rectangle, *content));
    if (!has_reference) return answers;
    ASSIGN_OR_RETURN(const Rect same, RunOnPicture(picture, networks.reference));
    ASSIGN_OR_RETURN(answers.exact, exact->Read(networks.reference, same, *content));
    ASSIGN_OR_RETURN(answers.fidelities, CompareOutputs(networks.model, networks.reference));
    return answers;
  };
  const auto take = [&](size_t i, absl::StatusOr<PictureAnswers> computed) -> absl::Status {
    PictureFigures figures{.picture = Basename(pictures[i])};
    RETURN_IF_ERROR(Annotate(computed.status(), figures.picture));
    PictureAnswers& answers = *computed;
    figures.quantized_errors = answers.quantized.errors;
    quantized->Add(std::move(answers.quantized));
    if (has_reference) {
      figures.float_errors = answers.exact.errors;
      exact->Add(std::move(answers.exact));
      figures.sqnr_db = answers.fidelities[0].SqnrDb();
    }
    for (size_t output = 0; output < answers.fidelities.size(); ++output) {
      figures.sqnr_db = std::min(figures.sqnr_db, answers.fidelities[output].SqnrDb());
      totals[output].Add(answers.fidelities[output]);
    }
    accuracy.pictures.push_back(std::move(figures));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(RunOnCopies(copies, pictures.size(), compute, take));
  if (has_reference) exact->AppendFigures("float", accuracy.figures);
  quantized->AppendFigures("quantized", accuracy.figures);
  for (size_t i = 0; has_reference && i < totals.size(); ++i) {
    const std::string& name = first->model.outputs[i].name();
    accuracy.figures.push_back({name + " sqnr_db", totals[i].SqnrDb(), 2, true, 0.5});
    accuracy.figures.push_back({name + " cosine", totals[i].Cosine(), 4, true, 0.001});
  }
  for (Figure& figure : accuracy.figures) figure.value = Rounded(figure.value, figure.decimals);
  std::sort(accuracy.pictures.begin(), accuracy.pictures.end(),
            [](const PictureFigures& a, const PictureFigures& b) {
              return std::make_tuple(a.float_errors - a.quantized_errors, a.sqnr_db, a.picture) <
                     std::make_tuple(b.float_errors - b.quantized_errors, b.sqnr_db, b.picture);
            });
  return accuracy;
}

Json AccuracyGolden(const Accuracy& accuracy, const Json& old) {
  const Json before = old.is_object() ? old.value("figures", Json()) : Json();
  Json figures = Json::object();
  for (const Figure& figure : accuracy.figures) {
    Json tolerance = figure.tolerance;
    if (before.is_object() && before.contains(figure.name)) {
      const Json& known = before[figure.name];
      const bool usable = known.is_object() && known.contains("tolerance");
      if (usable && known["tolerance"].is_number()) tolerance = known["tolerance"];
    }
    figures[figure.name] = {{"value", figure.value}, {"tolerance", std::move(tolerance)}};
  }
  return {{"figures", std::move(figures)}};
}

absl::StatusOr<Comparison> CompareAccuracy(const Json& golden, const Accuracy& found) {
  Json left = golden.is_object() ? golden.value("figures", Json()) : Json();
  if (!left.is_object()) return absl::InvalidArgumentError("the golden has no \"figures\"");
  size_t width = 6;
  for (const Figure& figure : found.figures) width = std::max(width, figure.name.size());
  const auto line = [width](absl::string_view name, absl::string_view before,
                            absl::string_view after, absl::string_view change,
                            absl::string_view allowed, absl::string_view verdict) {
    std::string text = absl::StrFormat("%-*s %9s %9s %9s %9s  %s", width, name, before, after,
                                       change, allowed, verdict);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  Comparison comparison;
  comparison.table = line("figure", "golden", "found", "change", "allowed", "");
  for (const Figure& figure : found.figures) {
    const std::string value = Number(figure.value, figure.decimals);
    if (!left.contains(figure.name)) {
      comparison.table += line(figure.name, "none", value, "", "", "NOT IN THE GOLDEN");
      comparison.worse = true;
      continue;
    }
    const Json entry = left[figure.name];
    left.erase(figure.name);
    const auto is_number = [&entry](const char* key) {
      return entry.is_object() && entry.contains(key) && entry[key].is_number();
    };
    if (!is_number("value") || !is_number("tolerance")) {
      return absl::InvalidArgumentError(
          absl::StrCat("the golden's ", figure.name, " has no value and tolerance"));
    }
    const auto before = entry["value"].get<double>();
    const auto tolerance = entry["tolerance"].get<double>();
    const double change = Rounded(figure.value - before, figure.decimals);
    const double gain = figure.higher_is_better ? change : -change;
    const bool worse = !(-gain <= tolerance);  // what is no number is worse too
    comparison.worse = comparison.worse || worse;
    comparison.table +=
        line(figure.name, Number(before, figure.decimals), value,
             absl::StrFormat("%+.*f", figure.decimals, change), Number(tolerance, figure.decimals),
             worse      ? "WORSE"
             : gain > 0 ? "better"
                        : "");
  }
  for (const auto& [name, entry] : left.items()) {
    comparison.table += line(name, "", "none", "", "", "ONLY IN THE GOLDEN");
    comparison.worse = true;
  }
  return comparison;
}

std::string WorstPictures(const Accuracy& accuracy, size_t count) {
  std::string text =
      "the pictures that lose most (errors: float, quantized; SQNR of the worst output)\n";
  for (size_t i = 0; i < std::min(count, accuracy.pictures.size()); ++i) {
    const PictureFigures& figures = accuracy.pictures[i];
    absl::StrAppendFormat(&text, "  %s: %d, %d; %.2f dB\n", figures.picture, figures.float_errors,
                          figures.quantized_errors, figures.sqnr_db);
  }
  return text;
}

}  // namespace synap_internal
