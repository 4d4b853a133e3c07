#include "runtime/cli/synap_cli_od.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/detection_output.h"
#include "runtime/cli/image_program.h"
#include "runtime/cli/network_chain.h"
#include "runtime/cli/stopwatch.h"
#include "synap/detector.hpp"
#include "synap/label_info.hpp"
#include "synap/preprocessor.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Detector;
using synaptics::synap::Dimensions;
using synaptics::synap::InputData;
using synaptics::synap::LabelInfo;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;

struct DetectOptions {
  explicit DetectOptions(int networks) : models(networks) {}

  ChainOptions models;
  float score_threshold = 0.5f;
  int max_detections = 0;
  bool disable_nms = false;
  float iou_threshold = 0.5f;
  bool iou_with_min = false;
  Rect region;

  void Declare(ArgParser& parser) {
    models.Declare(parser);
    parser.Float("--score-threshold", "Lowest score of detections to show", &score_threshold);
    parser.Int("--max-detections", "Largest number of detections to show, 0: all", 0,
               &max_detections);
    parser.Flag("--disable-nms", "Keep detections that overlap a better one", &disable_nms);
    parser.Float("--iou-threshold", "Largest overlap of a detection with a better one",
                 &iou_threshold);
    parser.Flag("--iou-with-min", "Measure overlaps by the smaller area, not by the union",
                &iou_with_min);
    DeclareRegion(parser, &region);
  }
};

// What is the same for all images.
struct DetectSession {
  Preprocessor preprocessor;
  LabelInfo labels;
  bool is_terminal;
};

ImageResult DetectIn(const std::string& file, const DetectSession& session, NetworkChain& chain,
                     Detector& detector) {
  const InputData image(file);
  const Stopwatch total;
  Rect rect;
  const Assignment assignment = AssignImage(session.preprocessor, image, chain.inputs(), &rect);
  const int64_t preprocessed = total.microseconds();
  const std::string error = AssignmentError(assignment, file);
  if (assignment == Assignment::kUnreadable) return {.error = error};
  const Dimensions size = image.dimensions();
  std::string lines = absl::StrCat(" \nInput image: ", file, " (w = ", size.w, ", h = ", size.h,
                                   ", c = ", size.c, ")\n");
  if (assignment != Assignment::kDone) return {.lines = lines, .error = error};
  if (!chain.Predict()) return {.lines = lines, .error = "Inference failed"};
  const int64_t inferred = total.microseconds();
  rect = chain.ShownByLast(rect);
  const Detector::Result result = detector.process(chain.outputs(), rect);
  const int64_t done = total.microseconds();
  if (!result.success) return {.lines = lines, .error = "Detection failed"};

  lines += TimeLine("Detection", TimeUnit::kMicroseconds, preprocessed, inferred, done);
  return {.lines = lines,
          .text = session.is_terminal ? DetectionTable(result, session.labels)
                                      : DetectionJson(result, session.labels, rect)};
}

int RunDetect(const char* program, int networks, const std::vector<std::string>& args,
              bool is_terminal, std::ostream& out, std::ostream& err) {
  ArgParser parser(program,
                   absl::StrCat(networks == 1 ? "Finds objects in images. "
                                              : "Finds objects in images with two networks, of "
                                                "which the first prepares the images.\n",
                                kLabelHelp),
                   "image...");
  DetectOptions options(networks);
  options.Declare(parser);
  if (const absl::optional<int> ended = ParseImageArgs(args, parser, err)) return *ended;
  if (!options.models.Resolve(err)) return 1;

  DetectSession session{Preprocessor(), LabelInfo::find(options.models.last_model()), is_terminal};
  session.preprocessor.set_roi(options.region);
  const ResultFormat format = is_terminal ? ResultFormat::kText : ResultFormat::kJson;
  const std::unique_ptr<ChainCopies> chains =
      options.models.Load(parser.data().size(), is_terminal ? out : err, err);
  if (chains == nullptr) return 1;
  std::vector<Detector> detectors;
  for (int i = 0; i < chains->count(); ++i) {
    detectors.emplace_back(options.score_threshold, options.max_detections, !options.disable_nms,
                           options.iou_threshold, options.iou_with_min);
  }
  if (!detectors[0].init((*chains->Get(0))->outputs())) {
    err << "Failed to initialize detector\n";
    return 1;
  }
  return ForEachImage(parser.data(), *chains, format, out, err,
                      [&](const std::string& file, NetworkChain& chain, int copy) {
                        return DetectIn(file, session, chain, detectors[static_cast<size_t>(copy)]);
                      });
}

}  // namespace

int SynapCliOd(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
               std::ostream& err) {
  return RunDetect("synap_cli_od", 1, args, is_terminal, out, err);
}

int SynapCliOd2(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
                std::ostream& err) {
  return RunDetect("synap_cli_od2", 2, args, is_terminal, out, err);
}

}  // namespace synap_internal
