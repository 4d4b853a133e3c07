// Loss of a quantized model against its float network, as figures and as text.
#ifndef COMPILER_CONVERT_STAGES_MODEL_LOSS_H_
#define COMPILER_CONVERT_STAGES_MODEL_LOSS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/convert/stages/accuracy.h"

namespace synap_internal {

struct OutputLoss {
  std::string name;
  double sqnr_db = 0;  // of all its values in all samples (base/fidelity.h)
};

// Answers of the float network, and those of them that the quantized one gives, too.
struct KeptAnswers {
  int of_float = 0;
  int kept = 0;
};

struct AccuracyLoss {
  AccuracyFigures real, quantized;
};

struct ModelLoss {
  // What the outputs' formats say that an answer is.
  enum class Task { kOther, kDetection, kClassification };

  size_t samples = 0;
  // Whether the network that was measured was calibrated without them.
  bool held_out = false;
  double real_seconds = 0;  // that the float network would take
  std::vector<OutputLoss> outputs;
  Task task = Task::kOther;
  // Of a detector: objects with a score of at least 0.3 and, kept, an object of the same class with
  // at least 0.25 that overlaps it by more than half (intersection over union). Of a classifier:
  // the samples, and those with the same best class.
  KeptAnswers answers;
  std::optional<AccuracyLoss> accuracy;  // where labels are known
  // What would lose less, for LossComplaint (compiler/convert/tune/advise.h); "" if nothing is
  // known.
  std::string advice;

  // Null without an output that can be compared.
  const OutputLoss* worst() const;
};

// Larger where less is lost: the accuracy (AccuracyFigures::first), the answers kept, then the
// worst output's SQNR.
using LossQuality = std::tuple<double, int, double>;
LossQuality QualityOf(const ModelLoss& loss);

// The figures: "keeps 39 of 80 detections, SQNR 6.8 dB", "the same best class in
// 8 of 8 samples, SQNR 31.2 dB", "SQNR 31.2 dB"; of the worst output. With labels the accuracy
// comes first: "top-1 74.2 % (float 75.0 %), ".
std::string LossText(const ModelLoss& loss);

// The samples that it is about: "16 held-out samples", "1 calibration sample".
std::string LossSamples(const ModelLoss& loss);

// The closing line's part: "SQNR 31.2 dB on 16 held-out samples".
std::string LossLine(const ModelLoss& loss);

// A section of model_info.txt: LossText, and the SQNR of each output.
std::string LossTable(const ModelLoss& loss);

// Why the loss deserves a warning; "" if it doesn't: fewer than 9 of 10 answers are kept or, where
// the answers aren't known, an output has less than 10 dB. Ends with the advice.
std::string LossComplaint(const ModelLoss& loss);

// The artifact that a loss is of.
struct LossOrigin {
  std::string sha256;  // of its file
  std::string target;
  double seconds = 0;  // estimated
};

// quantization_loss.json (docs/format.md).
std::string LossJson(const ModelLoss& loss, const LossOrigin& origin);

// One line of text, for a cache; without the accuracy, since what is cached has no labels.
std::string SerializeLoss(const ModelLoss& loss);
absl::StatusOr<ModelLoss> ParseLoss(const std::string& text);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_MODEL_LOSS_H_
