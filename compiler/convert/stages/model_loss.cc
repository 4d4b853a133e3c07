#include "compiler/convert/stages/model_loss.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

constexpr double kLeastKept = 0.9;
constexpr double kLeastSqnrDb = 10;

std::string Decibels(double sqnr_db) { return absl::StrFormat("%.1f dB", sqnr_db); }

std::string AccuracyText(const ModelLoss& loss) {
  if (!loss.accuracy.has_value()) return "";
  const AccuracyNames names = NamesOfAccuracy(loss.task == ModelLoss::Task::kDetection);
  return absl::StrFormat("%s %.1f %% (float %.1f %%), ", names.first,
                         100 * loss.accuracy->quantized.first, 100 * loss.accuracy->real.first);
}

}  // namespace

const OutputLoss* ModelLoss::worst() const {
  const auto least = std::min_element(
      outputs.begin(), outputs.end(),
      [](const OutputLoss& a, const OutputLoss& b) { return a.sqnr_db < b.sqnr_db; });
  return least == outputs.end() ? nullptr : &*least;
}

LossQuality QualityOf(const ModelLoss& loss) {
  const OutputLoss* const worst = loss.worst();
  return {loss.accuracy.has_value() ? loss.accuracy->quantized.first : 0, loss.answers.kept,
          worst == nullptr ? 0 : worst->sqnr_db};
}

std::string LossText(const ModelLoss& loss) {
  const OutputLoss* const worst = loss.worst();
  const std::string sqnr = worst == nullptr ? "no output with numbers to compare"
                                            : absl::StrCat("SQNR ", Decibels(worst->sqnr_db));
  const std::string accuracy = AccuracyText(loss);
  const KeptAnswers& answers = loss.answers;
  if (loss.task == ModelLoss::Task::kDetection && answers.of_float > 0) {
    return absl::StrCat(accuracy, "keeps ", answers.kept, " of ", answers.of_float, " detections, ",
                        sqnr);
  }
  if (loss.task == ModelLoss::Task::kClassification && answers.of_float > 0) {
    return absl::StrCat(accuracy, "the same best class in ", answers.kept, " of ", answers.of_float,
                        " samples, ", sqnr);
  }
  return absl::StrCat(accuracy, sqnr);
}

std::string LossSamples(const ModelLoss& loss) {
  return absl::StrCat(loss.samples, loss.held_out ? " held-out" : " calibration",
                      loss.samples == 1 ? " sample" : " samples");
}

std::string LossLine(const ModelLoss& loss) {
  return absl::StrCat(LossText(loss), " on ", LossSamples(loss));
}

std::string LossTable(const ModelLoss& loss) {
  std::string table =
      absl::StrCat("Against the float network, ", LossSamples(loss), ": ", LossText(loss), "\n");
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
    const bool detects = loss.task == ModelLoss::Task::kDetection;
    return absl::StrCat("the quantized network ", detects ? "keeps " : "has the best class of ",
                        answers.kept, " of the float network's ", answers.of_float,
                        detects ? " detections" : " samples", advice);
  }
  const OutputLoss* const worst = loss.worst();
  if (worst == nullptr || worst->sqnr_db >= kLeastSqnrDb) return "";
  return absl::StrCat("output '", worst->name, "' has a signal-to-noise ratio of ",
                      Decibels(worst->sqnr_db), " against the float network", advice);
}

std::string LossJson(const ModelLoss& loss, const LossOrigin& origin) {
  using Json = nlohmann::ordered_json;
  Json outputs = Json::array();
  for (const OutputLoss& output : loss.outputs) {
    outputs.push_back({{"name", output.name}, {"sqnr_db", output.sqnr_db}});
  }
  Json json = {{"sha256", origin.sha256},    {"target", origin.target},
               {"samples", loss.samples},    {"held_out", loss.held_out},
               {"text", LossText(loss)},     {"outputs", outputs},
               {"ms", 1e3 * origin.seconds}, {"float_ms", 1e3 * loss.real_seconds}};
  if (loss.answers.of_float > 0) {
    json["answers"] = {
        {"kind", loss.task == ModelLoss::Task::kDetection ? "detections" : "best classes"},
        {"float", loss.answers.of_float},
        {"kept", loss.answers.kept}};
  }
  if (!loss.advice.empty()) json["advice"] = loss.advice;
  return json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

std::string SerializeLoss(const ModelLoss& loss) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const OutputLoss& output : loss.outputs) outputs.push_back({output.name, output.sqnr_db});
  return nlohmann::json{{"samples", loss.samples},
                        {"held_out", loss.held_out},
                        {"real_seconds", loss.real_seconds},
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
    loss.held_out = json.at("held_out").get<bool>();
    loss.real_seconds = json.at("real_seconds").get<double>();
    loss.task = static_cast<ModelLoss::Task>(json.at("task").get<int>());
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
