#include "runtime/cli/synap_cli_ic.h"

#include <cstdint>
#include <memory>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/classification_output.h"
#include "runtime/cli/image_program.h"
#include "runtime/cli/network_chain.h"
#include "runtime/cli/stopwatch.h"
#include "runtime/vision/picture_format.h"
#include "synap/classifier.hpp"
#include "synap/input_data.hpp"
#include "synap/label_info.hpp"
#include "synap/preprocessor.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Classifier;
using synaptics::synap::Dimensions;
using synaptics::synap::InputData;
using synaptics::synap::LabelInfo;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;

struct ClassifyOptions {
  explicit ClassifyOptions(int networks) : models(networks), is_pair(networks == 2) {}

  ChainOptions models;
  const bool is_pair;
  int top = 5;
  int repeat = 1;
  Rect region;

  void Declare(ArgParser& parser) {
    models.Declare(parser);
    parser.Int("--top", "Largest number of classes to show, 0: all", 0, &top);
    DeclareRegion(parser, &region);
    if (is_pair) parser.Int("-r", "Number of runs for each image", 1, &repeat);
  }
};

// What is the same for all images.
struct ClassifySession {
  const ClassifyOptions& options;
  Preprocessor preprocessor;
  LabelInfo labels;
  bool is_terminal;
};

// A note on an image that got letterbox bands, unless the model was converted for them; or "".
std::string NoteOnBands(const InputData& image, const Rect& assigned, NetworkChain& chain) {
  const Dimensions shown = image.dimensions();
  const bool has_bands = assigned.size.x > shown.w || assigned.size.y > shown.h;
  if (shown.empty() || !has_bands ||
      ParsePictureFormat(chain.inputs()[0].format()).has_keep_proportions) {
    return "";
  }
  return absl::StrFormat(
      "Note: images keep their proportions, so this one of %dx%d got grey bands. Most "
      "classifiers are trained without bands: convert with 'format: rgb keep_proportions=0' for "
      "the input to stretch images instead\n",
      shown.w, shown.h);
}

// Classifies once and adds the time to the lines, which begin with the image's name. Returns an
// error message, or "".
std::string ClassifyImage(const std::string& file, const InputData& image,
                          const ClassifySession& session, NetworkChain& chain,
                          Classifier::Result& result, ImageResult& shown) {
  const Stopwatch total;
  Rect assigned;
  const Assignment assignment = AssignImage(session.preprocessor, image, chain.inputs(), &assigned);
  const int64_t preprocessed = total.microseconds();
  const bool is_readable = assignment != Assignment::kUnreadable;
  if (is_readable && shown.lines.empty()) shown.lines = "Input image: " + file + "\n";
  if (assignment != Assignment::kDone) return AssignmentError(assignment, file);
  shown.note = NoteOnBands(image, assigned, chain);
  if (!chain.Predict()) return "Inference failed";
  const int64_t inferred = total.microseconds();
  result = Classifier(static_cast<size_t>(session.options.top)).process(chain.outputs());
  const int64_t done = total.microseconds();
  if (!result.success) return "Classification failed";
  shown.lines += TimeLine("Classification", TimeUnit::kMilliseconds, preprocessed, inferred, done);
  return "";
}

ImageResult Classify(const std::string& file, const ClassifySession& session, NetworkChain& chain) {
  ImageResult shown;
  const InputData image(file);
  Classifier::Result result;
  for (int i = 0; i < session.options.repeat; ++i) {
    shown.error = ClassifyImage(file, image, session, chain, result, shown);
    if (!shown.error.empty()) return shown;
  }
  shown.text = session.is_terminal ? ClassificationTable(result, session.labels)
                                   : ClassificationJson(result, session.labels);
  return shown;
}

int RunClassify(const char* program, int networks, const std::vector<std::string>& args,
                bool is_terminal, std::ostream& out, std::ostream& err) {
  ArgParser parser(program,
                   absl::StrCat(networks == 1 ? "Classifies images. "
                                              : "Classifies images with two networks, of which the "
                                                "first prepares the images.\n",
                                "They keep their proportions and get grey bands "
                                "unless the model was converted with\n'format: rgb "
                                "keep_proportions=0' for its input.\n",
                                kLabelHelp),
                   "image...");
  ClassifyOptions options(networks);
  options.Declare(parser);
  if (const absl::optional<int> ended = ParseImageArgs(args, parser, err)) return *ended;
  if (!options.models.Resolve(err)) return 1;

  ClassifySession session{options, Preprocessor(), LabelInfo::find(options.models.last_model()),
                          is_terminal};
  session.preprocessor.set_roi(options.region);
  const ResultFormat format = is_terminal ? ResultFormat::kText : ResultFormat::kJson;
  const std::unique_ptr<ChainCopies> chains =
      options.models.Load(parser.data().size(), is_terminal ? out : err, err);
  if (chains == nullptr) return 1;
  return ForEachImage(parser.data(), *chains, format, out, err,
                      [&](const std::string& file, NetworkChain& chain, int) {
                        return Classify(file, session, chain);
                      });
}

}  // namespace

int SynapCliIc(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
               std::ostream& err) {
  return RunClassify("synap_cli_ic", 1, args, is_terminal, out, err);
}

int SynapCliIc2(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
                std::ostream& err) {
  return RunClassify("synap_cli_ic2", 2, args, is_terminal, out, err);
}

}  // namespace synap_internal
