#include "runtime/cli/synap_cli_ic.h"

#include <cstdint>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/classification_output.h"
#include "runtime/cli/image_program.h"
#include "runtime/cli/network_chain.h"
#include "runtime/cli/stopwatch.h"
#include "runtime/vision/format_string.h"
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

struct Options {
  explicit Options(int networks) : models(networks), is_pair(networks == 2) {}

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

// State for all images.
struct Session {
  NetworkChain chain;
  Preprocessor preprocessor;
  Classifier classifier;
  LabelInfo labels;
  bool is_terminal;
  int repeat;
  bool bands_noted = false;
};

// Prints once that an image got letterbox bands, unless the model was converted for them.
void NoteBands(const InputData& image, const Rect& assigned, Session& session, std::ostream& err) {
  const Dimensions shown = image.dimensions();
  const bool has_bands = assigned.size.x > shown.w || assigned.size.y > shown.h;
  if (session.bands_noted || shown.empty() || !has_bands ||
      FormatString::Parse(session.chain.inputs()[0].format()).Has("keep_proportions")) {
    return;
  }
  session.bands_noted = true;
  err << absl::StreamFormat(
      "Note: images keep their proportions, so this one of %dx%d got grey bands. Most "
      "classifiers are trained without bands: convert with 'format: rgb keep_proportions=0' for "
      "the input to stretch images instead\n",
      shown.w, shown.h);
}

// Classifies once and prints the time. Returns an error message, or "".
std::string Run(const InputData& image, Session& session, Classifier::Result& result,
                std::ostream& out, std::ostream& err) {
  const Stopwatch total;
  Rect assigned;
  if (!session.preprocessor.assign(session.chain.inputs(), image, 0, &assigned)) {
    return "Error assigning input to tensor.";
  }
  const int64_t preprocessed = total.microseconds();
  NoteBands(image, assigned, session, err);
  if (!session.chain.Predict()) return "Inference failed";
  const int64_t inferred = total.microseconds();
  result = session.classifier.process(session.chain.outputs());
  const int64_t done = total.microseconds();
  if (!result.success) return "Classification failed";
  out << TimeLine("Classification", TimeUnit::kMilliseconds, preprocessed, inferred, done);
  return "";
}

// Returns an error message, or "".
std::string Classify(const std::string& file, Session& session, std::ostream& out,
                     std::ostream& err) {
  const InputData image(file);
  if (!IsReadable(image)) return "Error, unable to read data from file: " + file;
  out << "Input image: " << file << "\n";
  Classifier::Result result;
  for (int i = 0; i < session.repeat; ++i) {
    std::string error = Run(image, session, result, out, err);
    if (!error.empty()) return error;
  }
  out << (session.is_terminal ? ClassificationTable(result, session.labels)
                              : ClassificationJson(result, session.labels));
  return "";
}

int RunProgram(const char* program, int networks, const std::vector<std::string>& args,
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
  Options options(networks);
  options.Declare(parser);
  if (const absl::optional<int> ended = ParseImageArgs(args, parser, err)) return *ended;
  if (!options.models.Resolve(err)) return 1;

  Session session{NetworkChain(),
                  Preprocessor(),
                  Classifier(static_cast<size_t>(options.top)),
                  LabelInfo::find(options.models.last_model()),
                  is_terminal,
                  options.repeat};
  session.preprocessor.set_roi(options.region);
  if (!options.models.Load(session.chain, out, err)) return 1;
  return ForEachImage(parser.data(), out, err,
                      [&](const std::string& file) { return Classify(file, session, out, err); });
}

}  // namespace

int SynapCliIc(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
               std::ostream& err) {
  return RunProgram("synap_cli_ic", 1, args, is_terminal, out, err);
}

int SynapCliIc2(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
                std::ostream& err) {
  return RunProgram("synap_cli_ic2", 2, args, is_terminal, out, err);
}

}  // namespace synap_internal
